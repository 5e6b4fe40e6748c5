"""Balance by centroidal LQR and footsteps, while the simulation runs."""

from __future__ import annotations

import mujoco
import numpy as np

from ...conventions import BoolArray, FloatArray
from ...dynamics.kinematics import cross_matrix
from ...easing import smooth_step
from ...scene.ground import Ground, ObjectState
from ...spells import spells
from ..protocol import State
from .balance import BalanceTargets
from .centroidal_lqr import COM, FEET, FORCE, MOMENTUM, PRESSURE, STATES, TURN, VELOCITY, YAW, Gains
from .footholds import Footholds
from .inserted_steps import InsertedSteps
from .plan import TrackingPlan
from .prediction import Prediction
from .reserve import Reserve

LARGEST_STEP = 0.6
"""A foot is not placed further from its plan, as seen from the standing foot or, in flight, the body [m]."""
SETTLED = 0.85
"""Share of the swing after which the foot is over its new place."""
URGENT = 5.0
"""An inserted step counts this many times more than a planned one: the posture does not know of it."""


class FootstepBalance:
    """shift (2, 2): of the feet against the plan, horizontally; level (2): how much higher they are there."""

    def __init__(self, plan: TrackingPlan, gains: Gains, mass: float, ground: Ground) -> None:
        self.plan, self.gains, self.mass = plan, gains, mass
        self.shift, self.level = np.zeros((2, 2)), np.zeros(2)
        self.lifted_from, self.level_from = np.zeros((2, 2)), np.zeros(2)
        self.footholds = Footholds(plan, ground)
        self.inserted = InsertedSteps(plan, Reserve(plan, gains.centre), self.footholds)
        self.swing = _swing_phases(plan)

    def touches(self, sample: int) -> BoolArray:
        return self.inserted.touches(sample)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        self._follow_feet(sample, prediction, state.objects)
        error = self._error(sample, state, prediction)
        self._plan_steps(sample, error, state.objects)
        inputs = -self.gains.feedback[sample] @ error
        force = self.gains.force[sample]
        arm = -error[COM]
        arm[:2] += inputs[PRESSURE] + self.gains.share[sample] @ self.shift
        moment = cross_matrix(arm) @ force
        moment += cross_matrix(self.gains.centre[sample] - self.plan.com[sample]) @ inputs[FORCE]
        moment[2] += inputs[YAW][0]
        shift, velocity = np.column_stack([self.shift, self.level]), np.zeros((2, 3))
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

    def _follow_feet(self, sample: int, prediction: Prediction, objects: ObjectState) -> None:
        """A standing foot is shifted by what it is; that is also where its next swing starts from."""
        self.inserted.follow(sample, prediction, self.shift, objects)
        stands = self.plan.schedule.stands[sample].copy()
        if self.inserted.foot is not None:
            stands[self.inserted.foot] = False
            self.shift[self.inserted.foot] = self.inserted.shift[:2]
            self.lifted_from[self.inserted.foot] = self.inserted.shift[:2]
        actual = prediction.foot - self.plan.foot[sample]
        self.shift[stands] = self.lifted_from[stands] = actual[stands, :2]
        self.footholds.nudge[stands] = 0.0
        if not self.footholds.flat:
            self.level[stands] = self.level_from[stands] = actual[stands, 2]

    def _error(self, sample: int, state: State, prediction: Prediction) -> FloatArray:
        plan, error = self.plan, np.zeros(STATES)
        turn, back = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, plan.reference.qpos[sample, 3:7])
        mujoco.mju_mulQuat(turn, state.qpos[3:7], back)
        error[COM] = prediction.com - plan.com[sample]
        error[COM][2] -= self.gains.share[sample] @ self.level  # the body's height is over its feet
        error[VELOCITY] = prediction.com_velocity - plan.com_velocity[sample]
        mujoco.mju_quat2Vel(error[TURN], turn, 1.0)
        error[MOMENTUM] = prediction.momentum - plan.momentum[sample]
        for foot in (0, 1):
            error[FEET[foot]] = self.shift[foot]
        return error

    def _plan_steps(self, sample: int, error: FloatArray, objects: ObjectState) -> None:
        for foot in (0, 1):
            phase = self.swing[sample, foot]
            if np.isnan(phase) or foot == self.inserted.foot:
                continue
            standing = self.plan.schedule.stands[sample, 1 - foot]
            anchor = self.shift[1 - foot] if standing else error[COM][:2]
            wanted = self.gains.foothold[sample, foot] @ error
            wanted = anchor + np.clip(wanted - anchor, -LARGEST_STEP, LARGEST_STEP)
            wanted = self.footholds.evened(sample, foot, wanted, objects)
            level = self.footholds.rise(sample, foot, wanted, objects)
            blend = smooth_step(phase / SETTLED)
            self.shift[foot] = (1.0 - blend) * self.lifted_from[foot] + blend * wanted
            self.level[foot] = (1.0 - blend) * self.level_from[foot] + blend * level


def _swing_phases(plan: TrackingPlan) -> FloatArray:
    """Share of each swing that is over (T, 2); not a number while the foot stands."""
    stands = plan.schedule.stands
    phases = np.full(stands.shape, np.nan)
    for foot in (0, 1):
        for start, end in spells(~stands[:, foot]):
            phases[start:end, foot] = (np.arange(start, end) - start + 0.5) / (end - start)
    return phases
