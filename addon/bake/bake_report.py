"""What a bake reports to the user, and what the panel stores of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty
from bpy.types import PropertyGroup

from ...sim_core.bake.notes import hit_sentence, strike_sentence, windows_sentence
from ...sim_core.result.metrics import Metrics
from ...sim_core.result.result import Result
from ...sim_core.scenario.job import Job, settings_from_dict
from ..blender.property_groups import HeftNote
from ..reading.motion_reader import SampledMotion


class HeftOutcome(PropertyGroup):
    """Figures and notes of the last bake, on the object."""

    present: BoolProperty()
    simulated: BoolProperty()
    fell: BoolProperty()
    fell_frame: IntProperty()
    joint_error_deg: FloatProperty()
    joint_error_source_deg: FloatProperty()
    root_error_m: FloatProperty()
    root_error_source_m: FloatProperty()
    assist_force_mean_n: FloatProperty()
    assist_force_max_n: FloatProperty()
    skate_cm_s: FloatProperty()
    notes: CollectionProperty(type=HeftNote)


SHOWN_METRICS = (
    "joint_error_deg",
    "joint_error_source_deg",
    "root_error_m",
    "root_error_source_m",
    "assist_force_mean_n",
    "assist_force_max_n",
    "skate_cm_s",
)


@dataclass(frozen=True)
class BakeReport:
    """Names of the character and its new action, the frame of a fall, the core's figures, and notes."""

    character: str
    action_name: str
    simulated: bool
    fell_frame: int | None
    metrics: Metrics | None
    notes: tuple[str, ...]

    @staticmethod
    def of(
        action_name: str, job: Job, result: Result, sampled: SampledMotion, notes: tuple[str, ...]
    ) -> BakeReport:
        """Return the report of a result."""
        fell_at = result.meta.fell_at
        return BakeReport(
            job.name,
            action_name,
            job.settings.simulate and not job.settings.only_plausible,
            None if fell_at is None else _frame_at(fell_at, sampled),
            result.meta.metrics,
            notes,
        )

    @property
    def sentence(self) -> str:
        """One sentence about the outcome."""
        if self.fell_frame is not None:
            return f"Baked to '{self.action_name}', but the character falls at frame {self.fell_frame}."
        return f"Baked to '{self.action_name}'."


def messages_of(reports: Sequence[BakeReport]) -> Iterator[tuple[bool, str]]:
    """Yield whether a message is a warning, and the message, named by character if there are several."""
    for report in reports:
        whose = f"{report.character}: " if len(reports) > 1 else ""
        for note in report.notes:
            yield False, whose + note
        yield report.fell_frame is not None, whose + report.sentence


def hit_notes(result: Result, sampled: SampledMotion) -> list[str]:
    """Return a sentence with the frame for each hit."""
    return [f"Frame {_frame_at(hit.time_s, sampled)}: {hit_sentence(hit)}" for hit in result.meta.hits]


def window_notes(result: Result, sampled: SampledMotion) -> list[str]:
    """Return a sentence about the simulated frames if only those around hits were simulated."""
    if not settings_from_dict(result.meta.settings, "the result").only_around_hits:
        return []
    return [windows_sentence(result.meta.simulated, lambda s: f"frame {_frame_at(s, sampled)}")]


def strike_notes(result: Result, sampled: SampledMotion) -> list[str]:
    """Return a sentence with the frame for each strike."""
    return [
        f"Frame {_frame_at(strike.time_s, sampled)}: {strike_sentence(strike)}"
        for strike in result.meta.strikes
    ]


def show_outcome(outcome: HeftOutcome, report: BakeReport) -> None:
    """Store a report for the panel."""
    outcome.present, outcome.simulated = True, report.simulated
    outcome.fell = report.fell_frame is not None
    outcome.fell_frame = report.fell_frame or 0
    for name in SHOWN_METRICS:
        setattr(outcome, name, 0.0 if report.metrics is None else getattr(report.metrics, name))
    outcome.notes.clear()
    for text in report.notes:
        outcome.notes.add().text = text


def _frame_at(time_s: float, sampled: SampledMotion) -> int:
    """Return the frame at a time since the first sample [s]."""
    times = sampled.motion.time[sampled.frame_sample] - sampled.motion.time[0]
    return int(sampled.frame[min(int(np.searchsorted(times, time_s - 1e-6)), len(times) - 1)])


CLASSES = (HeftOutcome,)
