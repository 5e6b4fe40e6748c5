"""What is drawn over the character."""

from __future__ import annotations

from bpy.types import Context, Panel, UILayout

from ..addon.blender_types import overlay_scene, rig_context
from ..addon.overlay.draw import series_shown
from ..addon.overlay.store import shown
from .main import ArmatureTab
from .text import draw_text

SMALL = 0.05
"""Help [N, Nm] that would be shown as 0.0."""


class HEFT_PT_overlays(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_overlays"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Overlays"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and shown(rig_context(context).object).heft_overlay.data is not None

    def draw_header(self, context: Context) -> None:
        self.layout.prop(overlay_scene(rig_context(context).scene).heft_overlays, "show", text="")

    def draw(self, context: Context) -> None:
        layout, rig = self.layout, rig_context(context)
        chosen = overlay_scene(rig.scene).heft_overlays
        _draw_help(context, layout.column(), rig.scene.frame_current)
        body = layout.column()
        body.active = chosen.show
        column = body.column(align=True)
        for name in ("show_body", "show_balance", "show_effort", "show_forces"):
            column.prop(chosen, name)
        if chosen.show_forces:
            column.prop(chosen, "newtons_per_metre")
        body.prop(chosen, "show_ghost")
        if chosen.show_ghost:
            body.column(align=True).prop(chosen, "ghost_offset")


def _draw_help(context: Context, layout: UILayout, frame: int) -> None:
    """How much holds the character at this frame: it is told whatever is drawn."""
    series = series_shown(rig_context(context).object)
    row = None if series is None else series.row_of(frame)
    if series is None or row is None:
        draw_text(context, layout, "This frame was not simulated", "INFO")
        return
    force, torque = series.help_at(row)
    if force >= SMALL or torque >= SMALL:
        draw_text(context, layout, f"Help at this frame: {force:.1f} N, {torque:.1f} Nm", "ERROR")
    elif force > 0.0 or torque > 0.0:
        draw_text(context, layout, "Help at this frame: almost none", "INFO")


CLASSES = (HEFT_PT_overlays,)
