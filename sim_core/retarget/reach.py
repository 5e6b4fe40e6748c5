"""Places that the animator wishes for a hand or a foot over a range of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..conventions import FloatArray
from ..easing import smooth_step
from ..errors import InputError
from .actor import Actor

BLEND_S = 0.25
"""A limb begins to leave its way this long before a range, and is back on it as long after [s]."""
LIMBS = ("hand.L", "hand.R", "foot.L", "foot.R")


@dataclass(frozen=True, eq=False)
class Reach:
    """A palm, or the sole below an ankle, is at a place (3) [m] from `first_s` to `last_s` of the result."""

    slot: str
    place_world: FloatArray
    first_s: float
    last_s: float

    def share(self, time: FloatArray) -> FloatArray:
        """How far the wish holds (T), from 0 to 1."""
        outside = np.maximum(self.first_s - time, time - self.last_s)
        return smooth_step(1.0 - outside / BLEND_S)


def check_reaches(reaches: Sequence[Reach], target: Actor) -> None:
    for reach in reaches:
        if reach.slot not in LIMBS:
            raise InputError(f"'{reach.slot}' cannot be sent to a place; choose one of {', '.join(LIMBS)}.")
        if reach.slot not in target.mapping:
            raise InputError(f"The target has no bone for '{reach.slot}'; assign one or drop that wish.")
        if np.shape(reach.place_world) != (3,) or not np.all(np.isfinite(reach.place_world)):
            raise InputError(f"The place for '{reach.slot}' must be three numbers in metres.")
        if not reach.first_s <= reach.last_s:
            raise InputError(
                f"The range for '{reach.slot}' ends at {reach.last_s:g} s before it begins at "
                f"{reach.first_s:g} s; swap the two."
            )
