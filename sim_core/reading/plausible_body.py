"""Refuses bodies of sizes that no character has: one wrong number in a file makes an arm of 84 m."""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..motion.skeleton import Skeleton, nearest_listed_parents
from ..recognition.mapping import BoneMapping

SMALLEST_M, LARGEST_M = 0.4, 4.0
"""Sizes of a body that needs not be asked for [m]."""
JOINTS_SHARE = 0.75
"""Least distance between the outermost joints as a share of body height: hands and crown reach further."""


def refuse_implausible_body(
    skeleton: Skeleton, mapping: BoneMapping, position_world: FloatArray | None = None
) -> None:
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
