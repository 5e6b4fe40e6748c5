"""The report in the sidebar."""

from __future__ import annotations

from bpy.types import Context, Panel, UILayout

from ..addon.blender_types import rig_context
from ..addon.report.properties import UNKNOWN, HeftReport
from .main import ArmatureTab
from .text import draw_text


class HEFT_PT_report(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_report"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Report"

    def draw(self, context: Context) -> None:
        layout, report = self.layout, rig_context(context).object.heft_report
        column = layout.column(align=True)
        column.operator("heft.check", icon="VIEWZOOM")
        column.operator("heft.make_plausible", icon="MOD_SMOOTH")
        if not report.present:
            draw_text(context, layout, "Check says what is wrong with the animation and changes nothing")
            return
        _draw_score(context, layout, report)
        _draw_worst(context, layout, report)
        row = layout.row(align=True)
        row.operator("heft.plot_report", icon="GRAPH")
        row.operator("heft.save_report", icon="FILE_TICK")


class HEFT_PT_report_table(ArmatureTab, Panel):
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
            # Below the words, because both values need the width.
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
        layout.label(text="Nothing is worth a look", icon="CHECKMARK")
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
    layout.prop(report, "marks", text="Mark after each report")


def _score(value: float) -> str:
    return "not judged" if value == UNKNOWN else f"{value:.0f}"


CLASSES = (HEFT_PT_report, HEFT_PT_report_table)
