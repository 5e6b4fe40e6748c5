"""Toes that stay flat on the floor while their heel rises, on a body whose feet bend at the ball.

Many captures have no motion of the toes, and some have toes that point into the ground: a sole that is tilted
over its ball would dip its tip by centimetres. Nobody plans a contact with such a tip, so toes are bent up
until their tips are on the floor, as those of a standing person are by the floor itself.
"""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base.conventions import FloatArray
from ..world.world import World
from .rigid_feet import ROUNDED_S


def bend_toes(world: World, qpos: FloatArray, dt: float) -> FloatArray:
    """Return poses (T, nq) with toes bent up so far that no tip is below the floor."""
    model, index, data = world.model, world.index, mujoco.MjData(world.model)
    result = qpos.copy()
    balls, axes = np.zeros((len(qpos), len(index.toes))), np.zeros((len(qpos), len(index.toes), 3, 3))
    feet = model.body_parentid[index.toes]
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        balls[t] = data.xpos[index.toes, 2] - world.ground_height
        axes[t] = data.xmat[feet].reshape(-1, 3, 3)
    for number, toe in enumerate(index.toes.tolist()):
        joint = int(model.body_jntadr[toe])
        own, low = int(model.jnt_qposadr[joint]), float(model.jnt_range[joint, 0])
        length = float(index.support_point[index.support_body == toe, 0].max())
        flat = _flat_angle(axes[:, number], balls[:, number], length)
        bend = np.maximum(np.minimum(flat - qpos[:, own], 0.0), low - qpos[:, own])
        result[:, own] += gaussian_filter1d(bend, ROUNDED_S / dt, mode="nearest")
    return result


def _flat_angle(axes: FloatArray, ball: FloatArray, length: float) -> FloatArray:
    """Return the angles (T) of toes whose tips are on the floor [rad]; toes go up where they are negative.

    axes (T, 3, 3): of the foot; ball (T): its height above the floor [m]. The tip of toes at an angle a is at
    ball + length (x_z cos a - z_z sin a) = ball + length r sin(b - a), with r and b of the foot's tilt.
    """
    ahead, up = axes[:, 2, 0], axes[:, 2, 2]
    r, tilt = np.hypot(ahead, up), np.arctan2(ahead, up)
    return np.asarray(tilt + np.arcsin(np.clip(ball / (length * np.maximum(r, 1e-9)), -1.0, 1.0)))
