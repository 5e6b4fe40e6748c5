"""The running job's progress in the panel, the status bar and the 3D views."""

from __future__ import annotations

import time
from dataclasses import dataclass

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, StringProperty
from bpy.types import PropertyGroup

from ...sim_core.base.progress import describe_time_left
from ..blender.blender_types import RigContext
from ..blender.property_groups import NAME
from .job_queue import QUEUE


class HeftQueuedJob(PropertyGroup):
    """A job of the queue; its name is the job's title."""


class HeftProgress(PropertyGroup):
    """The running job and the queue, on the window manager."""

    running: BoolProperty()
    stage: StringProperty()
    fraction: FloatProperty(subtype="FACTOR", min=0.0, max=1.0)
    left: StringProperty()
    can_finish: BoolProperty()
    preview: BoolProperty(
        name="Preview",
        description="Show stick figures of the simulated part: the latest moment and the current frame",
        default=True,
    )
    jobs: CollectionProperty(type=HeftQueuedJob)


PREVIEW_S = 0.5
"""Shortest time between two redraws of the 3D views for the preview [s]."""
DRAWING_SHARE = 0.2
"""Largest share of the window's time for drawing the preview; slow machines redraw less often."""


@dataclass
class _Drawn:
    """The last drawn preview: number of moments, time of drawing [s], and its duration [s]."""

    previews: int = 0
    at_s: float = 0.0
    took_s: float | None = 0.0


_drawn = _Drawn()


def show_progress(context: RigContext) -> None:
    """Copy the running job's progress to the panel and the status bar."""
    state, session = context.window_manager.heft, QUEUE.running
    stage, fraction, left, titles = "", 0.0, "", []
    if session is not None:
        stage, fraction = session.progress.stage, session.progress.fraction
        left, titles = describe_time_left(session.left_s), [job.title for job in QUEUE]
    can_finish = session is not None and session.progress.can_finish
    now = (session is not None, stage, f"{fraction:.0%}", left, can_finish, titles)
    if now == (
        state.running,
        state.stage,
        f"{state.fraction:.0%}",
        state.left,
        state.can_finish,
        [row.name for row in state.jobs],
    ):
        return
    state.running, state.stage, state.fraction, state.left = session is not None, stage, fraction, left
    state.can_finish = can_finish
    state.jobs.clear()
    for title in titles:
        state.jobs.add().name = title
    if context.workspace is not None:
        context.workspace.status_text_set(
            f"{progress_text(stage, fraction, left)}  (Esc to cancel)" if stage else None
        )
    _redraw(context, "UI")


def show_preview(context: RigContext) -> None:
    """Redraw the 3D views when the preview has changed, and once more at its end."""
    session, now_s = QUEUE.running, time.monotonic()
    previews = 0 if session is None or not context.window_manager.heft.preview else len(session.previews)
    if _drawn.took_s is None:  # the first call after drawing
        _drawn.took_s = now_s - _drawn.at_s
    rest_s = max(PREVIEW_S, _drawn.took_s / DRAWING_SHARE)
    if previews == _drawn.previews or (previews > 0 and now_s - _drawn.at_s < rest_s):
        return
    _drawn.previews, _drawn.at_s, _drawn.took_s = previews, now_s, None
    _redraw(context, "WINDOW")


def progress_text(stage: str, fraction: float, left: str) -> str:
    """Return a text such as 'Simulating 42%, about 15 s left'."""
    return f"{stage} {fraction:.0%}, {left}" if left else f"{stage} {fraction:.0%}"


def _redraw(context: RigContext, kind: str) -> None:
    """Redraw regions of 3D views: "UI" for the sidebars, or "WINDOW", which takes much longer."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if area.type == "VIEW_3D" and region.type == kind:
                    region.tag_redraw()


CLASSES = (
    HeftQueuedJob,
    HeftProgress,
)

GROUPS = ((bpy.types.WindowManager, NAME, HeftProgress),)
