"""Balance by centroidal LQR and footsteps, while the simulation runs."""

from __future__ import annotations

import mujoco
import numpy as np

from ...conventions import BoolArray, FloatArray
from ...dynamics.kinematics import cross_matrix
from ..protocol import State
from .balance import BalanceTargets
from .centroidal_lqr import COM, FEET, FORCE, MOMENTUM, PRESSURE, STATES, TURN, VELOCITY, YAW, Gains
from .inserted_steps import InsertedSteps, smooth_step
from .plan import TrackingPlan
from .prediction import Prediction

LARGEST_STEP = 0.4
"""A foot is not placed further from its plan, as seen from the standing foot or, in flight, the body [m]."""
SETTLED = 0.85
"""Share of the swing after which the foot is over its new place."""
URGENT = 5.0
"""An inserted step counts this many times more than a planned one: the posture does not know of it."""


class FootstepBalance:
    def __init__(self, plan: TrackingPlan, gains: Gains, mass: float) -> None:
        self.plan, self.gains, self.mass = plan, gains, mass
        self.shift = np.zeros((2, 2))
        self.lifted_from = np.zeros((2, 2))
        self.inserted = InsertedSteps(plan)
        self.swing = _swing_phases(plan)

    def touches(self, sample: int) -> BoolArray:
        return self.inserted.touches(sample)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        self._follow_feet(sample, prediction)
        error = self._error(sample, state, prediction)
        self._plan_steps(sample, error)
        inputs = -self.gains.feedback[sample] @ error
        force = self.gains.force[sample]
        arm = -error[COM]
        arm[:2] += inputs[PRESSURE] + self.gains.share[sample] @ self.shift
        moment = cross_matrix(arm) @ force
        moment += cross_matrix(self.gains.centre[sample] - self.plan.com[sample]) @ inputs[FORCE]
        moment[2] += inputs[YAW][0]
        shift, velocity = np.zeros((2, 3)), np.zeros((2, 3))
        shift[:, :2] = self.shift  # planned steps move sideways only
        if self.inserted.foot is not None:
            shift[self.inserted.foot] = self.inserted.shift
            velocity[self.inserted.foot] = self.inserted.velocity
        drift = state.qpos[:3] - self.plan.reference.qpos[sample, :3]
        return BalanceTargets(
            com_acceleration=self.plan.com_acceleration[sample] + inputs[FORCE] / self.mass,
            momentum_rate=self.plan.momentum_rate[sample] + moment,
            foot_shift=shift,
            foot_shift_velocity=velocity,
            joint_offset=self.inserted.joint_offset(prediction, drift),
            swing=URGENT if self.inserted.swinging else 1.0,
        )

    def _follow_feet(self, sample: int, prediction: Prediction) -> None:
        """A standing foot is shifted by what it is; that is also where its next swing starts from."""
        self.inserted.follow(sample, prediction, self.shift)
        stands = self.plan.schedule.stands[sample].copy()
        if self.inserted.foot is not None:
            stands[self.inserted.foot] = False
            self.shift[self.inserted.foot] = self.inserted.shift[:2]
            self.lifted_from[self.inserted.foot] = self.inserted.shift[:2]
        actual = (prediction.foot - self.plan.foot[sample])[:, :2]
        self.shift[stands] = actual[stands]
        self.lifted_from[stands] = actual[stands]

    def _error(self, sample: int, state: State, prediction: Prediction) -> FloatArray:
        plan, error = self.plan, np.zeros(STATES)
        turn, back = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, plan.reference.qpos[sample, 3:7])
        mujoco.mju_mulQuat(turn, state.qpos[3:7], back)
        error[COM] = prediction.com - plan.com[sample]
        error[VELOCITY] = prediction.com_velocity - plan.com_velocity[sample]
        mujoco.mju_quat2Vel(error[TURN], turn, 1.0)
        error[MOMENTUM] = prediction.momentum - plan.momentum[sample]
        for foot in (0, 1):
            error[FEET[foot]] = self.shift[foot]
        return error

    def _plan_steps(self, sample: int, error: FloatArray) -> None:
        for foot in (0, 1):
            phase = self.swing[sample, foot]
            if np.isnan(phase) or foot == self.inserted.foot:
                continue
            standing = self.plan.schedule.stands[sample, 1 - foot]
            anchor = self.shift[1 - foot] if standing else error[COM][:2]
            wanted = self.gains.foothold[sample, foot] @ error
            wanted = anchor + np.clip(wanted - anchor, -LARGEST_STEP, LARGEST_STEP)
            blend = smooth_step(phase / SETTLED)
            self.shift[foot] = (1.0 - blend) * self.lifted_from[foot] + blend * wanted


def _swing_phases(plan: TrackingPlan) -> FloatArray:
    """Share of each swing that is over (T, 2); not a number while the foot stands."""
    stands = plan.schedule.stands
    phases = np.full(stands.shape, np.nan)
    for foot in (0, 1):
        edges = np.flatnonzero(np.diff(np.concatenate([[1], stands[:, foot].astype(np.int8), [1]])))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            phases[start:end, foot] = (np.arange(start, end) - start + 0.5) / (end - start)
    return phases
