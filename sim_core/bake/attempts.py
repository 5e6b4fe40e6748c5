"""Ways to carry out a motion, from the usual one to those for motions that need another.

No single set of weights carries every motion. A draft takes the usual one; standard quality tries
the others only when the character falls; the best quality tries all and keeps the best. All are
equally physical: none of them helps from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..control.balance.centroidal_lqr import LqrScales
from ..control.tracking.tracker_settings import TrackerSettings
from ..motion.smoothing import CUTOFF_HZ
from ..reference.contacts import POINT_SPEED
from ..reference.dynamic_filter import FilterSettings
from ..scenario.dials import Tuning

Preparation = tuple[float, float, FilterSettings]
"""What a prepared reference depends on: cut-off [Hz], speed of touching points [m/s], filter."""


@dataclass(frozen=True)
class Attempt:
    """One way: how the reference is prepared and how it is tracked."""

    name: str
    cutoff_hz: float = CUTOFF_HZ
    point_speed: float = POINT_SPEED
    filter: FilterSettings = FilterSettings()
    tuning: TrackerSettings = TrackerSettings()
    balance: LqrScales = LqrScales()

    @property
    def preparation(self) -> Preparation:
        return self.cutoff_hz, self.point_speed, self.filter


USUAL = Attempt("usual")
AS_USUAL = Tuning()
SOFT_KNEES = TrackerSettings(stance_knee=0.1)
JUMPING = replace(SOFT_KNEES, flight_swing=50.0, flight_root_turn=4.0)
LANDING = replace(SOFT_KNEES, com=1000.0, no_slip=50.0, flight_swing=200.0, flight_root_turn=1.0)
FAST_TOES = 1.2
"""Toes that push off move this fast while they still touch [m/s]."""
FREE_LEGS = FilterSettings(legs=0.25)
"""Where the usual reference falls, legs may be changed further."""
OTHERS = (
    Attempt("free legs", filter=FREE_LEGS),
    Attempt(
        "soft knees, feet under the body in flight",
        12.0,
        FAST_TOES,
        FREE_LEGS,
        JUMPING,
        LqrScales(turn=0.15),
    ),
    Attempt("soft knees", 12.0, FAST_TOES, FREE_LEGS, SOFT_KNEES),
    Attempt("feet first", 12.0, FAST_TOES, replace(FREE_LEGS, acceleration=30.0), LANDING),
    Attempt(
        "soft knees, light on the centre of mass",
        filter=replace(FREE_LEGS, acceleration=30.0),
        tuning=replace(SOFT_KNEES, com=30.0),
    ),
    Attempt("light on the centre of mass", filter=FREE_LEGS, tuning=TrackerSettings(com=30.0, no_slip=50.0)),
)
LUXURY = (
    Attempt("closer to the source", 12.0, tuning=TrackerSettings(stiffness=1200.0)),
    Attempt("firmer posture", tuning=TrackerSettings(joint=3.0, root_turn=36.0)),
    Attempt("grounded only", filter=FilterSettings(force=1e3, moment=1e3)),
)


def attempts_for(quality: str, correction: float, dials: Tuning = AS_USUAL) -> tuple[Attempt, ...]:
    """In the order in which they are tried; correction scales how far each may change the motion."""
    ways = {"draft": (USUAL,), "standard": (USUAL, *OTHERS), "best": (USUAL, *OTHERS, *LUXURY)}[quality]
    return tuple(
        replace(way, filter=way.filter.scaled(correction), tuning=_tuned(way.tuning, dials)) for way in ways
    )


def _tuned(tuning: TrackerSettings, dials: Tuning) -> TrackerSettings:
    return replace(
        tuning,
        stiffness=tuning.stiffness * dials.tracking,
        springs=tuning.springs * dials.springs,
        com=tuning.com * dials.balance,
    )
