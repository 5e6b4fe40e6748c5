"""Feet against the plates they stand on, whether their forces are estimated or simulated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim_core.analysis.analysis import Analysis
from sim_core.analysis.plate_loads import CUTOFF_HZ
from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray
from sim_core.base.intervals import true_intervals
from sim_core.markers.marker_take import MarkerTake
from sim_core.motion.motion import low_pass_values

from ..common.tables import Row
from .captures import ForceTake

EDGE = 5
"""Samples at both ends of a take that are not judged, because differences are one-sided there."""
LOADED_N, CARRIES = 20.0, 0.02
"""A plate is loaded above this force [N]; an estimated foot carries above this share of the weight."""


@dataclass(frozen=True, eq=False)
class Step:
    """Forces (T, 3) [N] of one foot on one plate at the times (T) that are compared.

    alone (T): whether nothing else carries the body
    """

    take: str
    plate: str
    side: str
    time: FloatArray
    estimated: FloatArray
    measured: FloatArray
    alone: BoolArray


def steps_of(take: ForceTake, markers: MarkerTake, found: Analysis) -> list[Step]:
    """Return each foot over the time in which its plate measures it: steps, and the swings beside them."""
    steps = []
    for name, side, time_s, plate_force in _plates(take, markers):
        foot = "LR".index(side)
        force = at_times(found.time, time_s, smooth(plate_force, time_s))
        intervals = true_intervals(force[:, 2] > LOADED_N)
        if take.plate_file is None:  # a plate is loaded once; what else it shows is another foot
            intervals = [max(intervals, key=lambda interval: interval[1] - interval[0])]
        carries = found.foot_force[:, foot, 2] > CARRIES * found.mass * GRAVITY
        first, last = _with_swings(carries, intervals[0][0], intervals[-1][1])
        part = slice(max(first, EDGE), min(last, len(carries) - EDGE))
        alone = found.foot_force[:, 1 - foot, 2] < 1.0
        steps.append(
            Step(
                take.name,
                name,
                side,
                found.time[part],
                found.foot_force[part, foot],
                force[part],
                np.asarray(alone[part]),
            )
        )
    return steps


def _plates(take: ForceTake, markers: MarkerTake) -> list[tuple[str, str, FloatArray, FloatArray]]:
    """Return name, side, times (S) and force on the foot (S, 3) of each plate that is compared."""
    if take.plate_file is not None:
        return [("plates", "LR"[load.foot], load.time, load.force) for load in take.plate_file.loads()]
    plates = {number: markers.plates[number - 1] for number in take.steps}
    return [
        (f"plate {number}", take.steps[number], plate.time, plate.force_world)
        for number, plate in plates.items()
    ]


def smooth(force: FloatArray, time_s: FloatArray) -> FloatArray:
    """Return forces (S, ...) without what is above the plates' cut-off."""
    rate = (len(time_s) - 1) / float(time_s[-1] - time_s[0])
    return low_pass_values(force, rate, CUTOFF_HZ)


def at_times(time_s: FloatArray, own: FloatArray, values: FloatArray) -> FloatArray:
    """Return values (S, n) at other times (T, n)."""
    return np.stack([np.interp(time_s, own, column) for column in values.T], axis=1)


def _with_swings(carries: BoolArray, start: int, end: int) -> tuple[int, int]:
    """Return the samples from the end of the contact before to the start of the one after."""
    while start > 0 and carries[start - 1]:
        start -= 1
    while start > 0 and not carries[start - 1]:
        start -= 1
    while end < len(carries) and carries[end]:
        end += 1
    while end < len(carries) and not carries[end]:
        end += 1
    return start, end


def step_row(step: Step, mass: float, subject_mass: float) -> Row:
    """Return correlation and RMS difference as a share of the weight, for each axis; and at the best lag.

    mass: that the forces were estimated with; subject_mass: whose weight errors are a share of [kg]
    """
    weight = subject_mass * GRAVITY
    forward = int(np.argmax(np.ptp(step.measured[:, :2], axis=0)))
    row: dict[str, object] = {"name": step.take, "plate": step.plate, "side": step.side}
    for name, axis in (("vertical", 2), ("fore_aft", forward), ("sideways", 1 - forward)):
        mine, theirs = step.estimated[:, axis], step.measured[:, axis]
        row[f"{name}_r"] = correlation(mine, theirs)
        row[f"{name}_error"] = float(100.0 * np.sqrt(((mine - theirs) ** 2).mean()) / weight)
    row["impulse_ratio"] = float(step.estimated[:, 2].sum() / step.measured[:, 2].sum())
    row["lag_ms"], row["lag_r"] = _best_lag(step)
    # While one foot carries all, the estimate is mass times acceleration: nothing is shared, or chosen.
    alone = step.alone & (step.estimated[:, 2] > LOADED_N) & (step.measured[:, 2] > LOADED_N)
    row["plate_mass"] = mass * float(step.measured[alone, 2].sum() / step.estimated[alone, 2].sum())
    return row


def correlation(mine: FloatArray, theirs: FloatArray) -> float:
    """Return Pearson's r of two series (T)."""
    return float(np.corrcoef(mine, theirs)[0, 1])


def _best_lag(step: Step) -> tuple[float, float]:
    """Return how much later the plate is than the motion [ms], and the vertical correlation then."""
    mine, theirs = step.estimated[:, 2], step.measured[:, 2]
    lags = range(-4, 5)
    found = [correlation(mine[4 - lag : len(mine) - 4 - lag], theirs[4 : len(theirs) - 4]) for lag in lags]
    best = int(np.argmax(found))
    return 10.0 * lags[best], found[best]
