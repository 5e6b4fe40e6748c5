"""The report, and what is drawn over the character."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.blender.blender_types import overlay_scene, rig_context
from ..addon.overlay.overlay_store import overlay_object
from ..addon.report.report_store import UNKNOWN, HeftReport
from .sidebar import ArmatureTab, Rows, beginning, chosen_row, draw_text


class HEFT_PT_report(ArmatureTab, Panel):
    """Score and worst frames of the last report."""

    bl_idname = "HEFT_PT_report"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Report"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, report = self.layout, rig_context(context).object.heft_report
        column = layout.column(align=True)
        column.operator("heft.check", icon="VIEWZOOM")
        column.operator("heft.make_plausible", icon="MOD_SMOOTH")
        if not report.present:
            draw_text(context, layout, "Check finds problems of the animation; it changes nothing")
            return
        _draw_score(context, layout, report)
        row = layout.row(align=True)
        row.operator("heft.plot_report", icon="GRAPH")
        row.operator("heft.save_report", icon="FILE_TICK")


class _ReportTab(ArmatureTab):
    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft_report.present


WORST_LETTERS, MEASURE_LETTERS = 22, 30
"""What a row of the lists has room for; below them stands the whole sentence of the chosen row."""


class HEFT_UL_worst_frames(Rows, UIList):
    """The worst frames."""

    bl_idname = "HEFT_UL_worst_frames"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.split(factor=0.3)
        row.label(text=str(item.frame), icon="TIME")
        row.label(text=beginning(item.text, WORST_LETTERS))


class HEFT_PT_worst_frames(_ReportTab, Panel):
    """The worst frames of the last report, and why they are bad."""

    bl_idname = "HEFT_PT_worst_frames"
    bl_parent_id = "HEFT_PT_report"
    bl_label = "Worst Frames"

    def draw(self, context: Context) -> None:
        layout, report = self.layout, rig_context(context).object.heft_report
        if not report.worst:
            layout.label(text="No problem frames", icon="CHECKMARK")
            return
        layout.template_list("HEFT_UL_worst_frames", "", report, "worst", report, "worst_index", rows=4)
        worst = chosen_row(report, "worst")
        if worst is not None:
            draw_text(context, layout, worst.text)
            go = layout.operator("heft.jump_to_frame", text=f"Go to Frame {worst.frame}", icon="TIME")
            go.frame = worst.frame
        row = layout.row(align=True)
        row.operator("heft.mark_worst_frames", icon="MARKER_HLT")
        row.operator("heft.clear_marks", icon="X")
        layout.prop(report, "marks", text="Mark After Each Report")


class HEFT_UL_measures(Rows, UIList):
    """The measures of the report."""

    bl_idname = "HEFT_UL_measures"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.label(text=beginning(item.words, MEASURE_LETTERS))


class HEFT_PT_report_table(_ReportTab, Panel):
    """All measures of the last report."""

    bl_idname = "HEFT_PT_report_table"
    bl_parent_id = "HEFT_PT_report"
    bl_label = "Measures"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, report = self.layout, rig_context(context).object.heft_report
        layout.template_list("HEFT_UL_measures", "", report, "rows", report, "rows_index", rows=6)
        row = chosen_row(report, "rows")
        if row is None:
            return
        column = layout.column(align=True)
        draw_text(context, column, row.words)
        # Below the name, because both values need the width.
        column.label(text=f"{row.before}  →  {row.after}" if report.compared else row.before, icon="BLANK1")


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


def _score(value: float) -> str:
    return "not judged" if value == UNKNOWN else f"{value:.0f}"


SMALL = 0.05
"""Assist [N, Nm] that would be shown as 0.0."""


class HEFT_PT_overlays(ArmatureTab, Panel):
    """Which overlays are drawn."""

    bl_idname = "HEFT_PT_overlays"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Overlays"
    bl_options = {"DEFAULT_CLOSED"}

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
    from ..addon.overlay.draw import drawn_series

    series = drawn_series(rig_context(context).object)
    row = None if series is None else series.row_of(frame)
    if series is None or row is None:
        draw_text(context, layout, "This frame was not simulated", "INFO")
        return
    force, torque = series.assist_at(row)
    if force >= SMALL or torque >= SMALL:
        draw_text(context, layout, f"Assist at this frame: {force:.1f} N, {torque:.1f} Nm", "ERROR")
    elif force > 0.0 or torque > 0.0:
        draw_text(context, layout, "Assist at this frame: almost none", "INFO")


CLASSES = (
    HEFT_UL_worst_frames,
    HEFT_UL_measures,
    HEFT_PT_report,
    HEFT_PT_worst_frames,
    HEFT_PT_report_table,
    HEFT_PT_overlays,
)
