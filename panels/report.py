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
        _draw_score(layout, report)
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
        column = self.layout.column(align=True)
        if report.simulated:
            _draw_row(column, "", "Before", "After")
        for row in report.rows:
            _draw_row(column, row.words, row.before, row.after if report.simulated else "")


def _draw_score(layout: UILayout, report: HeftReport) -> None:
    box = layout.box().column(align=True)
    after = f" → {report.after:.0f}" if report.simulated else ""
    box.label(text=f"Score {report.before:.0f}{after} of 100")
    box.label(text=report.verdict.capitalize())
    box.separator()
    for part in report.parts:
        _draw_row(box, part.words, _score(part.before), _score(part.after) if report.simulated else "")


def _draw_worst(context: Context, layout: UILayout, report: HeftReport) -> None:
    if not report.worst:
        layout.label(text="Nothing is worth a look", icon="CHECKMARK")
        return
    layout.label(text="Worst frames of the result" if report.simulated else "Worst frames")
    column = layout.column(align=True)
    for worst in report.worst:
        row = column.row(align=True)
        button = row.column()
        button.ui_units_x = 3.5
        button.operator("heft.jump_to_frame", text=str(worst.frame)).frame = worst.frame
        draw_text(context, row.column(align=True), worst.text)
    row = layout.row(align=True)
    row.operator("heft.mark_worst_frames", icon="MARKER_HLT")
    row.operator("heft.clear_marks", icon="X")
    layout.prop(report, "marks", text="Mark them by itself")


def _draw_row(layout: UILayout, words: str, before: str, after: str) -> None:
    line = layout.split(factor=0.5)
    line.label(text=words)
    values = line.row()
    values.label(text=before)
    if after:
        values.label(text=after)


def _score(value: float) -> str:
    return "–" if value == UNKNOWN else f"{value:.0f}"


CLASSES = (HEFT_PT_report, HEFT_PT_report_table)
