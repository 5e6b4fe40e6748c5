"""What is wrong with a motion, each thing once, with its time, value and limit.

The worst frames: problems that come together, told together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..character.part_names import joint_words, part_words
from ..result.metrics import LOST_DEG
from .measures import Side

SLIP_SPEED, SLIDE_CM = 0.1, 3.0
"""A standing foot that is faster slides [m/s]; it is told from this way on [cm]."""
SINK_MM = 10.0
OUTSIDE_SHARE = 0.05
"""Of body weight: more force from outside is told."""
TIPPING_M = 0.05
"""A moment from outside is told when the weight would need this lever to make it [m]."""
TREMBLE_DEG = 2.0
AT_LIMIT = 0.97
"""Share of a torque limit that counts as all of it."""
LASTING_S = 0.05
"""What is shorter is not seen [s]."""
JOIN_S = 0.15
"""Spells of the same problem that are closer are one [s]."""


@dataclass(frozen=True)
class Problem:
    """kind: fall, torque, slide, sink, force, moment, tremble or stray
    start_s, end_s, at_s: since the first sample; at_s: where it is worst
    value, limit: in the unit; text: without its time
    """

    kind: str
    start_s: float
    end_s: float
    at_s: float
    value: float
    limit: float
    unit: str
    text: str

    @property
    def severity(self) -> float:
        return self.value / self.limit


def find_problems(side: Side) -> tuple[Problem, ...]:
    """The worst first."""
    looks = (_torques, _slides, _sinks, _forces, _moments, _trembles, _strays)
    found = [problem for look in looks for problem in look(side)]
    return tuple(sorted(found, key=lambda problem: -problem.severity))


def lasting_intervals(flags: BoolArray, dt: float) -> list[tuple[int, int]]:
    """First and past-the-last sample of each spell, short gaps closed, then short spells left out."""
    joined: list[tuple[int, int]] = []
    for start, end in true_intervals(flags):
        if joined and (start - joined[-1][1]) * dt < JOIN_S:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [(start, end) for start, end in joined if (end - start) * dt > LASTING_S - 1e-9]


def _peaks(side: Side, values: FloatArray, limit: float) -> Iterator[tuple[int, int, int]]:
    """Start, end and worst sample of each spell in which values (T) are above the limit."""
    for start, end in lasting_intervals(values > limit, side.dt):
        yield start, end, start + int(values[start:end].argmax())


def _problem(
    side: Side, kind: str, interval: tuple[int, int, int], value: float, limit: float, unit: str, text: str
) -> Problem:
    start, end, worst = (float(side.time[min(k, len(side.time) - 1)]) for k in interval)
    return Problem(kind, start, end, worst, value, limit, unit, text)


def _torques(side: Side) -> Iterator[Problem]:
    """Joints above what they have, or at the end of it; each joint by its busiest axis."""
    segments = np.array([str(name).partition("/")[0] for name in side.axis_name])
    for segment in dict.fromkeys(segments.tolist()):
        mine = np.flatnonzero(segments == segment)
        used = side.used[:, mine]
        for interval in _peaks(side, used.max(axis=1), AT_LIMIT if side.simulated else 1.0):
            axis = int(mine[used[interval[2]].argmax()])
            needed, limit = abs(float(side.torque[interval[2], axis])), float(side.torque_limit[axis])
            words = joint_words(segment)
            text = f"the {words} would need {needed:.0f} Nm, limit {limit:.0f}"
            if side.simulated:
                seconds = (interval[1] - interval[0]) * side.dt
                text = f"the {words} gives all of its {limit:.0f} Nm for {seconds:.2f} s"
            yield _problem(side, "torque", interval, needed, limit, "Nm", text)


def _slides(side: Side) -> Iterator[Problem]:
    for foot, name in enumerate(side.foot_name):
        speed = side.foot_slip[:, foot]
        for interval in _peaks(side, speed, SLIP_SPEED):
            way_cm = 100.0 * float(speed[interval[0] : interval[1]].sum() * side.dt)
            if way_cm > SLIDE_CM:
                text = f"the {part_words(str(name))} slides {way_cm:.0f} cm"
                yield _problem(side, "slide", interval, way_cm, SLIDE_CM, "cm", text)


def _sinks(side: Side) -> Iterator[Problem]:
    for foot, name in enumerate(side.foot_name):
        depth = 1000.0 * side.foot_depth[:, foot]
        for interval in _peaks(side, depth, SINK_MM):
            text = f"the {part_words(str(name))} sinks {depth[interval[2]]:.0f} mm into the ground"
            yield _problem(side, "sink", interval, float(depth[interval[2]]), SINK_MM, "mm", text)


def _forces(side: Side) -> Iterator[Problem]:
    force, limit = side.outside_force, OUTSIDE_SHARE * side.weight
    for interval in _peaks(side, force, limit):
        most = float(force[interval[2]])
        share = f"{100.0 * most / side.weight:.0f} % of its weight"
        text = f"{most:.0f} N would have to come from nowhere ({share})"
        if side.simulated:
            text = f"help pushes with {most:.0f} N ({share})"
        yield _problem(side, "force", interval, most, limit, "N", text)


def _moments(side: Side) -> Iterator[Problem]:
    moment, limit = side.outside_moment, TIPPING_M * side.weight
    for interval in _peaks(side, moment, limit):
        most = float(moment[interval[2]])
        text = f"{most:.0f} Nm of turning would have to come from nowhere"
        if side.simulated:
            text = f"help turns with {most:.0f} Nm"
        yield _problem(side, "moment", interval, most, limit, "Nm", text)


def _trembles(side: Side) -> Iterator[Problem]:
    for interval in _peaks(side, side.tremble, TREMBLE_DEG):
        most = float(side.tremble[interval[2]])
        yield _problem(
            side, "tremble", interval, most, TREMBLE_DEG, "deg", f"joints tremble by {most:.1f} deg"
        )


def _strays(side: Side) -> Iterator[Problem]:
    for interval in _peaks(side, side.joint_error, LOST_DEG):
        most = float(side.joint_error[interval[2]])
        text = f"joints are {most:.0f} deg from the motion"
        yield _problem(side, "stray", interval, most, LOST_DEG, "deg", text)


TOGETHER_S = 0.1
"""Problems whose worst samples are closer are told together [s]."""
SHOWN = 12
"""Worst frames that are listed."""


@dataclass(frozen=True)
class Moment:
    """at_s: since the first sample; problems: the worst first"""

    at_s: float
    problems: tuple[Problem, ...]

    @property
    def text(self) -> str:
        return "; ".join(problem.text for problem in self.problems)


def worst_moments(problems: Sequence[Problem], most: int = SHOWN) -> tuple[Moment, ...]:
    """The worst first; each problem is in one of them."""
    left, moments = sorted(problems, key=lambda problem: -problem.severity), list[Moment]()
    while left and len(moments) < most:
        at = left[0].at_s
        near = [problem for problem in left if abs(problem.at_s - at) < TOGETHER_S]
        left = [problem for problem in left if abs(problem.at_s - at) >= TOGETHER_S]
        moments.append(Moment(at, tuple(near)))
    return tuple(moments)
