"""The job that runs, and those that wait for their turn."""

from __future__ import annotations

from bpy.types import Context, UILayout

from ..addon.blender_types import rig_context
from ..addon.progress_shown import progress_text
from .text import draw_text


def draw_progress(context: Context, layout: UILayout) -> None:
    """Nothing when there is no job."""
    shown = rig_context(context).window_manager.heft
    if not shown.running:
        return
    box = layout.box().column(align=True)
    if len(shown.jobs) > 0:
        box.label(text=shown.jobs[0].name, icon="TIME")
    box.progress(factor=shown.fraction, text=progress_text("", shown.fraction, shown.left).strip())
    draw_text(context, box, shown.stage)
    box.prop(shown, "preview")
    waiting = shown.jobs[1:]
    box.label(text="  stops it and changes nothing", icon="EVENT_ESC")
    if not waiting:
        return
    box.separator()
    box.label(text="Then, one after the other, also after Esc:")
    for place, job in enumerate(waiting):
        row = box.row(align=True)
        row.label(text=job.name, icon="SORTTIME")
        row.operator("heft.queue_remove", text="", icon="X", emboss=False).index = place
