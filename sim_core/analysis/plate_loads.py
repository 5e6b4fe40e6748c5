"""Loads on the feet as measured by force plates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray, freeze
from ..base.intervals import true_intervals
from ..markers.marker_take import ForcePlate
from ..motion.motion import low_pass_values

CUTOFF_HZ = 20.0
"""Cutoff of the low-pass, below the frequencies at which plates ring [Hz]."""
LOADED_N = 20.0
"""A plate with a smaller vertical force counts as unloaded [N]."""
MARGIN = 0.02
"""A sole point may be this far outside of a plate, since soles are rounder than their corner points [m]."""
INNER_SOLE = 0.9
"""Share of a sole's length and width that must be on a plate. The tip of the shoe beyond an edge carries
little; of more, a part of the weight would be missing where plates weigh the body."""
MOST_ON_PLATE = 0.9
"""Share of the loaded time for which a foot must be wholly on a plate."""
OTHER_ON_PLATE = 0.3
"""Share of that time for which the other foot may be over the plate."""
AROUND_S = 0.05
"""A step on a plate starts this long before the load and ends this long after it [s]."""
RAISED = 0.05
"""A plate that is higher above the floor is a step [m]."""
ABOVE = 0.15
"""Feet that are higher above a plate pass over it; a foot on its toes has its heel below this height [m]."""
ASTRAY = 0.15
"""A force further from the middle of the sole on the plate is not where the sole is [m]. Half a sole is 14 cm
long; forces of steps that were measured rightly are usually 3 to 8 cm from its middle."""
PULLED_N, PULLED_SHARE = 100.0, 0.01
"""A plate that pulls more than this for more than this share of the time has the wrong sign: feet do not
stick to it. Plates that ring, or were not set to zero, pull less or for moments [N]."""
NEAR = 0.1
"""A foot whose sole's centre is at most this far outside of a plate may touch it [m]."""


@dataclass(frozen=True, eq=False)
class Load:
    """Force on one foot over time.

    foot: 0 or 1; time (S) [s]; force (S, 3) on the foot [N]
    point (S, 3): point of application [m]; moment (S, 3): about that point [Nm]
    """

    foot: int
    time: FloatArray
    force: FloatArray
    point: FloatArray
    moment: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "time", "force", "point", "moment")

    def at(self, time: FloatArray) -> Load:
        """Return the load at other times (T), zero while the plate is unloaded or did not measure."""
        rate = (len(self.time) - 1) / float(self.time[-1] - self.time[0])
        force = _sampled(time, self.time, low_pass_values(self.force, rate, CUTOFF_HZ))
        loaded = (force[:, 2] > LOADED_N) & (time >= self.time[0]) & (time <= self.time[-1])
        held = self.force[:, 2] > LOADED_N
        point, moment = (
            _sampled(time, self.time[held], values[held]) if held.any() else np.zeros((len(time), 3))
            for values in (self.point, self.moment)
        )
        zero = ~loaded[:, None]
        return Load(self.foot, time, np.where(zero, 0.0, force), point, np.where(zero, 0.0, moment))

    @property
    def loaded(self) -> BoolArray:
        """Whether there is a force at each sample (S)."""
        return np.asarray(np.abs(self.force).any(axis=1))


def loads_from_plates(
    plates: Sequence[ForcePlate], time: FloatArray, points: FloatArray, foot: IntArray, floor: float
) -> tuple[tuple[Load, ...], tuple[str, ...]]:
    """Return the loads of plates with a single foot wholly on them, and notes about the other plates.

    points (T, K, 3): of soles [m] at times (T); foot (K): 0 or 1
    floor: lowest height that feet stand on [m]; the part of a sole beyond the edge of a higher plate is in
    the air
    """
    loads: list[Load] = []
    left_out: list[int] = []
    pulling: list[int] = []
    astray: list[int] = []
    unknown: list[int] = []
    for number, plate in enumerate(plates, start=1):
        if not np.isfinite(plate.force_world).any():
            unknown.append(number)
            continue
        if (plate.force_world[:, 2] < -PULLED_N).mean() > PULLED_SHARE:
            pulling.append(number)
            continue
        carries = np.interp(time, plate.time, plate.force_world[:, 2]) > LOADED_N
        near = [_over(plate, points[:, foot == f].mean(axis=1, keepdims=True), NEAR) for f in (0, 1)]
        raised = bool(plate.corners_world[:, 2].min() > floor + RAISED)
        whole = near if raised else [_over(plate, _inner(points[:, foot == f]), MARGIN) for f in (0, 1)]
        for start, end in true_intervals(carries):
            now = slice(start, end)
            standing = int(np.argmax([own[now].mean() for own in near]))
            if whole[standing][now].mean() < MOST_ON_PLATE or near[1 - standing][now].mean() > OTHER_ON_PLATE:
                left_out.append(number)
            elif _away(plate, time[now], points[now][:, foot == standing]) > ASTRAY:
                astray.append(number)
            else:
                loads.append(_load(plate, standing, float(time[start]), float(time[end - 1])))
    reasons = (
        (unknown, "no force can be read from them; check their corners"),
        (pulling, "they pull the body down; check the signs of their channels and the order of corners"),
        (astray, "their force acts beside the foot that stands on them; check their corners and axes"),
        (left_out, "no single foot was wholly on them while they were loaded"),
    )
    return tuple(loads), tuple(
        f"Force plates left out because {reason}: {', '.join(map(str, dict.fromkeys(numbers)))}."
        for numbers, reason in reasons
        if numbers
    )


def _away(plate: ForcePlate, time: FloatArray, sole: FloatArray) -> float:
    """Return the usual distance of the pressure from the middle of a sole (T, K, 3), seen from above [m]."""
    known = np.isfinite(plate.pressure_world).all(axis=1)
    force = np.interp(time, plate.time, plate.force_world[:, 2])
    firm = force > 0.5 * force.max()
    if not known.any() or not firm.any():
        return 0.0
    point = _sampled(time, plate.time[known], plate.pressure_world[known])
    return float(np.median(np.linalg.norm((point - sole.mean(axis=1))[firm, :2], axis=1)))


def _load(plate: ForcePlate, foot: int, start_s: float, end_s: float) -> Load:
    """Return the load of one step on a plate."""
    step = (plate.time > start_s - AROUND_S) & (plate.time < end_s + AROUND_S)
    middle = plate.corners_world.mean(axis=0)
    point = np.where(np.isfinite(plate.pressure_world), plate.pressure_world, middle)
    moment = plate.moment_world - np.cross(point - middle, plate.force_world)
    # A sole cannot be pulled: about the centre of pressure only the moment about the vertical is left.
    force = np.where(step[:, None], plate.force_world, 0.0)
    return Load(foot, plate.time, force, point, moment * [0.0, 0.0, 1.0])


def _inner(points: FloatArray) -> FloatArray:
    """Return points (T, K, 3) of a sole, drawn towards its middle."""
    middle = points.mean(axis=1, keepdims=True)
    return np.asarray(middle + INNER_SOLE * (points - middle))


def _over(plate: ForcePlate, points: FloatArray, margin: float) -> BoolArray:
    """Return whether all points (T, K, 3) are close above the plate (T)."""
    low, high = plate.corners_world.min(axis=0)[:2] - margin, plate.corners_world.max(axis=0)[:2] + margin
    inside = (points[..., :2] > low) & (points[..., :2] < high)
    low_enough = points[..., 2] < plate.corners_world[:, 2].max() + ABOVE
    return np.asarray(inside.all(axis=(1, 2)) & low_enough.all(axis=1))


def _sampled(time: FloatArray, own: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.interp(time, own, column) for column in values.T], axis=1)
