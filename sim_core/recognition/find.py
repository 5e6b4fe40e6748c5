"""From a skeleton to its body parts: known families first, then names, then shape."""

from __future__ import annotations

import numpy as np

from ..errors import RecognitionError
from ..skeleton import Skeleton
from .by_shape import find_by_shape
from .by_words import find_by_words
from .check import check_mapping
from .families import match_family
from .mapping import REQUIRED_SLOTS, SIDES, SLOTS, BoneMapping
from .sides import names_tell_sides
from .trunk import complete_trunk, merge_chain_bones

Slots = dict[str, list[int]]

BY_WORDS, BY_SHAPE = "names of bones", "shape of the rig"

LEVEL_TRUNK_DEG = 130.0
"""Trunk and legs of a standing person lie in line (180 deg); an animal's stand square."""

FRONT_FEET_RANGE = 0.25
"""Front limbs are legs when they end this near to the ground of the hind ones, in leg lengths."""


def recognise(skeleton: Skeleton) -> BoneMapping:
    """Which bones play which part; raises RecognitionError for what is no two-legged body."""
    if not skeleton.names:
        raise RecognitionError("The rig has no bones; choose an armature with a body.")
    kind, slots = _find(skeleton)
    _refuse_four_legs(skeleton, slots)
    _refuse_missing(skeleton, slots)
    notes = []
    if kind == BY_SHAPE and not names_tell_sides(skeleton, slots):
        notes.append("Left and right were guessed from the way the feet point; check the table of bones.")
    absent = [slot for slot in ("upper_arm.L", "upper_arm.R", "head", "spine") if slot not in slots]
    if absent:
        notes.append(f"The rig has no {', '.join(map(spoken, absent))}; it is simulated without.")
    bones = {slot: tuple(skeleton.names[i] for i in slots[slot]) for slot in SLOTS if slot in slots}
    mapping = BoneMapping(kind, bones, tuple(notes))
    check_mapping(mapping, skeleton)
    return mapping


def spoken(slot: str) -> str:
    """A slot in words: "thigh.L" is "left thigh"."""
    part, _, side = slot.partition(".")
    side_word = {"L": "left ", "R": "right "}.get(side, "")
    return side_word + part.replace("_", " ")


def _find(skeleton: Skeleton) -> tuple[str, Slots]:
    family = match_family(skeleton)
    if family:
        return family[0], merge_chain_bones(skeleton, family[1])
    words, shape = find_by_words(skeleton), find_by_shape(skeleton)
    if all(slot in words for slot in REQUIRED_SLOTS if slot != "hips"):
        kind, parts = BY_WORDS, words
        if not any(f"upper_arm.{side}" in words for side in SIDES):
            parts |= {slot: bones for slot, bones in shape.items() if "arm" in slot or "hand" in slot}
    elif sum(slot in shape for slot in REQUIRED_SLOTS) > sum(slot in words for slot in REQUIRED_SLOTS):
        kind, parts = BY_SHAPE, shape
        parts |= {slot: words[slot] for slot in ("head",) if slot in words}
    else:
        kind, parts = BY_WORDS, words
    return kind, merge_chain_bones(skeleton, complete_trunk(skeleton, parts))


def _refuse_missing(skeleton: Skeleton, slots: Slots) -> None:
    missing = [slot for slot in REQUIRED_SLOTS if not slots.get(slot)]
    if not missing:
        return
    found = [f"{spoken(slot)} ('{skeleton.names[slots[slot][0]]}')" for slot in SLOTS if slots.get(slot)]
    raise RecognitionError(
        f"This rig lacks parts that a body needs: {', '.join(map(spoken, missing))} not found among "
        f"{len(skeleton.names)} bones (found: {', '.join(found) or 'nothing'}). "
        "Assign them by hand in the table of bones in the Heft panel."
    )


def _refuse_four_legs(skeleton: Skeleton, slots: Slots) -> None:
    """Refuses bodies whose trunk lies level between limbs that all reach the ground."""
    heads = skeleton.rest_position_world
    needed = [f"{slot}.{side}" for slot in ("thigh", "foot", "upper_arm", "hand") for side in SIDES]
    if not all(slots.get(slot) for slot in needed):
        return
    hip, foot, shoulder, hand = (
        np.mean([heads[slots[f"{slot}.{side}"][0]] for side in SIDES], axis=0)
        for slot in ("thigh", "foot", "upper_arm", "hand")
    )
    leg, trunk = foot - hip, shoulder - hip
    length = np.linalg.norm(leg)
    cosine = leg @ trunk / max(float(length * np.linalg.norm(trunk)), 1e-12)
    front_gap = abs((hand - foot) @ leg) / max(float(length**2), 1e-12)
    if np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))) < LEVEL_TRUNK_DEG and front_gap < FRONT_FEET_RANGE:
        raise RecognitionError(
            "This looks like a four-legged animal: its trunk lies level and its front limbs "
            f"('{skeleton.names[slots['hand.L'][0]]}') stand on the ground as its hind legs do, so arms and an "
            "upright trunk are missing. Heft simulates two-legged characters only."
        )
