"""Methods of carrying out a motion: the usual one, and those that are tried when it falls (retries).

No single set of weights carries every motion. A draft takes the usual method; standard quality tries
the others only when the character falls; the best quality tries all and keeps the best. All are
equally physical: none of them helps from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..control.balance.centroidal_lqr import LqrScales
from ..control.tracking.tracker_settings import TrackerSettings
from ..motion.motion import CUTOFF_HZ
from ..reference.contacts import POINT_SPEED
from ..reference.dynamic_filter import FilterSettings
from ..scenario.dials import DialFactors

Preparation = tuple[float, float, FilterSettings]
"""What a prepared reference depends on: cut-off [Hz], speed of touching points [m/s], filter."""


@dataclass(frozen=True)
class Method:
    """How the reference is prepared and how it is tracked."""

    name: str
    cutoff_hz: float = CUTOFF_HZ
    point_speed: float = POINT_SPEED
    filter: FilterSettings = FilterSettings()
    tracker: TrackerSettings = TrackerSettings()
    balance: LqrScales = LqrScales()

    @property
    def preparation(self) -> Preparation:
        """Return what the prepared reference depends on."""
        return self.cutoff_hz, self.point_speed, self.filter


USUAL = Method("usual")
USUAL_DIALS = DialFactors()
SOFT_KNEES = TrackerSettings(stance_knee=0.1)
JUMPING = replace(SOFT_KNEES, flight_swing=50.0, flight_root_turn=4.0)
LANDING = replace(SOFT_KNEES, com=1000.0, no_slip=50.0, flight_swing=200.0, flight_root_turn=1.0)
FAST_TOES = 1.2
"""Toes that push off move this fast while they still touch [m/s]."""
FREE_LEGS = FilterSettings(legs=0.25)
"""Where the usual reference falls, legs may be changed further."""
RETRIES = (
    Method("free legs", filter=FREE_LEGS),
    Method(
        "soft knees, feet under the body in flight",
        12.0,
        FAST_TOES,
        FREE_LEGS,
        JUMPING,
        LqrScales(turn=0.15),
    ),
    Method("soft knees", 12.0, FAST_TOES, FREE_LEGS, SOFT_KNEES),
    Method("feet first", 12.0, FAST_TOES, replace(FREE_LEGS, acceleration=30.0), LANDING),
    Method(
        "soft knees, light on the centre of mass",
        filter=replace(FREE_LEGS, acceleration=30.0),
        tracker=replace(SOFT_KNEES, com=30.0),
    ),
    Method("light on the centre of mass", filter=FREE_LEGS, tracker=TrackerSettings(com=30.0, no_slip=50.0)),
)
BEST_ONLY = (
    Method("closer to the source", 12.0, tracker=TrackerSettings(stiffness=1200.0)),
    Method("firmer posture", tracker=TrackerSettings(joint=3.0, root_turn=36.0)),
    Method("grounded only", filter=FilterSettings(force=1e3, moment=1e3)),
)


def methods_for(quality: str, correction: float, dials: DialFactors = USUAL_DIALS) -> tuple[Method, ...]:
    """Return the methods in the order in which they are tried.

    correction: scales how far each may change the motion, from 0 to 1
    """
    of_quality = {
        "draft": (USUAL,),
        "standard": (USUAL, *RETRIES),
        "best": (USUAL, *RETRIES, *BEST_ONLY),
    }
    return tuple(
        replace(method, filter=method.filter.scaled(correction), tracker=_with_dials(method.tracker, dials))
        for method in of_quality[quality]
    )


def _with_dials(tracker: TrackerSettings, dials: DialFactors) -> TrackerSettings:
    return replace(
        tracker,
        stiffness=tracker.stiffness * dials.tracking,
        springs=tracker.springs * dials.springs,
        com=tracker.com * dials.balance,
    )
