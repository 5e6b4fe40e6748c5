"""Moves the times of planned steps: a body that is pushed steps sooner, and its foot is waited for.

While a foot is in the air, the capture point diverges from the foot that stands, so a step that is taken
sooner has a shorter way to it (Khadiv, Herzog, Moosavian, Righetti 2020, adapt timing and location of steps
together). Here the plan's clock runs faster while the next foothold has to be far from its plan, and it waits
at a touchdown until the foot has come down. The swing keeps its course, in less time. What a body is off by
when it starts, or when another plan takes over, is not hurried until it has come back to its plan once: that
is no push, and the plan's own time is the best one for it. After a hurried step the plan goes slower while
both feet bring the body to rest.
"""

from __future__ import annotations

import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...base.intervals import true_intervals
from ..tracking.plan import TrackingPlan
from ..tracking.prediction import Prediction
from .centroidal_lqr import MOMENTUM, CentroidalGains

HURRIED_FROM, HURRIED_AT = 0.15, 0.25
"""Displacements of a foothold from which on, and at which wholly, a step is hurried [m]..."""
FASTEST = 1.3
"""...by this rate of the plan's clock..."""
HURRIED_WEIGHT = 5.0
"""...and this factor of the weight of its swing: the posture, which is that of the plan, opposes it."""
LONGEST_WAIT_S = 0.15
"""How long the plan waits for a hurried foot [s]."""
LATE_DESCENT = 0.5
"""Velocity at which a foot that is waited for goes on down [m/s]."""
SETTLING_RATE, LONGEST_SETTLING_S = 0.3, 0.5
"""Rate of the clock while two feet that hold the body bring it to rest, and for how long at most [s]..."""
TURNING, APART = 0.5, 0.3
"""...as long as the body turns faster than this against the plan [rad/s], or its feet are further than this
from where they should be, relative to each other [m]."""
FOLLOWED = 0.05
"""Displacement of the next foothold below which a body is on its plan [m]."""
SOON_S = 0.6
"""A step of a body on two feet is hurried if it starts within this time [s]."""


class StepTiming:
    """How fast the plan's clock runs.

    hurry: 0 to 1, by how far the next foothold is from its plan
    waited_s: how long the plan has waited for the foot `late`, which has not landed yet; None is no foot [s]
    settled_s: how long the plan has gone slower since both feet stand [s]
    stepping (T): foot whose touchdown comes next; -1 where none swings or is lifted soon
    """

    def __init__(self, plan: TrackingPlan, gains: CentroidalGains) -> None:
        self.plan, self.gains = plan, gains
        self.hurry = self.waited_s = self.settled_s = 0.0
        self.late: int | None = None
        self._landed_hurried = False
        self._observed_s, self._interval_s, self._followed = 0.0, 0.0, False
        self.stepping = _stepping(plan, round(SOON_S / plan.reference.dt))

    def continue_from(self, earlier: StepTiming, moved_s: float) -> None:
        """Go on with another plan's hurried step; moved_s: by how much this one's time starts later [s]."""
        self.hurry, self.late, self.waited_s = earlier.hurry, earlier.late, earlier.waited_s
        self.settled_s, self._landed_hurried = earlier.settled_s, earlier._landed_hurried
        self._observed_s, self._followed = earlier._observed_s - moved_s, earlier.hurry > 0.0

    def observe(self, sample: int, time_s: float, touches: BoolArray, prediction: Prediction) -> None:
        """Find out whether a hurried foot that should stand has landed; touches (K): points that should."""
        landed = _just_landed(self.plan, sample) if self.hurry > 0.0 else None
        self.waited_s = 0.0 if self.late is None else self.waited_s + time_s - self._observed_s
        in_the_air = landed is not None and not self._is_down(landed, touches, prediction)
        self.late = landed if in_the_air and self.waited_s <= LONGEST_WAIT_S else None
        self._interval_s, self._observed_s = time_s - self._observed_s, time_s

    def _is_down(self, foot: int, touches: BoolArray, prediction: Prediction) -> bool:
        """Return whether a point of a foot that should touch is near the ground."""
        near = np.flatnonzero(touches)[prediction.near]
        return bool((self.plan.schedule.foot[near] == foot).any())

    def rate(self, sample: int, error: FloatArray, beyond: FloatArray, shift: FloatArray) -> float:
        """Return the rate of the plan's clock.

        error (16): against the plan displaced by `beyond` (2) [m]; shift (2, 2): of the feet [m]
        """
        if self.late is not None:
            return 0.0
        foot, self.hurry = int(self.stepping[sample]), 0.0
        if foot < 0:
            return 1.0
        away = self.gains.foothold[sample, foot] @ error + beyond - shift[1 - foot]
        far = float(np.linalg.norm(away))
        self._followed |= far < FOLLOWED
        if not self._followed:
            return 1.0
        self.hurry = min(max((far - HURRIED_FROM) / (HURRIED_AT - HURRIED_FROM), 0.0), 1.0)
        return 1.0 + (FASTEST - 1.0) * self.hurry

    def settling_rate(self, sample: int, error: FloatArray, shift: FloatArray, held: bool) -> float:
        """Return the most that the clock may run at: less while two feet bring a body to rest.

        After a push a hurried foot may land where it should, but the trunk turns on. One hip alone is not
        strong enough to stop it, so the plan lifts the other foot later.
        held: both feet stand, and the capture point lies above them
        """
        if not self.plan.schedule.stands[sample].all():
            self.settled_s, self._landed_hurried = 0.0, self.hurry > 0.0
        turning = np.linalg.solve(self.plan.inertia[sample], error[MOMENTUM])[:2]
        unsettled = np.linalg.norm(turning) > TURNING or np.linalg.norm(shift[0] - shift[1]) > APART
        if not (held and self._landed_hurried and unsettled and self.settled_s <= LONGEST_SETTLING_S):
            return FASTEST
        self.settled_s += self._interval_s
        return SETTLING_RATE

    @property
    def swing(self) -> float:
        """Factor of the weight of the swing."""
        return 1.0 + (HURRIED_WEIGHT - 1.0) * self.hurry


def _just_landed(plan: TrackingPlan, sample: int) -> int | None:
    """Return the foot that the plan has put down within the last two samples, or None."""
    stands = plan.schedule.stands
    landed = np.flatnonzero(stands[sample] & ~stands[max(sample - 2, 0)])
    return int(landed[0]) if len(landed) == 1 and stands[max(sample - 2, 0)].any() else None


def _stepping(plan: TrackingPlan, soon: int) -> IntArray:
    """Return the foot (T) whose step is under way or comes soon while the other one stands, or -1."""
    stands = plan.schedule.stands
    foot = np.full(len(plan), -1)
    for own in (1, 0):
        for lift, landing in true_intervals(~stands[:, own]):
            if not stands[lift:landing, 1 - own].all():
                continue
            both = np.asarray(stands[:lift].all(axis=1))
            first = max(lift - soon, lift - int(np.argmin(np.append(both[::-1], False))))
            foot[first:landing] = own
    return foot
