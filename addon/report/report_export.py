"""The report as timeline markers, as curves in the Graph Editor, and as a page for the browser."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object, Scene

from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.files import refuse_unwritable, write_text_atomically
from ...sim_core.jobs.page_job import PageJob, load_page, save_page_job
from ...sim_core.report.motion_series import MotionSeries
from ...sim_core.report.report import Report, make_report
from ..blender import compat
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.channels import write_channel
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from .report_store import StoredResult, stored_result

GROUP = "Heft Report"
SUFFIX = "_report"


def plot_curves(context: RigContext, obj: ArmatureObject) -> Object:
    """Write the curves on the armature's Empty, which is made if needed, and select it."""
    stored = stored_result(obj.heft_report.token)
    empty = obj.heft_report.curves or _new_empty(context, obj)
    _replace_curves(empty, obj.name + SUFFIX, stored)
    obj.heft_report.curves = empty
    if empty.name in context.view_layer.objects:
        empty.select_set(True)
    return empty


def _new_empty(context: RigContext, obj: ArmatureObject) -> Object:
    empty = bpy.data.objects.new(obj.name + SUFFIX, None)
    empty.empty_display_size = 0.1
    context.scene.collection.objects.link(empty)
    return empty


def _replace_curves(empty: Object, name: str, stored: StoredResult) -> None:
    animation = empty.animation_data_create()
    old = animation.action
    target = compat.new_action(empty, name)
    writer = compat.CurveWriter(target)
    for measure, time, values in _measures(make_report(stored.result)):
        at_frames = np.interp(stored.frame_time, time, values)
        empty[measure] = float(at_frames[0])
        write_channel(writer, f'["{measure}"]', GROUP, stored.frame, at_frames[:, None])
    compat.assign_action(animation, target)
    if old is not None and old.users == 0:
        bpy.data.actions.remove(old)


def _measures(report: Report) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Yield names with units, times and values."""
    for when, judged in (("before", report.before), ("after", report.after)):
        if judged is not None:
            for name, values in _series_measures(judged.series):
                yield f"{when} {name}", judged.series.time, values


def _series_measures(series: MotionSeries) -> Iterator[tuple[str, FloatArray]]:
    if series.known.any():
        for foot, name in enumerate(series.foot_name):
            yield f"{name} force N", series.foot_force[:, foot, 2]
        yield ("assist N" if series.simulated else "unexplained force N"), series.outside_force
        yield "effort %", 100.0 * series.used.max(axis=1, initial=0.0)
    yield "feet slide cm/s", 100.0 * series.foot_slip.max(axis=1, initial=0.0)
    yield "feet sink mm", 1000.0 * series.foot_depth.max(axis=1, initial=0.0)
    if series.simulated:
        yield "joint error deg", series.joint_error
    yield "centre of mass m", series.com[:, 2]


PREFIX = "Heft: "
"""Prefix of the report's timeline markers; no other markers are removed."""
LONGEST = 60
"""Length of a marker's name; Blender cuts longer ones."""


def mark_worst_frames(scene: Scene, armatures: Sequence[ArmatureObject]) -> int:
    """Replace the timeline markers of the last report; return how many there are now."""
    clear_marks(scene)
    made = 0
    for obj in armatures:
        if not obj.heft_report.marks:
            continue
        whose = f"{obj.name}, " if len(armatures) > 1 else ""
        for worst in obj.heft_report.worst:
            scene.timeline_markers.new(_name(whose + worst.text), frame=worst.frame)
            made += 1
    return made


def clear_marks(scene: Scene) -> int:
    """Remove all timeline markers of reports; return how many there were."""
    own = [marker for marker in scene.timeline_markers if marker.name.startswith(PREFIX)]
    for marker in own:
        scene.timeline_markers.remove(marker)
    return len(own)


def _name(text: str) -> str:
    name = PREFIX + text
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


PAGE = JobKind("page", "report", "save the report", save_page_job, load_page)


class PageSession(JobSession[PageJob, Path]):
    """Writes the page of an armature's last report; the last `step` returns its file."""

    def __init__(self, obj: ArmatureObject, path: Path) -> None:
        refuse_unwritable(path)
        stored = stored_result(obj.heft_report.token)
        job = PageJob(stored.result, obj.name, stored.frame, stored.frame_time)

        def finish(
            _context: RigContext, _job: PageJob, pages: tuple[str, ...]
        ) -> Generator[float, None, Path]:
            write_text_atomically(path, pages[0])
            yield 1.0
            return path

        super().__init__(
            [obj], _reading(job), lambda prepared: [prepared], finish, PAGE, "Drawing the report"
        )


def _reading(job: PageJob) -> Generator[float, None, PageJob]:
    """Return the job: there is nothing to read, because the result is in memory."""
    yield 1.0
    return job
