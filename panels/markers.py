"""Markers of a capture: the take's facts."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.markers.properties import NOT_USED
from ..addon.markers.take_object import TakeObject, as_take, rate_hz, sample_count
from .main import SidebarTab, draw_text

LABEL = "Motion Markers (.c3d, .trc)"


def draw_import_entry(menu: Any, _context: Context) -> None:
    """In File > Import."""
    menu.layout.operator("heft.import_markers", text=LABEL)


class HEFT_PT_markers(SidebarTab, Panel):
    bl_idname = "HEFT_PT_markers"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Markers"

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.operator("heft.import_markers", icon="IMPORT")
        take = as_take(context.object)
        if take is not None:
            _draw_facts(context, layout, take)


def _draw_facts(context: Context, layout: UILayout, obj: TakeObject) -> None:
    take, rate, samples = obj.heft_take, rate_hz(obj), sample_count(obj)
    column = layout.column(align=True)
    column.label(text=take.file_name, icon="POINTCLOUD_DATA")
    column.label(text=f"{len(take.rows)} markers, {(samples - 1) / rate:.2f} s at {rate:g} Hz")
    gaps = [row for row in take.rows if row.seen_share < 1.0]
    missing = sum(1.0 - row.seen_share for row in gaps) / max(1, len(take.rows))
    column.label(text=f"Gaps in {len(gaps)} markers, {missing:.1%} of all samples" if gaps else "No gaps")
    if take.plates:
        column.label(text=f"{take.plates} force plates")
    for note in take.notes:
        draw_text(context, layout, note.text, "INFO")


class HEFT_UL_markers(UIList):
    bl_idname = "HEFT_UL_markers"

    def draw_item(
        self,
        context: Context,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
        index: int = 0,
        flt_flag: int = 0,
    ) -> None:
        row = layout.split(factor=0.45)
        row.label(text=item.label, icon="DOT" if item.labelled else "QUESTION")
        row.prop(item, "part", text="")


class HEFT_PT_marker_table(SidebarTab, Panel):
    bl_idname = "HEFT_PT_marker_table"
    bl_parent_id = "HEFT_PT_markers"
    bl_label = "Marker Set"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return as_take(context.object) is not None

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, as_take(context.object)
        if obj is None:
            return
        take = obj.heft_take
        used = sum(row.part != NOT_USED for row in take.rows)
        name = take.set_name or "By hand"
        known = f"{name}: {used} of {len(take.rows)} markers" if used else "No known set has these markers"
        layout.label(text=known, icon="CHECKMARK" if used else "ERROR")
        layout.template_list("HEFT_UL_markers", "", take, "rows", take, "row_index", rows=6)
        row = layout.row(align=True)
        row.operator("heft.recognise_markers", text="Recognise", icon="VIEWZOOM")
        row.operator_menu_enum("heft.load_marker_set", "preset", text="Load")
        row = layout.row(align=True)
        row.operator("heft.save_marker_set", text="Save", icon="FILE_TICK")
        row.operator_menu_enum("heft.remove_marker_set", "preset", text="Remove")


CLASSES = (HEFT_UL_markers, HEFT_PT_markers, HEFT_PT_marker_table)
