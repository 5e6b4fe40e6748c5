"""Which of two mirrored limbs is the left one: by name, else by the direction that the body faces."""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from ..motion.skeleton import Skeleton
from .bone_names import parse_name
from .mapping import Slots


def sort_sides(skeleton: Skeleton, pairs: list[list[Slots]]) -> Slots:
    """Return slots with sides from pairs of limbs, legs first, whose slots have no side yet."""
    slots: Slots = {}
    left = None
    for pair in pairs:
        left_first = _left_first_by_name(skeleton, pair)
        if left_first is None:
            left = left_direction(skeleton, pairs[0], pairs[1:]) if left is None else left
            starts = [skeleton.rest_position_world[next(iter(limb.values()))[0]] for limb in pair]
            left_first = bool((starts[0] - starts[1]) @ left > 0.0)
        for side, limb in zip("LR" if left_first else "RL", pair, strict=True):
            slots.update({f"{slot}.{side}": bones for slot, bones in limb.items()})
    return slots


def _left_first_by_name(skeleton: Skeleton, pair: list[Slots]) -> bool | None:
    votes = [
        {parse_name(skeleton.names[bone]).side for bones in limb.values() for bone in bones} - {None}
        for limb in pair
    ]
    if votes[0] == {"L"} or votes[1] == {"R"}:
        return True
    return False if votes[0] == {"R"} or votes[1] == {"L"} else None


def names_tell_sides(skeleton: Skeleton, slots: Slots) -> bool:
    """Return whether the names of the thighs tell left from right."""
    return any(parse_name(skeleton.names[slots[f"thigh.{side}"][0]]).side for side in "LR")


def left_direction(skeleton: Skeleton, legs: list[Slots], others: list[list[Slots]]) -> FloatArray:
    """Return the body's left direction (3), from up along the legs and forward along the feet."""
    heads = skeleton.rest_position_world
    hip = np.mean([heads[leg["thigh"][0]] for leg in legs], axis=0)
    ankle = np.mean([heads[leg.get("foot", leg["shin"])[0]] for leg in legs], axis=0)
    up = hip - ankle
    forward = np.zeros(3)
    for leg in legs:
        if "toe" in leg:
            forward += heads[leg["toe"][0]] - heads[leg["foot"][0]]
        elif "foot" in leg:
            # Knees bend forwards, so they lie in front of the line from hip to ankle.
            forward += _bow(heads[leg["thigh"][0]], heads[leg["shin"][0]], heads[leg["foot"][0]])
    for arms in others:
        for arm in arms:
            if "hand" in arm and np.linalg.norm(np.cross(up, forward)) < 1e-6 * (up @ up):
                # Elbows point backwards.
                forward -= _bow(*(heads[arm[slot][0]] for slot in ("upper_arm", "forearm", "hand")))
    return np.asarray(np.cross(up, forward))


def _bow(start: FloatArray, middle: FloatArray, end: FloatArray) -> FloatArray:
    """Return the vector from the straight line between two joints to the middle joint."""
    along = end - start
    offset = middle - start
    return np.asarray(offset - along * (offset @ along) / max(float(along @ along), 1e-12))
