"""What a bake reports to the user, and what the panel stores of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ...sim_core.base.wording import for_blender
from ..blender.property_groups import HeftNote
from ..reading.motion_finding import SAME_SIZE

if TYPE_CHECKING:
    from ...sim_core.result.metrics import Metrics
    from ...sim_core.result.result import Result
    from ..reading.motion_reader import SampledMotion
    from .bake_job import PreparedBake
    from .source_figures import SourceFigures


class HeftOutcome(PropertyGroup):
    """Figures and notes of the last bake, on the object."""

    present: BoolProperty()
    simulated: BoolProperty()
    made: BoolProperty(description="Its motion was made or played, so no keys are its source")
    fell: BoolProperty()
    first_frame: IntProperty()
    fell_frame: IntProperty()
    joint_error_deg: FloatProperty()
    root_error_m: FloatProperty()
    cause: StringProperty(description="Why it fell, in words")
    misses_support: BoolProperty(description="It rests on something that the scene does not have")
    least_assist_n: FloatProperty(description="Assist that keeps it up and keeps its motion; 0 if none does")
    faults: CollectionProperty(type=HeftNote)
    size_m: FloatProperty(description="Height of the body whose lengths are told; 0 if it is the armature's")
    source_mean_deg: FloatProperty()
    source_mean_cm: FloatProperty()
    source_worst_deg: FloatProperty()
    source_worst_joint: StringProperty()
    source_worst_deg_frame: IntProperty()
    source_worst_cm: FloatProperty()
    source_worst_part: StringProperty()
    source_worst_cm_frame: IntProperty()
    changed_cm: FloatProperty(description="By which the hips were moved so that forces can carry the body")
    assist_force_mean_n: FloatProperty()
    assist_force_max_n: FloatProperty()
    skate_cm_s: FloatProperty()
    notes: CollectionProperty(type=HeftNote)


SHOWN_METRICS = (
    "joint_error_deg",
    "root_error_m",
    "assist_force_mean_n",
    "assist_force_max_n",
    "skate_cm_s",
)


@dataclass(frozen=True)
class BakeReport:
    """Names of the character and its new action, the frame and cause of a fall, figures, and notes.

    size_m: height of the body that was simulated, whose lengths are told; None if it is the armature's
    from_source: None for a motion that was made or played, because no keys are its source
    changed_cm: by which the hips were moved before the simulation, on average [cm]
    misses_support: it fell because it rests on something that the scene does not have
    least_assist_n: cap that would have carried the motion [N, Nm]; 0 if none was found
    faults: that anybody sees though the character did not fall, with their frames
    """

    character: str
    action_name: str
    simulated: bool
    first_frame: int
    fell_frame: int | None
    cause: str
    metrics: Metrics | None
    size_m: float | None
    from_source: SourceFigures | None
    changed_cm: float
    misses_support: bool
    least_assist_n: float
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    @staticmethod
    def of(action_name: str, prepared: PreparedBake, result: Result, notes: tuple[str, ...]) -> BakeReport:
        """Return the report of a result; its notes name frames."""
        from ...sim_core.bake.notes import cause_sentence, fault_sentences
        from ..writing.baked_bones import BakedBones
        from .source_figures import source_figures

        meta, body = result.meta, result.meta.character
        job, sampled = prepared.job, prepared.sampled
        away = None
        if not prepared.made:
            baked = BakedBones.from_result(result, sampled)
            away = source_figures(baked, sampled, job.mapping, body.scale)
        return BakeReport(
            job.name,
            action_name,
            job.settings.simulate and not job.settings.only_plausible,
            int(sampled.frame[0]),
            None if meta.fell_at is None else sampled.frame_at(meta.fell_at),
            "" if meta.failure is None else for_blender(cause_sentence(meta.failure), sampled.frame_at),
            meta.metrics,
            None if abs(body.scale - 1.0) < SAME_SIZE else body.height,
            away,
            0.0 if meta.reference is None else meta.reference.root_mean_cm,
            meta.failure is not None and bool(meta.failure.supports),
            0.0 if meta.failure is None else meta.failure.least_assist or 0.0,
            tuple(for_blender(fault, sampled.frame_at) for fault in fault_sentences(result)),
            tuple(for_blender(note, sampled.frame_at) for note in notes),
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
        for fault in report.faults:
            yield True, whose + fault
        for note in report.notes:
            yield False, whose + note
        yield report.fell_frame is not None, whose + report.sentence


def hit_notes(result: Result, sampled: SampledMotion) -> list[str]:
    """Return a sentence with the frame for each hit."""
    from ...sim_core.bake.notes import hit_sentence

    return [f"Frame {sampled.frame_at(hit.time_s)}: {hit_sentence(hit)}" for hit in result.meta.hits]


def window_notes(result: Result, sampled: SampledMotion) -> list[str]:
    """Return a sentence about the simulated frames if only those around hits were simulated."""
    from ...sim_core.bake.notes import windows_sentence
    from ...sim_core.scenario.job import settings_from_dict

    if not settings_from_dict(result.meta.settings, "the result").only_around_hits:
        return []
    return [windows_sentence(result.meta.simulated, lambda s: f"frame {sampled.frame_at(s)}")]


def strike_notes(result: Result, sampled: SampledMotion) -> list[str]:
    """Return a sentence with the frame for each strike."""
    from ...sim_core.bake.notes import strike_sentence

    return [
        f"Frame {sampled.frame_at(strike.time_s)}: {strike_sentence(strike)}"
        for strike in result.meta.strikes
    ]


def show_outcome(outcome: HeftOutcome, report: BakeReport) -> None:
    """Store a report for the panel."""
    away = report.from_source
    outcome.present, outcome.simulated, outcome.made = True, report.simulated, away is None
    outcome.fell = report.fell_frame is not None
    outcome.first_frame = report.first_frame
    outcome.fell_frame = report.fell_frame or 0
    for name in SHOWN_METRICS:
        setattr(outcome, name, 0.0 if report.metrics is None else getattr(report.metrics, name))
    outcome.cause, outcome.changed_cm = report.cause, report.changed_cm
    outcome.size_m = report.size_m or 0.0
    outcome.least_assist_n, outcome.misses_support = report.least_assist_n, report.misses_support
    if away is not None:
        _show_distance(outcome, away)
    outcome.faults.clear()
    for text in report.faults:
        outcome.faults.add().text = text
    outcome.notes.clear()
    for text in report.notes:
        outcome.notes.add().text = text


def _show_distance(outcome: HeftOutcome, away: SourceFigures) -> None:
    outcome.source_mean_deg, outcome.source_mean_cm = away.mean_deg, away.mean_cm
    outcome.source_worst_deg, outcome.source_worst_cm = away.worst_deg, away.worst_cm
    outcome.source_worst_joint, outcome.source_worst_deg_frame = away.angle_joint, away.angle_frame
    outcome.source_worst_part, outcome.source_worst_cm_frame = away.place_part, away.place_frame


CLASSES = (HeftOutcome,)
