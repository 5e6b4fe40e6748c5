"""Puts what the child process found into the panel."""

from __future__ import annotations

from typing import Any

from ...sim_core.report.frames import FrameOf, interpolated_frames, whole_frame
from ...sim_core.report.score import PART_WORDS
from ...sim_core.report.table import table_of
from ...sim_core.result.result import Result
from ..blender_types import ArmatureObject
from ..motion_reader import SampledMotion
from .kept import KeptResult, keep
from .properties import UNKNOWN


def show_report(obj: ArmatureObject, result: Result, sampled: SampledMotion) -> None:
    """Store the result's judgement for the panel; a result without one takes the last away."""
    shown = obj.heft_report
    found: dict[str, Any] | None = result.meta.get("report")
    shown.present = found is not None
    if found is None:
        return
    frame_time = sampled.motion.time[sampled.frame_sample] - sampled.motion.time[0]
    kept = KeptResult(result, sampled.frame, frame_time)
    before, after = found["before"], found["after"]
    told = after or before
    shown.compared, shown.token = after is not None, keep(kept)
    shown.before = before["score"]["total"]
    shown.after = after["score"]["total"] if after else UNKNOWN
    shown.verdict, shown.not_judged = told["score"]["verdict"], told["not_judged"]
    shown.parts.clear()
    for part, words in PART_WORDS.items():
        row = shown.parts.add()
        row.words = words
        row.before = before["score"].get(part, UNKNOWN)
        row.after = (after["score"] if after else {}).get(part, UNKNOWN)
    shown.rows.clear()
    for measure in table_of(before["figures"], after["figures"] if after else None):
        line = shown.rows.add()
        line.words, line.before, line.after = measure.words, measure.before, measure.after
    _show_worst(shown, told["moments"], interpolated_frames(frame_time, sampled.frame))


def _show_worst(shown: Any, moments: list[dict[str, Any]], frame_of: FrameOf) -> None:
    shown.worst.clear()
    for moment in moments:
        entry = shown.worst.add()
        entry.frame, entry.text = whole_frame(frame_of, moment["at_s"]), moment["text"]
