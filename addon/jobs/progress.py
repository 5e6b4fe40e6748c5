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
    is_endless: BoolProperty()
    preview: BoolProperty(
        name="Preview",
        description="Show stick figures of the simulated part: the latest moment and the current frame",
        default=True,
    )
    jobs: CollectionProperty(type=HeftQueuedJob)


PERCENT_S, PREVIEW_S = 0.1, 0.5
"""Shortest times between two redraws of the sidebar for the percentage, and of the 3D views [s]."""
DRAWING_SHARE = 0.2
"""Largest share of the window's time for each of them; slow machines redraw less often."""


@dataclass
class _Drawing:
    """When something was drawn last [s], and how long that took [s]; None until the window has drawn it.

    moments: how many of a preview were drawn
    """

    shortest_s: float
    moments: int = 0
    at_s: float = 0.0
    took_s: float | None = 0.0

    def is_due(self, now_s: float) -> bool:
        """Return whether it may be drawn again."""
        if self.took_s is None:  # the first call after drawing
            self.took_s = now_s - self.at_s
        return now_s - self.at_s >= max(self.shortest_s, self.took_s / DRAWING_SHARE)

    def begins(self, now_s: float) -> None:
        """Record that it is drawn now."""
        self.at_s, self.took_s = now_s, None


_sidebar, _preview = _Drawing(PERCENT_S), _Drawing(PREVIEW_S)


def show_progress(context: RigContext) -> None:
    """Copy the running job's progress to the panel and the status bar."""
    state, session = context.window_manager.heft, QUEUE.running
    stage, fraction, left, titles = "", 0.0, "", []
    if session is not None:
        stage, fraction = session.progress.stage, session.progress.fraction
        left, titles = describe_time_left(session.left_s), [job.title for job in QUEUE]
    can_finish = session is not None and session.progress.can_finish
    is_endless, now_s = session is not None and session.is_endless, time.monotonic()
    job = (session is not None, stage, can_finish, is_endless, titles)
    shown = (state.running, state.stage, state.can_finish, state.is_endless)
    same_job = job == (*shown, [row.name for row in state.jobs])
    same_share = (f"{fraction:.0%}", left) == (f"{state.fraction:.0%}", state.left)
    if same_job and (same_share or not _sidebar.is_due(now_s)):
        return
    _sidebar.begins(now_s)
    state.running, state.stage, state.fraction, state.left = session is not None, stage, fraction, left
    state.can_finish, state.is_endless = can_finish, is_endless
    state.jobs.clear()
    for title in titles:
        state.jobs.add().name = title
    if context.workspace is not None:
        text = progress_text(stage, fraction, left)
        hint = f"{stage}  (Esc to end)" if is_endless else f"{text}  (Esc to cancel)"
        context.workspace.status_text_set(hint if stage else None)
    _redraw(context, "UI")


def show_preview(context: RigContext) -> None:
    """Redraw the 3D views when the preview has changed, and once more at its end."""
    session, now_s = QUEUE.running, time.monotonic()
    previews = 0 if session is None or not context.window_manager.heft.preview else len(session.previews)
    is_due = _preview.is_due(now_s)
    if previews == _preview.moments or (previews > 0 and not is_due):
        return
    _preview.moments = previews
    _preview.begins(now_s)
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
