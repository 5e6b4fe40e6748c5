"""The linear dynamics at one instant: accelerations as a function of forces.

qdd = M^-1 (forces - bias), with the engine's own mass matrix and bias (da Silva et al. 2008, eq. 6).
The root's rows of M and bias are the body's momentum balance, so the acceleration of the centre of
mass and the rate of angular momentum need no Jacobians of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...conventions import BoolArray, FloatArray, IntArray
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
    points, point_velocity (N, 3); point_jacobian (N, 3, nv); point_drift (N, 3): of the supports asked for
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

    def pushing(self, which: BoolArray) -> Prediction:
        """The same with only some of its points."""
        names = ("points", "point_velocity", "point_jacobian", "point_drift")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def inverse(self, columns: FloatArray) -> FloatArray:
        return np.asarray(cho_solve(self.factor, columns, check_finite=False))


class Predictor:
    """Makes predictions for a world's character."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.kinematics = Kinematics(world)
        self.mass = float(sum(s.mass for s in world.spec))
        self.full = np.zeros((world.model.nv, world.model.nv))

    def predict(self, state: State, supports: IntArray) -> Prediction:
        """supports (N): those of the character's supports that may push."""
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
        bodies = _Bodies(self.kinematics, state, supports)
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
            **bodies.feet(),
            **bodies.points(supports),
        )


class _Bodies:
    """Motion of the bodies that may touch, the feet first."""

    def __init__(self, kinematics: Kinematics, state: State, supports: IntArray) -> None:
        self.kinematics, self.velocity = kinematics, state.qvel
        model, data, index = kinematics.world.model, kinematics.data, kinematics.world.index
        others = np.setdiff1d(index.support_body[supports], index.feet)
        self.ids = np.concatenate([index.feet, others])
        self.linear, self.angular, self.linear_dot, self.angular_dot = np.zeros(
            (4, len(self.ids), 3, model.nv)
        )
        for i, body in enumerate(self.ids.tolist()):
            mujoco.mj_jacBody(model, data, self.linear[i], self.angular[i], body)
            mujoco.mj_jacDot(model, data, self.linear_dot[i], self.angular_dot[i], data.xpos[body], body)
        self.drift = self.linear_dot @ state.qvel

    def feet(self) -> dict[str, FloatArray]:
        feet = len(self.kinematics.world.index.feet)
        return {
            "foot": self.kinematics.data.xpos[self.ids[:feet]].copy(),
            "foot_velocity": self.linear[:feet] @ self.velocity,
            "foot_jacobian": self.linear[:feet],
            "foot_drift": self.drift[:feet],
        }

    def points(self, supports: IntArray) -> dict[str, FloatArray]:
        """Of the matter at the lowest points; no-slip holds for a rolling part as for a standing one."""
        data, index, v = self.kinematics.data, self.kinematics.world.index, self.velocity
        body = index.support_body[supports]
        of = (body[:, None] == self.ids).argmax(axis=1)
        arms = self.kinematics.support_arms(supports)
        # The way down from a rounded part's centre keeps its direction while the part turns.
        turning = arms.copy()
        turning[:, 2] += index.support_radius[supports]
        spin = cross_matrix(self.angular @ v)[of]
        centripetal = (spin @ (spin @ turning[..., None]))[..., 0]
        arm_matrix = cross_matrix(arms)
        jacobian = self.linear[of] - arm_matrix @ self.angular[of]
        whirl = -(arm_matrix @ (self.angular_dot @ v)[of][..., None])[..., 0]
        return {
            "points": data.xpos[body] + arms,
            "point_velocity": jacobian @ v,
            "point_jacobian": jacobian,
            "point_drift": self.drift[of] + whirl + centripetal,
        }
