"""The linear dynamics at one instant: accelerations as a function of forces.

qdd = M^-1 (forces - bias), with the engine's own mass matrix and bias (da Silva et al. 2008, eq. 6).
The root's rows of M and bias are the body's momentum balance, so the acceleration of the centre of
mass and the rate of angular momentum need no Jacobians of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...conventions import FloatArray
from ...dynamics.kinematics import Kinematics, cross_matrix
from ...simulation.world import World
from ..protocol import State


@dataclass(frozen=True, eq=False)
class Prediction:
    """One state's dynamics.

    mass_matrix (nv, nv), bias (nv), inverse(B) solves M X = B
    com, com_velocity (3); momentum (3)
    com_rows (3, nv), com_drift (3): acceleration of the com = rows qdd + drift
    momentum_rows (3, nv), momentum_drift (3): rate of angular momentum = rows qdd + drift
    points, point_velocity (K, 3); point_jacobian (K, 3, nv); point_drift (K, 3): Jdot v
    foot, foot_velocity (F, 3); foot_jacobian (F, 3, nv); foot_drift (F, 3)
    """

    mass_matrix: FloatArray
    bias: FloatArray
    factor: tuple[FloatArray, bool]
    com: FloatArray
    com_velocity: FloatArray
    momentum: FloatArray
    com_rows: FloatArray
    com_drift: FloatArray
    momentum_rows: FloatArray
    momentum_drift: FloatArray
    points: FloatArray
    point_velocity: FloatArray
    point_jacobian: FloatArray
    point_drift: FloatArray
    foot: FloatArray
    foot_velocity: FloatArray
    foot_jacobian: FloatArray
    foot_drift: FloatArray

    def inverse(self, columns: FloatArray) -> FloatArray:
        return np.asarray(cho_solve(self.factor, columns, check_finite=False))


class Predictor:
    """Makes predictions for a world's character."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.kinematics = Kinematics(world)
        self.mass = float(sum(s.mass for s in world.spec))
        nv, feet = world.model.nv, len(self.kinematics.feet)
        self.full = np.zeros((nv, nv))
        self.linear, self.angular = np.zeros((feet, 3, nv)), np.zeros((feet, 3, nv))
        self.linear_dot, self.angular_dot = np.zeros((feet, 3, nv)), np.zeros((feet, 3, nv))
        self.foot_of_point = np.searchsorted(self.kinematics.feet, world.index.sole_body)

    def predict(self, state: State) -> Prediction:
        model, data = self.world.model, self.kinematics.data
        self.kinematics.set(state.qpos, state.qvel)
        mujoco.mj_fullM(model, data, self.full)
        mass_matrix = self.full.copy()
        bias = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        root = int(self.world.index.body[0])
        rotation = data.xmat[root].reshape(3, 3)
        com = data.subtree_com[root].copy()
        arm = cross_matrix(com - data.xpos[root])
        com_rows = mass_matrix[:3] / self.mass
        momentum_rows = rotation @ mass_matrix[3:6] - arm @ mass_matrix[:3]
        feet = self._feet(state)
        return Prediction(
            mass_matrix=mass_matrix,
            bias=bias,
            factor=cho_factor(mass_matrix, lower=True, check_finite=False),
            com=com,
            com_velocity=com_rows @ state.qvel,
            momentum=momentum_rows @ state.qvel,
            com_rows=com_rows,
            com_drift=bias[:3] / self.mass + self.world.gravity,
            momentum_rows=momentum_rows,
            momentum_drift=rotation @ bias[3:6] - arm @ bias[:3],
            **feet,
        )

    def _feet(self, state: State) -> dict[str, FloatArray]:
        model, data, index = self.world.model, self.kinematics.data, self.world.index
        for i, foot in enumerate(self.kinematics.feet):
            mujoco.mj_jacBody(model, data, self.linear[i], self.angular[i], int(foot))
            mujoco.mj_jacDot(model, data, self.linear_dot[i], self.angular_dot[i], data.xpos[foot], int(foot))
        v, of = state.qvel, self.foot_of_point
        turn = self.angular @ v
        rotation = data.xmat[index.sole_body].reshape(-1, 3, 3)
        arms = (rotation @ index.sole_point[..., None])[..., 0]
        foot_drift = self.linear_dot @ v
        spin = cross_matrix(turn)[of]
        centripetal = (spin @ (spin @ arms[..., None]))[..., 0]
        arm_matrix = cross_matrix(arms)
        jacobian = self.linear[of] - arm_matrix @ self.angular[of]
        whirl = -(arm_matrix @ (self.angular_dot @ v)[of][..., None])[..., 0]
        return {
            "points": data.xpos[index.sole_body] + arms,
            "point_velocity": jacobian @ v,
            "point_jacobian": jacobian,
            "point_drift": foot_drift[of] + whirl + centripetal,
            "foot": data.xpos[self.kinematics.feet].copy(),
            "foot_velocity": self.linear @ v,
            "foot_jacobian": self.linear.copy(),
            "foot_drift": foot_drift,
        }
