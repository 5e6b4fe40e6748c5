"""The last report of an armature: on the object for the panel, and its curves in memory."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.base.errors import InputError
from ..blender.blender_types import ArmatureObject

if TYPE_CHECKING:
    from ...sim_core.report.frame_numbers import FrameOf
    from ...sim_core.result.report_records import Judgement, WorstFrameRecord
    from ...sim_core.result.result import Result
    from ..reading.motion_reader import SampledMotion

UNKNOWN = -1.0
"""Value of an unknown score."""


class HeftReportRow(PropertyGroup):
    """A measure with its values as text."""

    words: StringProperty()
    before: StringProperty()
    after: StringProperty()


class HeftReportPart(PropertyGroup):
    """A part of the score, 0 to 100."""

    words: StringProperty()
    before: FloatProperty(default=UNKNOWN)
    after: FloatProperty(default=UNKNOWN)


class HeftWorstFrame(PropertyGroup):
    """A frame and its problem."""

    frame: IntProperty()
    text: StringProperty()


class HeftReport(PropertyGroup):
    """The last report, on an armature's object."""

    present: BoolProperty()
    compared: BoolProperty(description="Whether there is an after")
    token: StringProperty(description="Under which the curves of this report are kept until Blender closes")
    before: FloatProperty(default=UNKNOWN)
    after: FloatProperty(default=UNKNOWN)
    verdict: StringProperty()
    not_judged: StringProperty(description="Which parts of the score are missing, and why")
    parts: CollectionProperty(type=HeftReportPart)
    rows: CollectionProperty(type=HeftReportRow)
    rows_index: IntProperty()
    worst: CollectionProperty(type=HeftWorstFrame)
    worst_index: IntProperty()
    marks: BoolProperty(
        name="Mark Worst Frames",
        description="Add timeline markers at the worst frames; your own markers are kept",
        default=True,
    )
    curves: PointerProperty(type=Object, description="The Empty that carries the curves of the report")


MOST = 8
"""Number of stored results; the oldest is removed first."""


@dataclass(frozen=True, eq=False)
class StoredResult:
    """A result in memory, with its whole frames (F) and their times since the first sample (F) [s]."""

    result: Result
    frame: IntArray
    frame_time: FloatArray


_results: dict[str, StoredResult] = {}


def store_result(stored: StoredResult) -> str:
    """Store a result until Blender closes, and return its token."""
    token = uuid.uuid4().hex
    _results[token] = stored
    while len(_results) > MOST:
        del _results[next(iter(_results))]
    return token


def has_stored_result(token: str) -> bool:
    """Return whether the result of a token is still in memory."""
    return token in _results


def stored_result(token: str) -> StoredResult:
    """Return the result of a token, or raise an InputError."""
    if token not in _results:
        raise InputError("The curves of this report are no longer in memory; simulate or check again.")
    return _results[token]


def show_report(obj: ArmatureObject, result: Result, sampled: SampledMotion) -> None:
    """Store the result's report for the panel; without one the last report is removed."""
    from ...sim_core.report.measure_table import table_of
    from ...sim_core.report.score import PART_WORDS

    panel_report, found = obj.heft_report, result.meta.report
    panel_report.present = found is not None
    if found is None:
        return
    before, after = found.before, found.after
    judged = after or before
    panel_report.compared = after is not None
    panel_report.token = store_result(StoredResult(result, sampled.frame, _frame_time(sampled)))
    panel_report.before = before.score.total
    panel_report.after = UNKNOWN if after is None else after.score.total
    panel_report.parts.clear()
    for part, words in PART_WORDS.items():
        row = panel_report.parts.add()
        row.words = words
        row.before = _part_score(before, part)
        row.after = UNKNOWN if after is None else _part_score(after, part)
    panel_report.rows.clear()
    for measure in table_of(before.figures, None if after is None else after.figures):
        line = panel_report.rows.add()
        line.words, line.before, line.after = measure.words, measure.before, measure.after
    _show_judged(panel_report, judged, sampled)


def show_check(obj: ArmatureObject, checked: Result, sampled: SampledMotion, of_result: bool) -> None:
    """Store the judgement of the motion that was checked; that of the other one, if there is one, stays."""
    from ...sim_core.report.measure_table import table_of
    from ...sim_core.report.score import PART_WORDS

    panel_report, found = obj.heft_report, checked.meta.report
    if found is None or not (panel_report.compared and obj.heft.baked_action is not None):
        show_report(obj, checked, sampled)
        return
    side, judged = "after" if of_result else "before", found.before
    setattr(panel_report, side, judged.score.total)
    for row, part in zip(panel_report.parts, PART_WORDS, strict=True):
        setattr(row, side, _part_score(judged, part))
    measured = {measure.words: measure.before for measure in table_of(judged.figures, None)}
    for line in panel_report.rows:
        if line.words in measured:
            setattr(line, side, measured[line.words])
    _show_judged(panel_report, judged, sampled)


def _show_judged(panel_report: HeftReport, judged: Judgement, sampled: SampledMotion) -> None:
    from ...sim_core.report.frame_numbers import interpolated_frames

    panel_report.verdict, panel_report.not_judged = judged.score.verdict, judged.not_judged
    _show_worst(panel_report, judged.moments, interpolated_frames(_frame_time(sampled), sampled.frame))


def _frame_time(sampled: SampledMotion) -> FloatArray:
    """Return the times of the whole frames since the first sample (F) [s]."""
    return sampled.motion.time[sampled.frame_sample] - sampled.motion.time[0]


def _part_score(judged: Judgement, part: str) -> float:
    score: float | None = getattr(judged.score, part)
    return UNKNOWN if score is None else score


def _show_worst(panel_report: Any, moments: Sequence[WorstFrameRecord], frame_of: FrameOf) -> None:
    from ...sim_core.report.frame_numbers import whole_frame

    panel_report.worst.clear()
    for moment in moments:
        entry = panel_report.worst.add()
        entry.frame, entry.text = whole_frame(frame_of, moment.at_s), moment.text


CLASSES = (
    HeftReportRow,
    HeftReportPart,
    HeftWorstFrame,
    HeftReport,
)

GROUPS = ((bpy.types.Object, "heft_report", HeftReport),)
