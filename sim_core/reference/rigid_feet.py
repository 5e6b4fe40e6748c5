"""Feet that bend at their toes, on a body whose feet are rigid.

A foot that pushes off rolls over its ball while its toes stay flat on the ground. A rigid sole of the same
attitude dips its tip into the ground by centimetres. Whoever then puts the tip on the ground lifts the whole body,
which needs a force that nobody has felt. So the ankle keeps its place, and the sole is turned about it until its
tip is on the ground.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..character.posing import segment_poses
from ..character.spec import JointKind
from ..motion.motion import low_pass_values
from ..world.world import World

MOST_TURN = 0.35
"""Largest turn of a foot [rad]: seen from the ankle, bent toes are this far above the line of the sole."""
LEAST_LEVER = 0.05
"""Horizontal distance of tip and ankle below which no turn lifts the tip; the foot points down then [m]."""
NEWTON_STEPS = 4
"""A turn of this size is exact to a tenth of a millimetre then."""


def lift_dipping_tips(world: World, qpos: FloatArray, dt: float) -> FloatArray:
    """Return poses (T, nq) whose feet are turned about their ankles so far that no tip dips into the floor."""
    spec, model, index = world.spec, world.model, world.index
    position, quaternion = segment_poses(spec, qpos)
    result = qpos.copy()
    for foot in index.foot_segments.tolist():
        segment = spec[spec.names[foot]]
        if segment.joint.kind is not JointKind.BALL:
            continue
        tip = segment.contact_points[2:].mean(axis=0)
        turn = _turns(position[:, foot], quaternion[:, foot], tip, world.ground_height)
        # Where the turn begins and ends it has a kink, which the motion itself does not have.
        smooth = low_pass_values(turn, 1.0 / dt)
        first = int(model.jnt_qposadr[index.joint[foot]])
        own = slice(first, first + 4)
        result[:, own] = rotations.multiply(qpos[:, own], _about_side(smooth))
    return result


def _turns(ankle: FloatArray, quaternion: FloatArray, tip: FloatArray, floor: float) -> FloatArray:
    """Return angles (T) about a foot's side axis that lift its tip to the floor, negative for toes up [rad]."""
    turn: FloatArray = np.zeros(len(ankle))
    for _ in range(NEWTON_STEPS):
        turned = rotations.multiply(quaternion, _about_side(turn))
        arm = rotations.rotate(turned, tip)
        side = rotations.rotate(turned, np.array([0.0, 1.0, 0.0]))
        sinks = np.minimum(np.cross(side, arm)[:, 2], -LEAST_LEVER)
        height = ankle[:, 2] + arm[:, 2] - floor
        turn = np.clip(turn - height / sinks, -MOST_TURN, 0.0)
    return turn


def _about_side(angle: FloatArray) -> FloatArray:
    """Return rotations (T, 4) about the foot's Y axis."""
    zero = np.zeros_like(angle)
    return np.stack([np.cos(0.5 * angle), zero, np.sin(0.5 * angle), zero], axis=-1)
