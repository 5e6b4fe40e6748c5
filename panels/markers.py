"""Markers of a capture: the take's facts."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout

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


CLASSES = (HEFT_PT_markers,)
