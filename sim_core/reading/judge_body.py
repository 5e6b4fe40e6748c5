"""Judges what was read: the body of a person has two sides alike and does not fly off.

What is strange is told, and what nobody can be is refused, because something in the file was misread.
"""

from __future__ import annotations

import numpy as np

from ..base.errors import InputError
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton
from ..recognition.mapping import SIDES, BoneMapping

LIMBS = {"leg": ("thigh", "shin", "foot"), "arm": ("upper_arm", "forearm", "hand")}
STRANGE_SIDES, IMPOSSIBLE_SIDES = 1.15, 1.6
"""Ratios of the lengths of two sides; legs of persons differ by 2 %."""
STRANGE_M_S, IMPOSSIBLE_M_S = 15.0, 300.0
"""Usual speeds of the hips: of the fastest sprinter, and nearly of sound [m/s]."""


def judge_body(skeleton: Skeleton, mapping: BoneMapping) -> tuple[str, ...]:
    """Return warnings about the lengths of a body at rest; raise an InputError where nobody has them."""
    warnings = list[str]()
    for limb, parts in LIMBS.items():
        if not all(f"{part}.{side}" in mapping for part in parts for side in SIDES):
            continue
        left, right = (_length(skeleton, mapping, parts, side) for side in SIDES)
        least = max(min(left, right), 1e-9)
        bones = ", ".join(f"'{mapping.first(f'{part}.{side}')}'" for side in SIDES for part in parts[:2])
        found = f"the left {limb} is {left / max(right, 1e-9):.3g} times as long as the right one"
        warnings += _judged(max(left, right) / least, STRANGE_SIDES, IMPOSSIBLE_SIDES, f"{found} ({bones})")
    return tuple(warnings)


def judge_pace(motion: Motion, mapping: BoneMapping) -> tuple[str, ...]:
    """Return a warning about hips that move too fast for a person; raise an InputError beyond all speeds."""
    hips = motion.position_world[:, motion.skeleton.index[mapping.first("hips")]]
    speed = float(np.median(np.linalg.norm(np.diff(hips, axis=0), axis=1) / np.diff(motion.time)))
    return tuple(_judged(speed, STRANGE_M_S, IMPOSSIBLE_M_S, f"the hips move at {speed:.3g} m/s"))


def _judged(value: float, strange: float, impossible: float, found: str) -> list[str]:
    if not value <= impossible:
        raise InputError(f"This is not a person: {found}; check the file's lengths and units.")
    return [f"Check the file: {found}."] if value > strange else []


def _length(skeleton: Skeleton, mapping: BoneMapping, parts: tuple[str, ...], side: str) -> float:
    heads = [skeleton.rest_position_world[skeleton.index[mapping.first(f"{part}.{side}")]] for part in parts]
    return float(np.linalg.norm(np.diff(heads, axis=0), axis=1).sum())
