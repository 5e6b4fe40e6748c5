"""Ground forces that explain a motion.

Inverse dynamics without contacts asks for a force and torque at the root that no joint can give.
The ground must give it: non-negative weights on the edges of friction pyramids at the sole points
(da Silva et al. 2008, section 4.3) that leave as little of it as possible. A small weight on joint
torques settles what two feet share.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.optimize import nnls

from ..conventions import FloatArray
from ..reference.reference import Reference
from ..simulation.world import World
from .kinematics import Kinematics

FRICTION = 0.6
"""Of the pyramids: less than the engine's, so that what is planned can be held."""
MOMENT_WEIGHT = 2.0
TORQUE_WEIGHT = 0.05
FORCE_WEIGHT = 1e-3
NEAR_GROUND = 0.03
"""Points higher than this carry nothing [m]."""


@dataclass(frozen=True, eq=False)
class Forces:
    """Per sample: joint torque (T, nu), sole force (T, K, 3), root residual (T, 6) [N, Nm]."""

    torque: FloatArray
    sole_force: FloatArray
    residual: FloatArray


def pyramid(friction: float) -> FloatArray:
    """Edges (4, 3) of a friction pyramid about Z; weights on them are vertical newtons."""
    return np.array(
        [[friction, 0, 1], [-friction, 0, 1], [0, friction, 1], [0, -friction, 1]], dtype=np.float64
    )


def explain(world: World, reference: Reference) -> Forces:
    """Forces for each sample of a reference on flat ground."""
    kinematics = Kinematics(world)
    index, model = world.index, world.model
    edges = pyramid(FRICTION)
    torque = np.zeros((len(reference), len(index.actuated_dof)))
    sole_force = np.zeros((len(reference), len(index.sole_body), 3))
    residual = np.zeros((len(reference), 6))
    for t in range(len(reference)):
        needed = inverse_dynamics(kinematics, reference.qpos[t], reference.qvel[t], reference.qacc[t])
        near = kinematics.sole_points()[:, 2] < world.ground_height + NEAR_GROUND
        jacobians = kinematics.sole_jacobians()[near]
        # Columns of generalised force, one per pyramid edge and touching point.
        columns = np.einsum("kiv,ei->vke", jacobians, edges).reshape(model.nv, -1)
        weights = solve_forces(columns, needed)
        sole_force[t, near] = weights.reshape(-1, 4) @ edges
        left = needed - columns @ weights
        residual[t], torque[t] = left[:6], left[index.actuated_dof]
    return Forces(torque, sole_force, residual)


def inverse_dynamics(
    kinematics: Kinematics, qpos: FloatArray, qvel: FloatArray, qacc: FloatArray
) -> FloatArray:
    """Generalised force (nv) that makes the motion without any contact: M qacc + bias."""
    model, data = kinematics.world.model, kinematics.data
    kinematics.set(qpos, qvel)
    data.qacc[:] = qacc
    force = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, force)
    return force + model.dof_armature * qacc


def solve_forces(columns: FloatArray, needed: FloatArray) -> FloatArray:
    """Non-negative weights that cover `needed`, the root's part above all."""
    if columns.shape[1] == 0:
        return np.zeros(0)
    row_weight = np.full(len(needed), TORQUE_WEIGHT)
    row_weight[:3], row_weight[3:6] = 1.0, MOMENT_WEIGHT
    rows = np.vstack([row_weight[:, None] * columns, FORCE_WEIGHT * np.eye(columns.shape[1])])
    return np.asarray(nnls(rows, np.concatenate([row_weight * needed, np.zeros(columns.shape[1])]))[0])
