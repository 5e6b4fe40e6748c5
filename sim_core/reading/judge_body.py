"""Judges what was read: a body has the size of a character and two sides alike, and does not fly off.

What is strange is told, and what nobody can be is refused, because something in the file was misread: one
wrong number makes an arm of 84 m.
"""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton, nearest_listed_parents
from ..recognition.mapping import SIDES, BoneMapping

SMALLEST_M, LARGEST_M = 0.4, 4.0
"""Sizes of a body that needs not be asked for [m]."""
JOINTS_SHARE = 0.75
"""Least distance between the outermost joints as a share of body height: hands and crown reach further."""
LIMBS = {"leg": ("thigh", "shin", "foot"), "arm": ("upper_arm", "forearm", "hand")}
STRANGE_SIDES, IMPOSSIBLE_SIDES = 1.15, 1.6
"""Ratios of the lengths of two sides; legs of persons differ by 2 %."""
STRANGE_M_S, IMPOSSIBLE_M_S = 15.0, 300.0
"""Usual speeds of the hips: of the fastest sprinter, and nearly of sound [m/s]."""


def judge_size(skeleton: Skeleton, mapping: BoneMapping, position_world: FloatArray | None = None) -> None:
    """Raise an InputError if the joints of the body are too far apart or too close together.

    position_world (T, N, 3): of all bones in the motion; None judges the rest pose alone [m]
    """
    names = [bone for slot in mapping for bone in mapping.bones[slot]]
    columns = [skeleton.index[name] for name in names]
    rest = skeleton.rest_position_world[columns]
    size = float(np.ptp(rest, axis=0).max())
    if not JOINTS_SHARE * SMALLEST_M <= size <= LARGEST_M:
        raise InputError(
            f"The joints of the body reach over {size:.3g} m at rest; bodies of {SMALLEST_M:g} to "
            f"{LARGEST_M:g} m are read. {_longest(skeleton, names, rest)}; correct it, or give a --unit."
        )
    if position_world is None:
        return
    sizes = np.ptp(position_world[:, columns], axis=1).max(axis=1)
    worst = int(np.argmax(sizes))
    if not sizes[worst] <= LARGEST_M:
        raise InputError(
            f"In frame {worst + 1} the joints of the body reach over {sizes[worst]:.3g} m; bodies of up to "
            f"{LARGEST_M:g} m are read. Correct the positions there, or give the unit (--unit)."
        )


def _longest(skeleton: Skeleton, names: list[str], rest: FloatArray) -> str:
    """Return where the longest bone is, in words."""
    above = nearest_listed_parents(skeleton, names)
    lengths = np.where(above >= 0, np.linalg.norm(rest - rest[above], axis=1), 0.0)
    longest = int(np.argmax(lengths))
    return f"'{names[longest]}' is {lengths[longest]:.3g} m from '{names[above[longest]]}'"


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
