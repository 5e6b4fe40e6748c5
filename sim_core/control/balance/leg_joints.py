"""The joints of the legs, as rows of the character's coordinates."""

from __future__ import annotations

import numpy as np

from ...base.conventions import IntArray
from ...world.world import World


def leg_segments(world: World, foot: int) -> tuple[int, int, int]:
    """Thigh, shin and foot on the side of a foot of the plan, by their places in the character."""
    names = world.spec.names
    ankle = names[int(np.searchsorted(world.index.body, int(world.index.feet[foot])))]
    shin = str(world.spec[ankle].parent)
    thigh = str(world.spec[shin].parent)
    return names.index(thigh), names.index(shin), names.index(ankle)


def joint_dofs(world: World, segment: int) -> IntArray:
    """Of the joint that a segment hangs on."""
    return np.flatnonzero(world.model.dof_jntid == int(world.index.joint[segment]))


def leg_dofs(world: World) -> tuple[IntArray, IntArray]:
    """Of hip, knee and ankle, for each foot of the plan."""
    left, right = (
        np.concatenate([joint_dofs(world, segment) for segment in leg_segments(world, foot)])
        for foot in (0, 1)
    )
    return left, right
