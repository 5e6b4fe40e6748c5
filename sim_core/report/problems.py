"""Problems of a motion with their time, value and limit, and its worst frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..recognition.mapping import joint_label, part_label
from ..result.metrics import LOST_DEG
from ..result.report_records import MotionProblem
from .motion_series import MotionSeries

SLIP_SPEED, SLIDE_CM = 0.1, 3.0
"""A standing foot that is faster slides [m/s]; shorter slides are not reported [cm]."""
SINK_MM = 10.0
"""Feet that sink less are not reported [mm]."""
OUTSIDE_SHARE = 0.05
"""Smaller external forces are not reported, as a share of body weight."""
TIPPING_M = 0.05
"""Smaller external moments are not reported: lever arm of the body weight that would give the moment [m]."""
TREMBLE_DEG = 2.0
"""Smaller trembling is not reported [deg]."""
AT_LIMIT = 0.97
"""Share of a torque limit from which a joint counts as being at its limit."""
LASTING_S = 0.05
"""Shorter problems cannot be seen and are left out [s]."""
JOIN_S = 0.15
"""Intervals of the same problem with a shorter gap are joined [s]."""


FALL, LEGS, HANDS, DRIFT, JOINT = "fall", "legs", "hands", "drift", "joint"
VISIBLE = (LEGS, HANDS, DRIFT, JOINT)
"""Kinds of problems that anybody sees, though the body did not fall (visible_faults.py)."""


def find_problems(series: MotionSeries) -> tuple[MotionProblem, ...]:
    """Return all problems of a motion, the worst first."""
    detectors = (_torques, _slides, _sinks, _forces, _moments, _trembles, _strays)
    return in_order([problem for detect in detectors for problem in detect(series)])


def in_order(problems: Sequence[MotionProblem]) -> tuple[MotionProblem, ...]:
    """Return problems in the order in which they are shown: what anybody sees, then the worst."""
    return tuple(
        sorted(problems, key=lambda problem: (problem.kind not in (FALL, *VISIBLE), -problem.severity))
    )


def lasting_intervals(flags: BoolArray, dt: float) -> list[tuple[int, int]]:
    """Return first and past-the-last sample of each interval, gaps closed and short ones left out."""
    joined: list[tuple[int, int]] = []
    for start, end in true_intervals(flags):
        if joined and (start - joined[-1][1]) * dt < JOIN_S:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [(start, end) for start, end in joined if (end - start) * dt > LASTING_S - 1e-9]


def _peaks(series: MotionSeries, values: FloatArray, limit: float) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and worst sample of each interval in which values (T) are above the limit."""
    for start, end in lasting_intervals(values > limit, series.dt):
        yield start, end, start + int(values[start:end].argmax())


def _problem(
    series: MotionSeries,
    kind: str,
    interval: tuple[int, int, int],
    value: float,
    limit: float,
    unit: str,
    text: str,
) -> MotionProblem:
    start, end, worst = (float(series.time[min(k, len(series.time) - 1)]) for k in interval)
    return MotionProblem(kind, start, end, worst, value, limit, unit, text)


def _torques(series: MotionSeries) -> Iterator[MotionProblem]:
    """Yield the joints that exceed or reach their torque limit, each by its busiest axis."""
    segments = np.array([str(name).partition("/")[0] for name in series.axis_name])
    for segment in dict.fromkeys(segments.tolist()):
        own = np.flatnonzero(segments == segment)
        used = series.used[:, own]
        for interval in _peaks(series, used.max(axis=1), AT_LIMIT if series.simulated else 1.0):
            axis = int(own[used[interval[2]].argmax()])
            needed, limit = abs(float(series.torque[interval[2], axis])), float(series.torque_limit[axis])
            words = joint_label(segment)
            text = f"the {words} would need {needed:.0f} Nm, limit {limit:.0f}"
            if series.simulated:
                seconds = (interval[1] - interval[0]) * series.dt
                text = f"the {words} gives all of its {limit:.0f} Nm for {seconds:.2f} s"
            yield _problem(series, "torque", interval, needed, limit, "Nm", text)


def _slides(series: MotionSeries) -> Iterator[MotionProblem]:
    for foot, name in enumerate(series.foot_name):
        speed = series.foot_slip[:, foot]
        for interval in _peaks(series, speed, SLIP_SPEED):
            distance_cm = 100.0 * float(speed[interval[0] : interval[1]].sum() * series.dt)
            if distance_cm > SLIDE_CM:
                text = f"the {part_label(str(name))} slides {distance_cm:.0f} cm"
                yield _problem(series, "slide", interval, distance_cm, SLIDE_CM, "cm", text)


def _sinks(series: MotionSeries) -> Iterator[MotionProblem]:
    for foot, name in enumerate(series.foot_name):
        depth = 1000.0 * series.foot_depth[:, foot]
        for interval in _peaks(series, depth, SINK_MM):
            text = f"the {part_label(str(name))} sinks {depth[interval[2]]:.0f} mm into the ground"
            yield _problem(series, "sink", interval, float(depth[interval[2]]), SINK_MM, "mm", text)


def _forces(series: MotionSeries) -> Iterator[MotionProblem]:
    force, limit = series.outside_force, OUTSIDE_SHARE * series.weight
    for interval in _peaks(series, force, limit):
        most = float(force[interval[2]])
        share = f"{100.0 * most / series.weight:.0f} % of its weight"
        text = f"{most:.0f} N are not explained by contacts ({share})"
        if series.simulated:
            text = f"the assist pushes with {most:.0f} N ({share})"
        yield _problem(series, "force", interval, most, limit, "N", text)


def _moments(series: MotionSeries) -> Iterator[MotionProblem]:
    moment, limit = series.outside_moment, TIPPING_M * series.weight
    for interval in _peaks(series, moment, limit):
        most = float(moment[interval[2]])
        text = f"{most:.0f} Nm are not explained by contacts"
        if series.simulated:
            text = f"the assist turns with {most:.0f} Nm"
        yield _problem(series, "moment", interval, most, limit, "Nm", text)


def _trembles(series: MotionSeries) -> Iterator[MotionProblem]:
    for interval in _peaks(series, series.tremble, TREMBLE_DEG):
        most = float(series.tremble[interval[2]])
        yield _problem(
            series, "tremble", interval, most, TREMBLE_DEG, "deg", f"joints tremble by {most:.1f} deg"
        )


def _strays(series: MotionSeries) -> Iterator[MotionProblem]:
    for interval in _peaks(series, series.joint_error, LOST_DEG):
        most = float(series.joint_error[interval[2]])
        text = f"joints are {most:.0f} deg from the motion"
        yield _problem(series, "stray", interval, most, LOST_DEG, "deg", text)


TOGETHER_S = 0.1
"""Problems whose worst samples are closer in time share one frame [s]."""
SHOWN = 12
"""Number of worst frames that are listed."""


@dataclass(frozen=True)
class WorstFrame:
    """A time with problems; at_s: since the first sample; problems: the worst first."""

    at_s: float
    problems: tuple[MotionProblem, ...]

    @property
    def text(self) -> str:
        """Description of all its problems."""
        return "; ".join(problem.text for problem in self.problems)


def worst_frames(problems: Sequence[MotionProblem], most: int = SHOWN) -> tuple[WorstFrame, ...]:
    """Return the frames with the worst problems, the worst first; each problem is in one of them."""
    left, frames = list(in_order(problems)), list[WorstFrame]()
    while left and len(frames) < most:
        at = left[0].at_s
        near = [problem for problem in left if abs(problem.at_s - at) < TOGETHER_S]
        left = [problem for problem in left if abs(problem.at_s - at) >= TOGETHER_S]
        frames.append(WorstFrame(at, tuple(near)))
    return tuple(frames)
