"""Completion of recognised parts: hips, spine, neck, head and further bones within limbs."""

from __future__ import annotations

import numpy as np

from ..motion.skeleton import Skeleton
from .bone_names import parse_name
from .mapping import SIDES, Slots

LIMB_CHAINS = (("clavicle", "upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))

HIPS_RANGE = 0.6
"""Largest distance of the hips from the hip joints, in leg lengths; a root on the ground is farther."""

OFF_CENTRE = 0.03
"""Largest distance of neck and head from the body's middle plane, in thigh lengths."""

MAX_NECK_BONES = 4
"""Largest number of bones from chest to head; further ones belong to the face."""

HIPS_WORDS = ("hips", "hip", "pelvis")


def complete_trunk(skeleton: Skeleton, found: Slots) -> Slots:
    """Return the slots with hips, spine, neck and head by topology; those found by name are a fallback."""
    slots = {slot: list(bones) for slot, bones in found.items()}
    if any(f"{slot}.{side}" not in slots for slot in ("thigh", "shin") for side in SIDES):
        return slots
    thighs = [slots[f"thigh.{side}"][0] for side in SIDES]
    legs_root = common_ancestor(skeleton, *thighs)
    chest = _chest(skeleton, slots)
    hips = (
        common_ancestor(skeleton, legs_root, chest) if legs_root is not None and chest is not None else None
    )
    if hips is None or not _near_hip_joints(skeleton, hips, slots):
        if legs_root is None or not _near_hip_joints(skeleton, legs_root, slots):
            return slots
        hips = legs_root
    spine = path_down(skeleton, hips, chest) if chest is not None else []
    leading = [bone for bone in spine if parse_name(skeleton.names[bone]).part in HIPS_WORDS]
    slots["hips"] = [hips, *path_down(skeleton, hips, legs_root), *leading]
    slots["hips"] = list(dict.fromkeys(slots["hips"]))
    slots["spine"] = [bone for bone in spine if bone not in slots["hips"]]
    _complete_head(skeleton, slots, chest)
    return {slot: bones for slot, bones in slots.items() if bones}


def merge_chain_bones(skeleton: Skeleton, slots: Slots) -> Slots:
    """Return the slots with bones between two parts of a limb (twist bones) added to the upper part."""
    merged = {slot: list(bones) for slot, bones in slots.items()}
    taken = {bone for bones in slots.values() for bone in bones}
    for side in SIDES:
        for chain in LIMB_CHAINS:
            present = [f"{slot}.{side}" for slot in chain if f"{slot}.{side}" in slots]
            for upper, lower in zip(present, present[1:], strict=False):
                between = path_down(skeleton, merged[upper][0], merged[lower][0])[:-1]
                merged[upper] += [bone for bone in between if bone not in taken]
    return merged


def common_ancestor(skeleton: Skeleton, a: int | None, b: int | None) -> int | None:
    """Return the lowest bone that is, or is above, both bones; None if there is none."""
    if a is None or b is None:
        return None
    above_a = [a, *skeleton.ancestors(a)]
    above_b = {b, *skeleton.ancestors(b)}
    return next((bone for bone in above_a if bone in above_b), None)


def path_down(skeleton: Skeleton, top: int, bottom: int | None) -> list[int]:
    """Return the bones below top down to bottom; none if bottom is not below top."""
    if bottom is None:
        return []
    path = [bottom, *skeleton.ancestors(bottom)]
    return path[: path.index(top)][::-1] if top in path else []


def _near_hip_joints(skeleton: Skeleton, bone: int, slots: Slots) -> bool:
    heads = skeleton.rest_position_world
    joints = np.mean([heads[slots[f"thigh.{side}"][0]] for side in SIDES], axis=0)
    ends = [heads[(slots.get(f"foot.{side}") or slots.get(f"shin.{side}") or [bone])[0]] for side in SIDES]
    leg = np.linalg.norm(joints - np.mean(ends, axis=0))
    return bool(np.linalg.norm(heads[bone] - joints) < HIPS_RANGE * leg)


def _chest(skeleton: Skeleton, slots: Slots) -> int | None:
    """Return the bone at which the arms leave the trunk, else the neck or head, else the last spine bone."""
    arms = [
        slots[f"{slot}.{side}"][0]
        for side in SIDES
        for slot in ("clavicle", "upper_arm")
        if slots.get(f"{slot}.{side}")
    ]
    chest: int | None = arms[0] if len(arms) > 1 else None
    for arm in arms[1:]:
        chest = common_ancestor(skeleton, chest, arm)
    if chest is not None and chest not in arms:
        return chest
    for slot in ("neck", "head"):
        if slot in slots and skeleton.parents[slots[slot][0]] >= 0:
            return int(skeleton.parents[slots[slot][0]])
    return slots["spine"][-1] if slots.get("spine") else None


def _complete_head(skeleton: Skeleton, slots: Slots, chest: int | None) -> None:
    if chest is None:
        return
    if not slots.get("head"):
        slots["head"] = _centre_chain(skeleton, slots, chest)[-1:]
    if slots["head"]:
        path = path_down(skeleton, chest, slots["head"][0])
        slots["neck"] = path[:-1] if path else slots.get("neck", [])


def _centre_chain(skeleton: Skeleton, slots: Slots, chest: int) -> list[int]:
    """Return the chain in the body's middle plane that continues from the chest away from the legs."""
    heads = skeleton.rest_position_world
    hips = [heads[slots[f"thigh.{side}"][0]] for side in SIDES]
    legs = [heads[slots[f"{slot}.{side}"][0]] for slot in ("thigh", "shin") for side in SIDES]
    leg_length = np.linalg.norm(np.mean(legs[:2], axis=0) - np.mean(legs[2:], axis=0))
    up = (heads[chest] - np.mean(legs, axis=0)) / leg_length
    across = (hips[0] - hips[1]) / np.linalg.norm(hips[0] - hips[1])
    limbs = {bone for slot, bones in slots.items() if slot[-2:] in (".L", ".R") for bone in bones}
    chain: list[int] = []
    bone = chest
    while len(chain) < MAX_NECK_BONES:
        offsets = {child: heads[child] - heads[bone] for child in skeleton.children[bone]}
        nexts = [
            child
            for child, offset in offsets.items()
            if abs(offset @ across) < OFF_CENTRE * leg_length
            and offset @ up > -OFF_CENTRE * leg_length
            and not parse_name(skeleton.names[child]).is_helper
            and not limbs & {child, *skeleton.descendants(child)}
        ]
        if not nexts:
            break
        bone = max(nexts, key=lambda child: float(offsets[child] @ up))
        chain.append(bone)
    return chain
