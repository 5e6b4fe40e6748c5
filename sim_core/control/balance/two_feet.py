"""Balance while both feet stand: the part that the two methods of Zordan, Hodgins 2002, section 6 share.

The paper pushes or leans the body towards the centre of support. A captured motion leans and shifts its
weight on purpose, so errors are taken here against the plan: a body that follows it exactly is left alone.

The centre of pressure cannot leave the soles, so ankles alone recover a body only while its capture point
(com + velocity / rate, rate^2 = g / height) lies above them. Beyond their edge the hips help: the trunk turns
towards the side of the fall and the legs the other way, and the reaction of the ground pushes the body back.
While a foot is off the ground, shortly before that, and after an unplanned step another method balances.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...base.conventions import GRAVITY, Z_UP, BoolArray, FloatArray, IntArray
from ...dynamics.kinematics import Kinematics
from ...reference.contacts import REFERENCE_LEG_LENGTH
from ...simulation.protocol import State
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalancePolicy, BalanceTargets
from ..tracking.prediction import Prediction

AHEAD_S = 0.3
"""Time before a planned step in which the body must move over the foot that will stand [s]."""
OTHER_STANCE = 0.1
"""Feet that are this far from their planned distance to each other stand otherwise than planned [m]."""
SMALLEST_LEAN = 1e-3
"""A smaller turn of the trunk is none [rad]."""


@dataclass(frozen=True)
class HipGains:
    """Turn of the trunk where the soles are not enough, for a leg of 0.86 m.

    gain: k_h of eq. 5 [rad/m], on the part of the capture point's error beyond the edge; b_h = k_h / rate
    margin: distance inside the edge from which on the hips help [m]; largest: bound of the turn [rad]
    rise, decay: time constants with which the turn grows and goes back [s]; a trunk that came up at once
    would push the body over the edge again
    """

    gain: float = 12.0
    margin: float = 0.04
    largest: float = 0.45
    rise: float = 0.02
    decay: float = 1.0


@dataclass(frozen=True, eq=False)
class StanceError:
    """Horizontal error of the centre of mass over two standing feet, against the plan.

    offset (2) [m], velocity (2) [m/s]; rate: of the inverted pendulum, sqrt(g / height) [1/s]
    beyond (2): part of the capture point's error outside the soles, less a margin [m]
    """

    offset: FloatArray
    velocity: FloatArray
    rate: float
    beyond: FloatArray


def stance_error(plan: TrackingPlan, sample: int, prediction: Prediction, margin: float) -> StanceError:
    """Return the error at a sample; the plan moves with the feet, which may have slid or stepped."""
    moved = (prediction.foot - plan.foot[sample])[:, :2].mean(axis=0)
    offset = (prediction.com - plan.com[sample])[:2] - moved
    velocity = (prediction.com_velocity - plan.com_velocity[sample])[:2]
    rate = float(np.sqrt(GRAVITY / max(prediction.com[2] - prediction.points[:, 2].mean(), 0.1)))
    error = offset + velocity / rate
    size = float(np.linalg.norm(error))
    direction = error / max(size, 1e-9)
    capture = (prediction.com + prediction.com_velocity / rate)[:2] @ direction
    edge = float((prediction.points[:, :2] @ direction).max()) - margin
    return StanceError(offset, velocity, rate, np.clip(capture - edge, 0.0, size) * direction)


class TwoFeetBalance(ABC):
    """Balances while both feet stand; `other` balances at all other times.

    lean (2): present turn of the trunk along world X and Y [rad]
    """

    def __init__(
        self, world: World, plan: TrackingPlan, leg_length: float, other: BalancePolicy, hip_gains: HipGains
    ) -> None:
        self.world, self.plan, self.other, self.hip_gains = world, plan, other, hip_gains
        self.size = leg_length / REFERENCE_LEG_LENGTH
        self.kinematics, self.lean = Kinematics(world), np.zeros(2)
        self.stays = _stays(plan)
        legs = [world.leg_segments(foot) for foot in (0, 1)]
        self.hips = [world.index.dofs_of(thigh) for thigh, _, _ in legs]
        self.ankles = [world.index.dofs_of(foot) for _, _, foot in legs]

    def touches(self, sample: int) -> BoolArray:
        """Return which of the plan's points should rest on the ground (K)."""
        return self.other.touches(sample)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Return the other method's targets, with this one's in their place while both feet stand."""
        acts = self._acts(sample, prediction)
        targets = self.other.targets(sample, state, prediction)
        self.kinematics.set_position(state.qpos)
        if not acts:
            self._turn_trunk(np.zeros(2))
            return self._leaning(targets, prediction)
        error = stance_error(self.plan, sample, prediction, self.hip_gains.margin * self.size)
        self._turn_trunk(self.hip_gains.gain / self.size * error.beyond)
        added = self.added_acceleration(error, prediction)
        com, momentum = prediction.rows[:2] @ added
        targets = replace(
            targets,
            com_acceleration=self.plan.com_acceleration[sample] + com,
            momentum_rate=self.plan.momentum_rate[sample] + momentum,
            joint_acceleration=added,
        )
        return self._leaning(targets, prediction)

    def _acts(self, sample: int, prediction: Prediction) -> bool:
        """Return whether both feet stand, will stay, and are where the plan has them beside each other."""
        stands = self.plan.schedule.standing(self.other.touches(sample)).all() and len(prediction.points) > 0
        left, right = (prediction.foot - self.plan.foot[sample])[:, :2]
        apart = float(np.linalg.norm(left - right))
        return bool(stands and self.stays[sample] and apart <= OTHER_STANCE * self.size)

    def _leaning(self, targets: BalanceTargets, prediction: Prediction) -> BalanceTargets:
        """Return targets with the trunk's turn: dropped at once when a foot lifts, it would tip the body."""
        if np.linalg.norm(self.lean) < SMALLEST_LEAN:
            return targets
        return replace(targets, joint_offset=targets.joint_offset + self._hip_offset(prediction))

    @abstractmethod
    def added_acceleration(self, error: StanceError, prediction: Prediction) -> FloatArray:
        """Return the accelerations (nv) that bring the body back on standing feet [m/s^2, rad/s^2]."""

    def tilt(self, turn: FloatArray, joints: Sequence[IntArray]) -> FloatArray:
        """Return the displacement (nv) that turns all above two joints by a vector (3) [rad]; feet rest."""
        data, model = self.kinematics.data, self.world.model
        root = int(self.world.index.body[0])
        pivot = np.mean([data.xanchor[model.dof_jntid[dofs[0]]] for dofs in joints], axis=0)
        moved = np.zeros(model.nv)
        moved[:3] = np.cross(turn, data.xpos[root] - pivot)
        moved[3:6] = data.xmat[root].reshape(3, 3).T @ turn
        for dofs in joints:
            moved[dofs] = -data.cdof[dofs, :3] @ turn
        return moved

    def _turn_trunk(self, wanted: FloatArray) -> None:
        """Move the lean towards a wanted one (2), fast when it grows and slowly when it goes back."""
        gains, dt = self.hip_gains, self.plan.reference.dt
        wanted = wanted * min(1.0, gains.largest / max(float(np.linalg.norm(wanted)), 1e-9))
        grows = np.linalg.norm(wanted) > np.linalg.norm(self.lean)
        self.lean = self.lean + (wanted - self.lean) * min(1.0, dt / (gains.rise if grows else gains.decay))

    def _hip_offset(self, prediction: Prediction) -> FloatArray:
        """Return the displacement (nv) of a trunk that leans while the ankles hold the centre of mass."""
        turn = np.cross(Z_UP, [*self.lean, 0.0])
        over_hips, over_ankles = self.tilt(turn, self.hips), self.tilt(turn, self.ankles)
        moved, back = (prediction.rows[0] @ over_hips)[:2], (prediction.rows[0] @ over_ankles)[:2]
        return over_hips - over_ankles * float(moved @ back / max(back @ back, 1e-12))


def _stays(plan: TrackingPlan) -> BoolArray:
    """Return whether both feet stand (T) at each sample and for some time after it."""
    stands, ahead = plan.schedule.stands, round(AHEAD_S / plan.reference.dt)
    return np.array([bool(stands[t : t + ahead + 1].all()) for t in range(len(stands))])
