"""What a retargeting reports to the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...sim_core.base.wording import for_blender
from ...sim_core.jobs.retarget_job import RetargetOutcome
from .retarget_inputs import HeftRetarget, HeftRetargetFigures

SHOWN = ("skate_cm_s", "penetration_max_cm", "upper_deg", "legs_deg")


@dataclass(frozen=True)
class RetargetReport:
    """New actions, figures of the motion and of its simulation, the frame of a fall, and notes.

    joint_error_deg: of the simulated motion from the retargeted one
    """

    target_name: str
    action_name: str
    simulated_name: str | None
    leg_ratio: float
    metrics: Mapping[str, Any]
    simulated_metrics: Mapping[str, Any]
    joint_error_deg: float
    fell_frame: int | None
    notes: tuple[str, ...]

    @staticmethod
    def of(
        target_name: str,
        action_name: str,
        simulated_name: str | None,
        outcome: RetargetOutcome,
        first_frame: int,
        fps: float,
        notes: tuple[str, ...],
    ) -> RetargetReport:
        """Return the report of an outcome."""
        meta = None if outcome.simulated is None else outcome.simulated.meta
        fell_at = None if meta is None else meta.fell_at

        def frame_at(time_s: float) -> int:
            return first_frame + round(time_s * fps)

        return RetargetReport(
            target_name,
            action_name,
            simulated_name,
            outcome.leg_ratio,
            outcome.metrics,
            outcome.simulated_metrics or {},
            0.0 if meta is None or meta.metrics is None else meta.metrics.joint_error_source_deg,
            None if fell_at is None else frame_at(fell_at),
            (*notes, *(for_blender(note, frame_at) for note in (() if meta is None else meta.notes))),
        )

    @property
    def sentence(self) -> str:
        """One sentence about the outcome."""
        text = (
            f"Retargeted to '{self.action_name}' of '{self.target_name}': its legs are "
            f"{self.leg_ratio:.2f} times as long, its feet slide {self.metrics['skate_cm_s']:.1f} cm/s"
        )
        if self.simulated_name is None:
            return f"{text}."
        if self.fell_frame is not None:
            return f"{text}; simulated as '{self.simulated_name}' it falls at frame {self.fell_frame}."
        return f"{text}; simulated as '{self.simulated_name}' it stays up to the end."


def show_retarget(kept: HeftRetarget, report: RetargetReport) -> None:
    """Store a report for the panel."""
    kept.present, kept.simulated = True, report.simulated_name is not None
    kept.fell, kept.fell_frame = report.fell_frame is not None, report.fell_frame or 0
    kept.leg_ratio, kept.joint_error_deg = report.leg_ratio, report.joint_error_deg
    kept.action = bpy.data.actions.get(report.action_name)
    kept.simulated_action = bpy.data.actions.get(report.simulated_name) if report.simulated_name else None
    _fill(kept.kinematic_figures, report.metrics)
    _fill(kept.simulated_figures, report.simulated_metrics)
    kept.notes.clear()
    for text in report.notes:
        kept.notes.add().text = text


def _fill(figures: HeftRetargetFigures, metrics: Mapping[str, Any]) -> None:
    for name in SHOWN:
        setattr(figures, name, float(metrics.get(name) or 0.0))
