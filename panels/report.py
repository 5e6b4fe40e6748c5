"""The report, and what is drawn over the character."""

from __future__ import annotations

from bpy.types import Context, Panel, UILayout

from ..addon.blender.blender_types import overlay_scene, rig_context
from ..addon.overlay.draw import drawn_series
from ..addon.overlay.overlay_store import overlay_object
from ..addon.report.report_store import UNKNOWN, HeftReport
from .sidebar import ArmatureTab, draw_text


class HEFT_PT_report(ArmatureTab, Panel):
    """Score and worst frames of the last report."""

    bl_idname = "HEFT_PT_report"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Report"

    def draw(self, context: Context) -> None:
        layout, report = self.layout, rig_context(context).object.heft_report
        column = layout.column(align=True)
        column.operator("heft.check", icon="VIEWZOOM")
        column.operator("heft.make_plausible", icon="MOD_SMOOTH")
        if not report.present:
            draw_text(context, layout, "Check finds problems of the animation; it changes nothing")
            return
        _draw_score(context, layout, report)
        _draw_worst(context, layout, report)
        row = layout.row(align=True)
        row.operator("heft.plot_report", icon="GRAPH")
        row.operator("heft.save_report", icon="FILE_TICK")


class HEFT_PT_report_table(ArmatureTab, Panel):
    """All measures of the last report."""

    bl_idname = "HEFT_PT_report_table"
    bl_parent_id = "HEFT_PT_report"
    bl_label = "Measures"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft_report.present

    def draw(self, context: Context) -> None:
        report = rig_context(context).object.heft_report
        for row in report.rows:
            column = self.layout.column(align=True)
            draw_text(context, column, row.words)
            # Below the name, because both values need the width.
            values = column.row()
            values.active = False
            values.label(text=row.before)
            if report.compared:
                values.label(text=f"→  {row.after}")


def _draw_score(context: Context, layout: UILayout, report: HeftReport) -> None:
    box = layout.box().column(align=True)
    after = f" → {report.after:.0f}" if report.compared else ""
    box.label(text=f"Score {report.before:.0f}{after} of 100")
    box.label(text=report.verdict.capitalize())
    box.separator()
    for part in report.parts:
        line = box.split(factor=0.5)
        line.label(text=part.words)
        after = f"  →  {_score(part.after)}" if report.compared else ""
        line.label(text=_score(part.before) + after)
    if report.not_judged:
        draw_text(context, box, report.not_judged)


def _draw_worst(context: Context, layout: UILayout, report: HeftReport) -> None:
    if not report.worst:
        layout.label(text="No problem frames", icon="CHECKMARK")
        return
    layout.label(text="Worst frames of the result" if report.compared else "Worst frames")
    for worst in report.worst:
        column = layout.column(align=True)
        text = f"Frame {worst.frame}"
        column.operator("heft.jump_to_frame", text=text, icon="TIME").frame = worst.frame
        draw_text(context, column, worst.text)
    row = layout.row(align=True)
    row.operator("heft.mark_worst_frames", icon="MARKER_HLT")
    row.operator("heft.clear_marks", icon="X")
    layout.prop(report, "marks", text="Mark After Each Report")


def _score(value: float) -> str:
    return "not judged" if value == UNKNOWN else f"{value:.0f}"


SMALL = 0.05
"""Assist [N, Nm] that would be shown as 0.0."""


class HEFT_PT_overlays(ArmatureTab, Panel):
    """Which overlays are drawn."""

    bl_idname = "HEFT_PT_overlays"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Overlays"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return (
            super().poll(context)
            and overlay_object(rig_context(context).object).heft_overlay.data is not None
        )

    def draw_header(self, context: Context) -> None:
        self.layout.prop(overlay_scene(rig_context(context).scene).heft_overlays, "show", text="")

    def draw(self, context: Context) -> None:
        layout, rig = self.layout, rig_context(context)
        chosen = overlay_scene(rig.scene).heft_overlays
        _draw_assist(context, layout.column(), rig.scene.frame_current)
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


def _draw_assist(context: Context, layout: UILayout, frame: int) -> None:
    """Draw the assist at this frame, whichever overlays are shown."""
    series = drawn_series(rig_context(context).object)
    row = None if series is None else series.row_of(frame)
    if series is None or row is None:
        draw_text(context, layout, "This frame was not simulated", "INFO")
        return
    force, torque = series.help_at(row)
    if force >= SMALL or torque >= SMALL:
        draw_text(context, layout, f"Assist at this frame: {force:.1f} N, {torque:.1f} Nm", "ERROR")
    elif force > 0.0 or torque > 0.0:
        draw_text(context, layout, "Assist at this frame: almost none", "INFO")


CLASSES = (
    HEFT_PT_report,
    HEFT_PT_report_table,
    HEFT_PT_overlays,
)
