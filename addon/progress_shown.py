"""Shows the queue's first job in the panel and the status bar."""

from __future__ import annotations

from ..sim_core.time_left import words_of
from .blender_types import RigContext
from .job_queue import QUEUE


def show_progress(context: RigContext) -> None:
    """As it is now; without a job all is taken away."""
    shown, session = context.window_manager.heft, QUEUE.running
    stage, fraction, left, titles = "", 0.0, "", []
    if session is not None:
        stage, fraction = session.progress.stage, session.progress.fraction
        left, titles = words_of(session.left_s), [job.title for job in QUEUE]
    now = (session is not None, stage, f"{fraction:.0%}", left, titles)
    if now == (
        shown.running,
        shown.stage,
        f"{shown.fraction:.0%}",
        shown.left,
        [row.name for row in shown.jobs],
    ):
        return
    shown.running, shown.stage, shown.fraction, shown.left = session is not None, stage, fraction, left
    shown.jobs.clear()
    for title in titles:
        shown.jobs.add().name = title
    if context.workspace is not None:
        context.workspace.status_text_set(
            f"{progress_text(stage, fraction, left)}  (Esc stops)" if stage else None
        )
    _redraw_sidebars(context)


def progress_text(stage: str, fraction: float, left: str) -> str:
    """'Simulating 42%, about 15 s left'."""
    return f"{stage} {fraction:.0%}, {left}" if left else f"{stage} {fraction:.0%}"


def _redraw_sidebars(context: RigContext) -> None:
    """The sidebars alone: drawing a whole 3D view for each step would slow the window down."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if area.type == "VIEW_3D" and region.type == "UI":
                    region.tag_redraw()
