"""Feet that bend at their toes, on a body whose feet are rigid.

A foot that pushes off rolls over its ball while its toes stay flat on the ground. A rigid sole of the same
attitude dips its tip into the ground by centimetres. Whoever then puts the tip on the ground lifts the whole
body, which needs a force that nobody has felt. So the ankle keeps its place, and the sole is turned about it
until its tip is on the ground.
"""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..world.world import World

MOST_TURN = 0.35
"""Largest turn of a foot [rad]: seen from the ankle, bent toes are this far above the line of the sole."""
LEAST_LEVER = 0.05
"""Horizontal distance of tip and ankle below which no turn lifts the tip; the foot points down then [m]."""
NEWTON_STEPS = 4
"""A turn of this size is exact to a tenth of a millimetre then."""
ROUNDED_S = 0.02
"""Standard deviation of the time over which kinks of the turn are rounded, as a low-pass of 8 Hz does [s]."""


def lift_dipping_tips(world: World, qpos: FloatArray, dt: float) -> FloatArray:
    """Return poses (T, nq) with feet turned about their ankles so far that no tip dips into the floor."""
    model, index = world.model, world.index
    position, quaternion = _bodies(world, qpos, index.feet)
    result = qpos.copy()
    for foot, joint in enumerate(index.joint[index.foot_segments].tolist()):
        if model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_BALL:
            continue
        own_soles = np.flatnonzero(index.foot_of_support == foot)
        tip = index.support_point[own_soles[2:]].mean(axis=0)
        turn = _turns(position[:, foot], quaternion[:, foot], tip, world.ground_height)
        # Where the turn begins and ends it has a kink, which the motion itself does not have.
        smooth = gaussian_filter1d(turn, ROUNDED_S / dt, mode="nearest")
        own = slice(int(model.jnt_qposadr[joint]), int(model.jnt_qposadr[joint]) + 4)
        result[:, own] = rotations.multiply(qpos[:, own], _about_side(smooth))
    return result


def _bodies(world: World, qpos: FloatArray, bodies: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return positions (T, B, 3) and quaternions (T, B, 4) of bodies in poses (T, nq)."""
    data = mujoco.MjData(world.model)
    position, quaternion = np.zeros((len(qpos), len(bodies), 3)), np.zeros((len(qpos), len(bodies), 4))
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(world.model, data)
        position[t], quaternion[t] = data.xpos[bodies], data.xquat[bodies]
    return position, quaternion


def _turns(ankle: FloatArray, quaternion: FloatArray, tip: FloatArray, floor: float) -> FloatArray:
    """Return angles (T) about a foot's side axis that lift its tip to the floor; toes go up [rad]."""
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
