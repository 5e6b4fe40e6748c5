"""Centroidal quantities of a whole motion, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..world.world import World
from .kinematics import Kinematics, cross_matrix, moving_dofs


@dataclass(frozen=True, eq=False)
class Frames:
    """T frames of a motion.

    com (T, 3) [m], com_jacobian (T, 3, nv)
    momentum_matrix (T, 3, nv): velocity to angular momentum about the com
    points (T, K, 3): lowest points of the chosen supports [m], point_jacobian (T, K, 3, nv)
    """

    com: FloatArray
    com_jacobian: FloatArray
    momentum_matrix: FloatArray
    points: FloatArray
    point_jacobian: FloatArray


def measure_frames(world: World, qpos: FloatArray, supports: IntArray) -> Frames:
    """supports (K): indices into the supports of the character."""
    model, kinematics, index = world.model, Kinematics(world), world.index
    samples, data, root = len(qpos), kinematics.data, int(world.index.body[0])
    com = np.zeros((samples, 3))
    com_jacobian = np.zeros((samples, 3, model.nv))
    momentum_matrix = np.zeros((samples, 3, model.nv))
    axes = np.zeros((samples, model.nv, 6))
    origin = np.zeros((samples, model.nbody, 3))
    rotation = np.zeros((samples, model.nbody, 9))
    for t in range(samples):
        kinematics.set_position(qpos[t])
        mujoco.mj_jacSubtreeCom(model, data, com_jacobian[t], root)
        mujoco.mj_angmomMat(model, data, momentum_matrix[t], root)
        com[t], axes[t] = data.subtree_com[root], data.cdof
        origin[t], rotation[t] = data.xpos, data.xmat
    bodies = index.support_body[supports]
    turns = rotation[:, bodies].reshape(samples, -1, 3, 3)
    points = origin[:, bodies] + (turns @ index.support_point[supports, :, None])[..., 0]
    points[..., 2] -= index.support_radius[supports]
    return Frames(
        com, com_jacobian, momentum_matrix, points, _jacobians(world, axes, points - com[:, None], bodies)
    )


def _jacobians(world: World, axes: FloatArray, arms: FloatArray, bodies: IntArray) -> FloatArray:
    """Of bodies' matter (T, K, 3, nv) at arms (T, K, 3) from the com.

    axes (T, nv, 6): how the joints above a body turn it, and shift what is at the com
    """
    moved = np.array([moving_dofs(world.model, int(body)) for body in bodies]).reshape(-1, 1, world.model.nv)
    turn, shift = axes[:, None, :, :3].swapaxes(2, 3), axes[:, None, :, 3:].swapaxes(2, 3)
    return np.where(moved, shift - cross_matrix(arms) @ turn, 0.0)


def measure_points(world: World, qpos: FloatArray, supports: IntArray) -> FloatArray:
    """Lowest points (T, K, 3) of supports along a motion [m]."""
    kinematics, points = Kinematics(world), np.zeros((len(qpos), len(supports), 3))
    for t in range(len(qpos)):
        kinematics.set_position(qpos[t])
        points[t] = kinematics.support_points(supports)
    return points
