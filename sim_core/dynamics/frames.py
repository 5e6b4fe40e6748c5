"""Centroidal quantities of a whole motion, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..conventions import FloatArray, IntArray
from ..simulation.world import World
from .kinematics import Kinematics


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
    model, kinematics = world.model, Kinematics(world)
    samples, count = len(qpos), len(supports)
    com = np.zeros((samples, 3))
    com_jacobian = np.zeros((samples, 3, model.nv))
    momentum_matrix = np.zeros((samples, 3, model.nv))
    points = np.zeros((samples, count, 3))
    point_jacobian = np.zeros((samples, count, 3, model.nv))
    root, data = int(world.index.body[0]), kinematics.data
    for t in range(samples):
        kinematics.set_position(qpos[t])
        com[t] = data.subtree_com[root]
        mujoco.mj_jacSubtreeCom(model, data, com_jacobian[t], root)
        mujoco.mj_angmomMat(model, data, momentum_matrix[t], root)
        points[t] = kinematics.support_points(supports)
        kinematics.support_jacobians(supports, out=point_jacobian[t])
    return Frames(com, com_jacobian, momentum_matrix, points, point_jacobian)


def measure_points(world: World, qpos: FloatArray, supports: IntArray) -> FloatArray:
    """Lowest points (T, K, 3) of supports along a motion [m]."""
    kinematics, points = Kinematics(world), np.zeros((len(qpos), len(supports), 3))
    for t in range(len(qpos)):
        kinematics.set_position(qpos[t])
        points[t] = kinematics.support_points(supports)
    return points
