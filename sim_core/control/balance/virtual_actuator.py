"""Balance by a virtual actuator while both feet stand (Zordan, Hodgins 2002, section 6).

    F = k (x_d - x) - b v                                                                      (eq. 3)
    tau = J_T (F x r)                                                                          (eq. 4)

A horizontal force F on the centre of mass is never applied; the joints of the standing legs turn as if it
were. r leads from the centre of mass to the joint.

The paper adds tau to the torques of its tracking springs. The tracker here solves for torques that produce
wanted accelerations, and would cancel an added torque as a disturbance. So tau enters as the accelerations
that it causes while the feet stand: the QP then keeps to the limits of joints and soles.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...base.conventions import FloatArray
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalancePolicy
from ..tracking.prediction import Prediction
from .two_feet import HipGains, StanceError, TwoFeetBalance


@dataclass(frozen=True)
class VirtualActuatorGains:
    """Gains of eq. 3 for a body of mass m that topples at a rate.

    stiffness: k / (m rate^2); damping: b / (m rate)
    """

    stiffness: float = 1.0
    damping: float = 3.0


class VirtualActuatorBalance(TwoFeetBalance):
    """Turns the joints of both legs as a force on the centre of mass would."""

    def __init__(
        self,
        world: World,
        plan: TrackingPlan,
        leg_length: float,
        other: BalancePolicy,
        gains: VirtualActuatorGains,
        hip_gains: HipGains,
    ) -> None:
        super().__init__(world, plan, leg_length, other, hip_gains)
        self.gains = gains
        self.legs = [
            np.concatenate([world.index.dofs_of(s) for s in world.leg_segments(foot)]) for foot in (0, 1)
        ]
        self.moving = np.concatenate([np.arange(6), *self.legs])

    def added_acceleration(self, error: StanceError, prediction: Prediction) -> FloatArray:
        """Return the accelerations (nv) that the virtual torques cause on feet that stand."""
        return self.response(self.torque(self.force(error), prediction), prediction)

    def force(self, error: StanceError) -> FloatArray:
        """Return the virtual force (3) on the centre of mass [N]."""
        k, b = self.gains.stiffness * error.rate**2, self.gains.damping * error.rate
        level = -self.world.spec.mass * (k * error.offset + b * error.velocity)
        return np.array([*level, 0.0])

    def torque(self, force: FloatArray, prediction: Prediction) -> FloatArray:
        """Return the torques of the legs (nv) [Nm], each leg carrying half of the force (eq. 4)."""
        data, model = self.kinematics.data, self.world.model
        torque = np.zeros(model.nv)
        for dofs in self.legs:
            arm = data.xanchor[model.dof_jntid[dofs]] - prediction.com
            # The foot stands, so a leg's joint turns what is above it: the engine's torques act below.
            torque[dofs] = -0.5 * np.sum(data.cdof[dofs, :3] * np.cross(force, arm), axis=1)
        return torque

    def response(self, torque: FloatArray, prediction: Prediction) -> FloatArray:
        """Return the accelerations (nv) that torques cause while feet rest and other joints are held."""
        moving, model, result = self.moving, self.world.model, np.zeros_like(torque)
        rows = np.zeros((2, 6, model.nv))
        for row, foot in zip(rows, self.world.index.feet, strict=True):
            mujoco.mj_jacBody(model, self.kinematics.data, row[:3], row[3:], int(foot))
        held = rows.reshape(12, -1)[:, moving]
        inertia = prediction.mass_matrix[np.ix_(moving, moving)]
        solved = np.linalg.solve(inertia, np.column_stack([held.T, torque[moving]]))
        by_feet, free = solved[:, :-1], solved[:, -1]
        result[moving] = free - by_feet @ np.linalg.solve(held @ by_feet, held @ free)
        return result
