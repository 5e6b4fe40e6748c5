"""Flights of a motion: a body in the air falls with gravity, if its rate and its size are right.

Frames captured at `true` Hz but played at `header` Hz fall at g (header / true)^2, and a body that is drawn
larger than it moves falls at g times its size over the true one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import GRAVITY, FloatArray
from ..base.intervals import true_intervals
from ..character.anthropometry import leg_length
from ..character.from_rig import RigCharacter
from ..character.posing import centre_of_mass, pose_from_motion, segment_poses
from ..character.spec import CharacterSpec, SegmentCapsule
from ..character.transfer import lowest_sole
from ..motion.motion import Motion
from ..reference.contacts import REFERENCE_LEG_LENGTH

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
AGREE_WITHIN = 0.4
"""Logarithm of the ratio of two falls below which flights agree with each other."""
AGREE_SHARE = 0.75
"""Share of the flight time that must agree."""


@dataclass(frozen=True)
class FreeFall:
    """A flight: its start since the motion's start [s], its number of samples, its acceleration [m/s^2]."""

    start_s: float
    frames: int
    fall: float


def common_fall(character: RigCharacter, motion: Motion) -> float | None:
    """Return the acceleration at which the flights of a motion fall [m/s^2].

    None where there are no flights, or where they do not agree with each other.
    """
    flights = tuple(find_flights(character, motion))
    if not flights:
        return None
    falls = np.array([flight.fall for flight in flights])
    seconds = np.array([flight.frames for flight in flights]) / motion.rate_hz * np.sqrt(falls / GRAVITY)
    middle = _median(falls, seconds)
    agree = np.abs(np.log(falls / middle)) < AGREE_WITHIN
    enough = seconds[agree].sum() >= max(LEAST_TOTAL_SECONDS, AGREE_SHARE * seconds.sum())
    return middle if enough else None


def find_flights(character: RigCharacter, motion: Motion) -> Iterator[FreeFall]:
    """Yield the intervals in which only gravity seems to act."""
    spec = character.spec
    poses = segment_poses(spec, pose_from_motion(spec, character.binding, motion))
    size = leg_length(character.binding) / REFERENCE_LEG_LENGTH
    soles = (lowest_sole(spec, *poses) - character.ground_height) / size
    others = (_lowest_capsule(spec, *poses) - character.ground_height) / size
    com = centre_of_mass(spec, *poses)
    for start, end in true_intervals(np.minimum(soles, others) > AIRBORNE):
        if end - start < LEAST_FRAMES or soles[start:end].max() < CLEARANCE:
            continue
        fall = _free_fall(motion.time[start:end], com[start:end])
        if fall is not None and (end - start) / motion.rate_hz * np.sqrt(fall / GRAVITY) > LEAST_SECONDS:
            yield FreeFall(float(motion.time[start] - motion.time[0]), end - start, fall)


def _median(values: FloatArray, weights: FloatArray) -> float:
    """Return the weighted median."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, 0.5 * reached[-1])])


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
