"""Maps a character's state to that of the three-link model.

da Silva, Abe, Popovic 2008 (stylized locomotion), sections 3.2 and 4.2: the directions from ankle and hips to
the centres of mass give the rotations of the links, relative velocities give their velocities. The momentary
length and twist of a link are ignored.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from ...base.conventions import FloatArray
from ...dynamics.kinematics import cross_matrix
from .links import LinkMotion
from .model import BASE, DOFS, LinkState, ThreeLinkModel

_SUM = np.ones((3, 1))


def to_links(model: ThreeLinkModel, motion: LinkMotion) -> LinkState:
    """Return the model's state for the motion of a character's links."""
    arm = motion.com - motion.joint
    length = np.sqrt((arm * arm) @ _SUM)
    direction = arm / length
    relative = (motion.com_velocity - motion.joint_velocity) / length
    rate = relative - direction * ((direction * relative) @ _SUM)
    qpos, qvel = np.zeros(BASE + 8), np.zeros(DOFS)
    qpos[:BASE], qvel[:BASE], below, below_turn = _base(model, direction[0], rate[0])
    turned, turn = swing(model.neutral[1:], direction[1:], rate[1:])
    back = np.zeros(4)
    for link in (0, 1):
        mujoco.mju_negQuat(back, below)
        at = BASE + 4 * link
        mujoco.mju_mulQuat(qpos[at : at + 4], back, turned[link])
        mujoco.mju_negQuat(back, turned[link])
        at = BASE + 3 * link
        mujoco.mju_rotVecQuat(qvel[at : at + 3], turn[link] - below_turn, back)
        below, below_turn = turned[link], turn[link]
    return LinkState(qpos, qvel)


def _base(
    model: ThreeLinkModel, direction_world: FloatArray, rate_world: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the angles under the leg (2), their rates (2), the leg's rotation (4) and angular velocity (3).

    Turns a about X and b about Y move Z to (sin b, -sin a cos b, cos a cos b).
    """
    x, y, z = (direction_world @ model.base).tolist()
    dx, dy, dz = (rate_world @ model.base).tolist()
    across = math.hypot(y, z)
    angles = np.array([math.atan2(-y, z), math.atan2(x, across)])
    rates = np.array([(y * dz - z * dy) / across**2, dx / across])
    first, second, turned, second_axis = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros(3)
    mujoco.mju_axisAngle2Quat(first, model.base[:, 0], angles[0])
    mujoco.mju_axisAngle2Quat(second, model.base[:, 1], angles[1])
    mujoco.mju_mulQuat(turned, first, second)
    mujoco.mju_rotVecQuat(second_axis, model.base[:, 1], first)
    return angles, rates, turned, rates[0] * model.base[:, 0] + rates[1] * second_axis


def swing(neutral: FloatArray, direction: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rotations (N, 4) of unit vectors to others without twist, and their angular velocities (N, 3).

    With w = sqrt((1 + n.d) / 2) and v = n x d / (2 w), the angular velocity is 2 (w v' - w' v + v x v').
    """
    both = np.stack([direction, rate], axis=2)
    along = neutral[:, None] @ both
    across = cross_matrix(neutral) @ both
    w = np.sqrt(0.5 * np.maximum(1.0 + along[:, :, 0], 1e-9))
    v = across[:, :, 0] / (2.0 * w)
    dw = along[:, :, 1] / (4.0 * w)
    dv = across[:, :, 1] / (2.0 * w) - v * dw / w
    turn = 2.0 * (w * dv - dw * v + (cross_matrix(v) @ dv[:, :, None])[:, :, 0])
    return np.concatenate([w, v], axis=1), turn
