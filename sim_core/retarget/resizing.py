"""Places of the source at the target's size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conventions import Z_UP, FloatArray
from ..motion import Motion
from .actor import Actor


@dataclass(frozen=True, eq=False)
class Resizing:
    """Scales places above the ground under the source's first pose.

    start_world (3): what stays where it is [m]; factor (3): along the world's axes
    floor: how high above its ground the source really stands [m]
    ankles_up: how much higher the target's ankles are than the source's would be at its size [m]
    """

    start_world: FloatArray
    factor: FloatArray
    floor: float
    ankles_up: float

    def __call__(self, places: FloatArray) -> FloatArray:
        """Places of joints (..., 3) of hips and legs at the target's size [m]."""
        above = places - self.start_world - self.floor * Z_UP
        return self.start_world + self.factor * above + self.ankles_up * Z_UP


def resizing(source: Actor, motion: Motion, target: Actor, keep_path: bool, floor: float) -> Resizing:
    """Heights grow with the legs; the path does too, unless it is kept."""
    ratio = target.leg_length / source.leg_length
    first = motion.position_world[0, source.bone("hips")]
    across = 1.0 if keep_path else ratio
    return Resizing(
        np.array([first[0], first[1], source.character.ground_height]),
        np.array([across, across, ratio]),
        floor,
        target.sole_depth - ratio * source.sole_depth,
    )
