"""Detection of a wrong frame rate: a body in the air must fall with gravity.

Frames captured at `true` Hz but played at `header` Hz fall at g (header / true)^2. So each flight
shows the rate at which its fall would be right: header * sqrt(g / fall). A body of a wrong size
has the same effect (g times its size over the true one); the message says so where that is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import GRAVITY, FloatArray
from ..base.intervals import true_intervals
from ..character.posing import centre_of_mass, pose_from_motion, segment_poses
from ..character.spec import CharacterSpec, SegmentCapsule
from ..character.transfer import lowest_sole
from ..reference.contacts import REFERENCE_LEG_LENGTH
from .scenario import Scenario

USUAL_HZ = np.array([24.0, 25.0, 30.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0])
USUAL_WITHIN = 0.08
"""An estimate within this share of a usual rate means that rate."""
WRONG_BEYOND = 1.25
"""Ratio of rates below which nothing is reported, because a body's masses are not known better."""
AIRBORNE = 0.03
"""Height of the lowest point from which a body is in flight, for a leg of 0.86 m [m]."""
CLEARANCE = 0.05
"""Height that the soles reach in a flight; less is ground that is not level [m]."""
LEAST_FRAMES = 6
"""Number of samples that a parabola needs."""
LEAST_SECONDS = 0.06
"""Shortest flight, at its right rate [s]."""
LEAST_TOTAL_SECONDS = 0.18
"""Shortest time of all flights together: a jump, or some steps of a run [s]."""
WORST_FIT = 0.06
"""RMS distance from the parabola, as a share of its height, from which the body was held."""
WORST_PUSH = 0.3
"""Horizontal acceleration, as a share of the vertical one, from which the body was pushed."""
AGREE_WITHIN = 0.2
"""Logarithm of the ratio of two rates below which flights agree with each other."""
AGREE_SHARE = 0.75
"""Share of the flight time that must agree."""
PERSON_M = (1.0, 2.3)
"""Heights that a person may have [m]."""


@dataclass(frozen=True)
class FreeFall:
    """A flight: its start since the motion's start [s], its number of samples, its acceleration [m/s^2]."""

    start_s: float
    frames: int
    fall: float


@dataclass(frozen=True)
class RateFinding:
    """A frame rate that does not fit the flights.

    estimated_hz: from the flights; usual_hz: the usual rate nearest to it; header_hz: as played
    height: of the body [m]
    """

    estimated_hz: float
    usual_hz: float
    header_hz: float
    flights: tuple[FreeFall, ...]
    height: float

    @property
    def fall(self) -> float:
        """Acceleration of the falls [m/s^2]."""
        return GRAVITY * (self.header_hz / self.estimated_hz) ** 2

    @property
    def fitting_height(self) -> float:
        """Height of a body that would fall like this at the given rate [m]."""
        return self.height * GRAVITY / self.fall

    @property
    def confident(self) -> bool:
        """Whether the body's size cannot be the reason."""
        return not PERSON_M[0] < self.fitting_height < PERSON_M[1]

    @property
    def message(self) -> str:
        """One sentence for the user with what to do."""
        found = f"In the air this motion falls at {self.fall:.1f} m/s^2 instead of {GRAVITY}: "
        rate = (
            f"it was probably captured at {self.usual_hz:g} frames a second, not {self.header_hz:g}; "
            f"set the frame rate to {self.usual_hz:g} (--fps {self.usual_hz:g})"
        )
        if self.confident:
            return f"{found}{rate}."
        return (
            f"{found}{rate}, or, if the rate is right, the height to {self.fitting_height:.2f} m "
            f"(--height {self.fitting_height:.2f})."
        )


def with_rate_note(scenario: Scenario) -> Scenario:
    """Return the scenario with a note on its frame rate, where the flights contradict it."""
    finding = check_frame_rate(scenario)
    return scenario if finding is None else scenario.with_notes(finding.message)


def check_frame_rate(scenario: Scenario) -> RateFinding | None:
    """Return how the flights contradict the motion's frame rate; None when they do not."""
    header_hz = scenario.repaired.rate_hz
    flights = tuple(_flights(scenario))
    if not flights:
        return None
    rates = np.array([header_hz * np.sqrt(GRAVITY / flight.fall) for flight in flights])
    seconds = np.array([flight.frames for flight in flights]) / rates
    estimated_hz = _median(rates, seconds)
    agree = np.abs(np.log(rates / estimated_hz)) < AGREE_WITHIN
    if seconds[agree].sum() < max(LEAST_TOTAL_SECONDS, AGREE_SHARE * seconds.sum()):
        return None
    usual_hz = float(USUAL_HZ[np.argmin(np.abs(np.log(USUAL_HZ / estimated_hz)))])
    wrong = abs(np.log(usual_hz / header_hz)) > np.log(WRONG_BEYOND)
    if not wrong or abs(np.log(usual_hz / estimated_hz)) > USUAL_WITHIN:
        return None
    return RateFinding(estimated_hz, usual_hz, round(header_hz, 2), flights, scenario.spec.height)


def _median(values: FloatArray, weights: FloatArray) -> float:
    """Return the weighted median."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, 0.5 * reached[-1])])


def _flights(scenario: Scenario) -> Iterator[FreeFall]:
    """Yield the intervals in which only gravity seems to act."""
    spec, motion = scenario.spec, scenario.repaired
    poses = segment_poses(spec, pose_from_motion(spec, scenario.binding, motion))
    size = scenario.leg_length / REFERENCE_LEG_LENGTH
    soles = (lowest_sole(spec, *poses) - scenario.ground_height) / size
    others = (_lowest_capsule(spec, *poses) - scenario.ground_height) / size
    com = centre_of_mass(spec, *poses)
    for start, end in true_intervals(np.minimum(soles, others) > AIRBORNE):
        if end - start < LEAST_FRAMES or soles[start:end].max() < CLEARANCE:
            continue
        fall = _free_fall(motion.time[start:end], com[start:end])
        if fall is not None and (end - start) / motion.rate_hz * np.sqrt(fall / GRAVITY) > LEAST_SECONDS:
            yield FreeFall(float(motion.time[start] - motion.time[0]), end - start, fall)


def _free_fall(time: FloatArray, com: FloatArray) -> float | None:
    """Return the downward acceleration [m/s^2] of a centre of mass (T, 3) in free fall, else None."""
    elapsed = time - time.mean()
    terms = np.polynomial.polynomial.polyfit(elapsed, com, 2)
    fitted = np.polynomial.polynomial.polyval(elapsed, terms).T
    acceleration = 2.0 * terms[2]
    fall = -float(acceleration[2])
    height = fall * (time[-1] - time[0]) ** 2 / 8.0
    distance = float(np.sqrt(((com - fitted)[:, 2] ** 2).mean()))
    pushed = float(np.linalg.norm(acceleration[:2]))
    return None if fall <= 0.0 or distance > WORST_FIT * height or pushed > WORST_PUSH * fall else fall


def _lowest_capsule(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return the height of the lowest surface point of all capsules (T) [m]."""
    heights = [
        positions[:, i, 2] + rotations.rotate(quaternions[:, i], end)[:, 2] - shape.radius
        for i, segment in enumerate(spec)
        for shape in segment.shapes
        if isinstance(shape, SegmentCapsule)
        for end in (shape.start, shape.end)
    ]
    return np.min(heights, axis=0)
