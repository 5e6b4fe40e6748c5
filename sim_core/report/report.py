"""The judgement of a motion before and after its simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..analysis.analysis import analyse_result, centre_of_mass
from ..base.conventions import FloatArray
from ..result.metrics import joint_error_deg, tremble_deg
from ..result.result import Result
from ..simulation.kinematic import lower_body
from .motion_series import MotionSeries, figures_of
from .problems import MotionProblem, WorstFrame, find_problems, worst_frames
from .score import PART_WORDS, Score, score_of

KINEMATIC_LEGS = "hips and legs follow the clip, and the forces on them are not known"
"""Why external forces are not known if only the upper body was simulated."""
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

    def as_dict(self) -> dict[str, Any]:
        """Return the judgement as it is stored in files."""
        return {
            "figures": dict(self.figures),
            "score": {"total": self.score.total, "verdict": self.score.verdict, **self.score.parts},
            "not_judged": self.not_judged,
            "problems": [asdict(problem) for problem in self.problems],
            "moments": [{"at_s": worst.at_s, "text": worst.text} for worst in self.worst_frames],
        }


@dataclass(frozen=True, eq=False)
class Report:
    """before: the source; after: the simulated or plausible motion, None if there is none."""

    before: Judged
    after: Judged | None

    @property
    def shown(self) -> Judged:
        """The motion whose worst frames are shown: the result if there is one, otherwise the source."""
        return self.after or self.before

    def as_dict(self) -> dict[str, Any]:
        """Return the report as it is stored in files."""
        return {"before": self.before.as_dict(), "after": self.after and self.after.as_dict()}


def make_report(result: Result) -> Report:
    """Return the report of a result."""
    return Report(_judged(_before(result), result.meta.get("source_metrics", {})), _judged_after(result))


def _judged_after(result: Result) -> Judged | None:
    if (result.simulated == 1.0).any():
        unknown = dict.fromkeys(FEET_FIGURES) if _feet_animated(result) else {}
        return _judged(_simulated(result), {**result.meta["metrics"], **unknown}, _fall(result))
    plausible = result.meta.get("plausible_metrics")
    return _judged(_plausible(result), plausible) if plausible else None


def with_report(result: Result) -> Result:
    """Return the result with its report, for programs that only show it."""
    return replace(result, meta={**result.meta, "report": make_report(result).as_dict()})


def _judged(
    series: MotionSeries, measured: Mapping[str, Any], fall: tuple[MotionProblem, ...] = ()
) -> Judged:
    figures, problems = figures_of(series, measured), find_problems(series)
    if fall:  # problems after the fall are not worth reporting
        problems = (*fall, *(problem for problem in problems if problem.at_s < fall[0].at_s))
    score = score_of(figures)
    return Judged(series, figures, score, problems, _not_judged(series, score))


def _not_judged(series: MotionSeries, score: Score) -> str:
    missing = [words.lower() for part, words in PART_WORDS.items() if part not in score.parts]
    if not missing:
        return ""
    return f"Not judged: {', '.join(missing)}, because {series.unknown_support or SHORT}."


def _fall(result: Result) -> tuple[MotionProblem, ...]:
    """Return the fall of the character, if any, with its most likely cause."""
    at = result.meta.get("fell_at")
    if at is None:
        return ()
    causes = (result.meta.get("failure") or {}).get("causes") or ()
    text = "; ".join(["the character falls", *(str(cause["text"]) for cause in causes[:1])])
    end = float(result.time[-1] - result.time[0])
    return (MotionProblem("fall", at, end, at, FALL_SEVERITY, 1.0, "", text),)


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
    if result.meta["settings"].get("only", "whole") != "whole":
        return KINEMATIC_LEGS
    return ANIMATED if result.meta.get("animated") else ""


def _feet_animated(result: Result) -> bool:
    """Return whether bones of the legs show the clip, in part or wholly."""
    shown = (result.meta.get("animated") or {}).get("bones", {})
    return any(str(result.joint_name[i]) in shown for i in lower_body(result.body_name.tolist()))


def _tremble(result: Result, quaternion: np.ndarray) -> np.ndarray:
    return tremble_deg(quaternion, result.joint_parent, float(result.time[1] - result.time[0]))
