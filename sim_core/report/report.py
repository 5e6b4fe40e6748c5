"""The judgement of a motion before and after its simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..analysis.analysis import analyse_result, centre_of_mass
from ..base.conventions import FloatArray
from ..result.metrics import MotionMetrics, joint_error_deg, tremble_deg
from ..result.report_records import Judgement, MotionProblem, ReportRecord, ScoreRecord, WorstFrameRecord
from ..result.result import Result
from ..scenario.job import settings_from_dict
from ..simulation.kinematic import lower_body
from .motion_series import MotionSeries, figures_of
from .problems import FALL, WorstFrame, find_problems, in_order, worst_frames
from .score import PART_WORDS, Score, score_of
from .visible_faults import visible_faults

KINEMATIC = {
    "upper": "hips and legs follow the clip, and the forces on them are not known",
    "soft": "the body follows the clip, and the forces on it are not known",
}
"""Why external forces are not known if only a part was simulated, by that part."""
ANIMATED = "some bones show the clip, and the forces on them are not known"
"""Why external forces are not known if some bones show the clip."""
FEET_FIGURES = ("skate_cm_s", "penetration_mean_mm", "penetration_max_mm")
SHORT = "the motion is too short for forces"
"""Why forces are not known for a short motion."""
FALL_SEVERITY = 100.0
"""Severity of a fall, larger than that of all other problems."""


@dataclass(frozen=True, eq=False)
class Judged:
    """One motion with its figures, score and problems; figures: by the names of docs/metrics.md.

    not_judged: which parts of the score are missing, and why; empty if none is
    """

    series: MotionSeries
    figures: Mapping[str, Any]
    score: Score
    problems: tuple[MotionProblem, ...]
    not_judged: str

    @property
    def worst_frames(self) -> tuple[WorstFrame, ...]:
        """The frames with the worst problems, the worst first."""
        return worst_frames(self.problems)

    def record(self) -> Judgement:
        """Return the judgement as it is stored in files."""
        return Judgement(
            self.figures,
            ScoreRecord(self.score.total, self.score.verdict, **self.score.parts),
            self.not_judged,
            self.problems,
            tuple(WorstFrameRecord(worst.at_s, worst.text) for worst in self.worst_frames),
        )


@dataclass(frozen=True, eq=False)
class Report:
    """before: the source; after: the simulated or plausible motion, None if there is none."""

    before: Judged
    after: Judged | None

    @property
    def shown(self) -> Judged:
        """The motion whose worst frames are shown: the result if there is one, otherwise the source."""
        return self.after or self.before

    def record(self) -> ReportRecord:
        """Return the report as it is stored in files."""
        return ReportRecord(self.before.record(), None if self.after is None else self.after.record())


def make_report(result: Result) -> Report:
    """Return the report of a result."""
    return Report(_judged(_before(result), result.meta.source_metrics), _judged_after(result))


def _judged_after(result: Result) -> Judged | None:
    if result.meta.metrics is not None:
        unknown = FEET_FIGURES if _feet_animated(result) else ()
        seen = (*_fall(result), *visible_faults(result))
        return _judged(_simulated(result), result.meta.metrics, unknown, seen)
    plausible = result.meta.plausible_metrics
    return None if plausible is None else _judged(_plausible(result), plausible)


def with_report(result: Result) -> Result:
    """Return the result with its report, for programs that only show it."""
    return replace(result, meta=replace(result.meta, report=make_report(result).record()))


def _judged(
    series: MotionSeries,
    measured: MotionMetrics,
    unknown: Sequence[str] = (),
    seen: tuple[MotionProblem, ...] = (),
) -> Judged:
    """Judge a motion by its measures.

    unknown: names of those that say nothing about it; seen: problems that no measure shows
    """
    figures = {**figures_of(series, measured), **dict.fromkeys(unknown)}
    problems = in_order((*seen, *find_problems(series)))
    fell_s = min((problem.at_s for problem in seen if problem.kind == FALL), default=np.inf)
    # Problems after a fall are not worth reporting.
    problems = tuple(own for own in problems if own.kind == FALL or own.at_s < fell_s)
    score = score_of(figures)
    return Judged(series, figures, score, problems, _not_judged(series, score))


def _not_judged(series: MotionSeries, score: Score) -> str:
    missing = [words.lower() for part, words in PART_WORDS.items() if part not in score.parts]
    if not missing:
        return ""
    return f"Not judged: {', '.join(missing)}, because {series.unknown_support or SHORT}."


def _fall(result: Result) -> tuple[MotionProblem, ...]:
    """Return the fall of the character, if any, with its most likely cause."""
    at, failure = result.meta.fell_at, result.meta.failure
    if at is None:
        return ()
    causes = () if failure is None else failure.causes[:1]
    text = "; ".join(["the character falls", *(cause.text for cause in causes)])
    end = float(result.time[-1] - result.time[0])
    return (MotionProblem(FALL, at, end, at, FALL_SEVERITY, 1.0, "", text),)


def _before(result: Result) -> MotionSeries:
    return _unsimulated(
        result,
        com=result.source_com,
        foot_force=result.source_foot_force,
        foot_slip=result.source_foot_slip,
        foot_depth=result.source_foot_depth,
        torque=result.source_torque,
        residual=result.source_residual,
        tremble=_tremble(result, result.source_joint_quaternion_world),
    )


def _plausible(result: Result) -> MotionSeries:
    return _unsimulated(
        result,
        com=centre_of_mass(result.body_com, result.body_mass),
        foot_force=result.plausible_foot_force,
        foot_slip=result.foot_slip,
        foot_depth=result.foot_depth,
        torque=result.plausible_torque,
        residual=result.plausible_residual,
        tremble=_tremble(result, result.joint_quaternion_world),
    )


def _unsimulated(result: Result, **own: FloatArray) -> MotionSeries:
    """Return the series of a motion with the forces that it would need; unknown if it is too short."""
    samples, feet, axes = len(result.time), len(result.foot_name), len(result.torque_limit)
    forces = own["residual"].size > 0
    if not forces:
        own |= {
            "foot_force": np.zeros((samples, feet, 3)),
            "torque": np.zeros((samples, axes)),
            "residual": np.zeros((samples, 6)),
        }
    return MotionSeries(
        simulated=False,
        time=result.time - result.time[0],
        mass=float(result.body_mass.sum()),
        known=np.full(samples, forces),
        foot_name=result.foot_name,
        axis_name=result.torque_name,
        torque_limit=result.torque_limit,
        assist=np.zeros((samples, 6)),
        joint_error=np.zeros(samples),
        unknown_support="",
        **own,
    )


def _simulated(result: Result) -> MotionSeries:
    analysis = analyse_result(result)
    names = [str(name) for name in analysis.foot_name]
    feet = [names.index(str(name)) for name in result.foot_name]
    feet_known = 0.0 if _feet_animated(result) else 1.0
    return MotionSeries(
        simulated=True,
        unknown_support=_unknown_support(result),
        time=result.time - result.time[0],
        mass=analysis.mass,
        com=analysis.com,
        known=analysis.known,
        foot_name=result.foot_name,
        foot_force=analysis.foot_force[:, feet],
        foot_slip=feet_known * result.foot_slip,
        foot_depth=feet_known * result.foot_depth,
        axis_name=analysis.axis_name,
        torque=analysis.torque,
        torque_limit=analysis.torque_limit,
        residual=analysis.residual,
        assist=analysis.assist,
        joint_error=joint_error_deg(
            result.joint_quaternion_world, result.reference_joint_quaternion_world, result.joint_parent
        ),
        tremble=_tremble(result, result.joint_quaternion_world),
    )


def _unknown_support(result: Result) -> str:
    only = settings_from_dict(result.meta.settings, "the result").only
    if only in KINEMATIC:
        return KINEMATIC[only]
    return "" if result.meta.animated is None else ANIMATED


def _feet_animated(result: Result) -> bool:
    """Return whether bones of the legs show the clip, in part or wholly."""
    animated = result.meta.animated
    shown = {} if animated is None else animated.bones
    return any(str(result.joint_name[i]) in shown for i in lower_body(result.body_name.tolist()))


def _tremble(result: Result, quaternion: np.ndarray) -> np.ndarray:
    return tremble_deg(quaternion, result.joint_parent, float(result.time[1] - result.time[0]))
