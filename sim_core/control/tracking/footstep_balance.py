"""Balance by centroidal LQR and footsteps, while the simulation runs."""

from __future__ import annotations

import mujoco
import numpy as np

from ...conventions import FloatArray, IntArray
from ...dynamics.kinematics import cross_matrix
from ...scene.ground import FlatGround, Ground, ObjectState
from ..protocol import State
from .balance import BalanceTargets
from .centroidal_lqr import COM, FEET, FORCE, MOMENTUM, PRESSURE, STATES, TURN, VELOCITY, YAW, Gains
from .plan import TrackingPlan
from .prediction import Prediction

LARGEST_STEP = 0.4
"""A foot is not placed further from its plan, as seen from the standing foot or, in flight, the body [m]."""
ALONG = np.linspace(-0.6, 0.6, 7)
"""Where the ground under a sole is looked at, in parts of its length from the middle: past heel and toes."""
FROM_LINE = np.eye(len(ALONG)) - 1.0 / len(ALONG) - np.outer(ALONG, ALONG) / (ALONG @ ALONG)
"""Takes heights there to what they depart from a straight line by."""
EVEN = 0.012
"""Ground that departs less is good to stand on [m]."""
NUDGES, STICK = np.linspace(-0.15, 0.15, 11).round(3).tolist(), 0.03
"""Ways along the foot that are tried for better ground; one that is new must be this much shorter [m]."""
SETTLED = 0.85
"""Share of the swing after which the foot is over its new place."""


class FootstepBalance:
    """shift (2, 2): of the feet against the plan, horizontally; level (2): how much higher they are there."""

    def __init__(self, plan: TrackingPlan, gains: Gains, mass: float, ground: Ground) -> None:
        self.plan, self.gains, self.mass, self.ground = plan, gains, mass, ground
        self.shift, self.level = np.zeros((2, 2)), np.zeros(2)
        self.lifted_from, self.level_from = np.zeros((2, 2)), np.zeros(2)
        self.nudge = np.zeros(2)
        self.swing, self.landing = _swings(plan)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        self._follow_feet(sample, prediction)
        error = self._error(sample, state, prediction)
        self._plan_steps(sample, error, state.objects)
        inputs = -self.gains.feedback[sample] @ error
        force = self.gains.force[sample]
        arm = -error[COM]
        arm[:2] += inputs[PRESSURE] + self.gains.share[sample] @ self.shift
        moment = cross_matrix(arm) @ force
        moment += cross_matrix(self.gains.centre[sample] - self.plan.com[sample]) @ inputs[FORCE]
        moment[2] += inputs[YAW][0]
        return BalanceTargets(
            com_acceleration=self.plan.com_acceleration[sample] + inputs[FORCE] / self.mass,
            momentum_rate=self.plan.momentum_rate[sample] + moment,
            foot_shift=np.column_stack([self.shift, self.level]),
        )

    def _follow_feet(self, sample: int, prediction: Prediction) -> None:
        """A standing foot is shifted by what it is; that is also where its next swing starts from."""
        stands = self.plan.schedule.stands[sample]
        actual = prediction.foot - self.plan.foot[sample]
        self.shift[stands] = self.lifted_from[stands] = actual[stands, :2]
        self.nudge[stands] = 0.0
        if not isinstance(self.ground, FlatGround):
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
            if np.isnan(phase):
                continue
            standing = self.plan.schedule.stands[sample, 1 - foot]
            anchor = self.shift[1 - foot] if standing else error[COM][:2]
            wanted = self.gains.foothold[sample, foot] @ error
            wanted = anchor + np.clip(wanted - anchor, -LARGEST_STEP, LARGEST_STEP)
            wanted = self._evened(sample, foot, wanted, objects)
            blend = np.clip(phase / SETTLED, 0.0, 1.0)
            blend = blend * blend * (3.0 - 2.0 * blend)
            self.shift[foot] = (1.0 - blend) * self.lifted_from[foot] + blend * wanted
            level = self._rise(foot, int(self.landing[sample, foot]), wanted, objects)
            self.level[foot] = (1.0 - blend) * self.level_from[foot] + blend * level

    def _evened(self, sample: int, foot: int, shift: FloatArray, objects: ObjectState) -> FloatArray:
        """The shift, nudged along the foot where it would otherwise come down on an edge."""
        if isinstance(self.ground, FlatGround):
            return shift
        sole = self.plan.support_points[self.landing[sample, foot], self.plan.schedule.foot == foot]
        half = len(sole) // 2
        heel, toes = sole[:half].mean(axis=0), sole[half:].mean(axis=0)
        ahead = (toes - heel)[:2] / max(float(np.linalg.norm((toes - heel)[:2])), 1e-6)
        line = 0.5 * (heel + toes) + np.outer(ALONG, toes - heel)
        line[:, :2] += shift
        last = self.nudge[foot]
        for nudge in sorted(NUDGES, key=lambda n: abs(n) + (STICK if n != last else 0.0)):
            height = self.ground.below(line + np.append(nudge * ahead, 0.0), objects).height
            if np.isfinite(height).all() and np.abs(FROM_LINE @ height).max() < EVEN:
                self.nudge[foot] = nudge
                return np.asarray(shift + nudge * ahead)
        return shift

    def _rise(self, foot: int, landing: int, shift: FloatArray, objects: ObjectState) -> float:
        """How much higher the ground is where the foot will come down than where it was planned to [m]."""
        if isinstance(self.ground, FlatGround):
            return 0.0
        planned = self.plan.support_points[landing, self.plan.schedule.foot == foot]
        moved = planned + np.append(shift, 0.0)
        heights = [self.ground.below(points, objects).height for points in (planned, moved)]
        if not np.isfinite(heights).all():
            return 0.0
        return float(heights[1].max() - heights[0].max())


def _swings(plan: TrackingPlan) -> tuple[FloatArray, IntArray]:
    """Share of each swing that is over (T, 2), not a number while the foot stands; and its last sample."""
    stands = plan.schedule.stands
    phases, landing = np.full(stands.shape, np.nan), np.zeros(stands.shape, dtype=np.int64)
    for foot in (0, 1):
        edges = np.flatnonzero(np.diff(np.concatenate([[1], stands[:, foot].astype(np.int8), [1]])))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            phases[start:end, foot] = (np.arange(start, end) - start + 0.5) / (end - start)
            landing[start:end, foot] = min(end, len(stands) - 1)
    return phases, landing
