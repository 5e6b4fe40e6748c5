"""Markers of a capture: facts of the take, its table, the fit, and control markers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.blender.blender_types import ArmatureObject
from ..addon.markers.control_markers import ControlObject, controlled_rig, controls_of
from ..addon.markers.marker_table import NOT_USED, HeftTake
from .sidebar import Rows, SidebarTab, draw_notes, draw_text

if TYPE_CHECKING:
    from ..addon.markers.take_object import TakeObject

MOTION_LABEL = "Motion of SMPL, Acclaim, OpenSim (.npz, .amc, .mot, .sto)"
LABEL = "Motion Markers (.c3d, .trc, .csv)"
SHOWN_FAULTS = 8


def draw_import_entry(menu: Any, _context: Context) -> None:
    """Add the imports to File > Import."""
    menu.layout.operator("heft.import_markers", text=LABEL)
    menu.layout.operator("heft.import_motion", text=MOTION_LABEL)


class HEFT_PT_markers(SidebarTab, Panel):
    """Import of markers and motions; a take that is selected has a panel of its own."""

    bl_idname = "HEFT_PT_markers"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Motion Capture"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        self.layout.operator("heft.import_markers", icon="IMPORT")
        self.layout.operator("heft.import_motion", icon="IMPORT")


class _TakeTab(SidebarTab):
    @classmethod
    def poll(cls, context: Context) -> bool:
        from ..addon.markers.take_object import shown_take

        return shown_take(context.object) is not None


class HEFT_PT_take(_TakeTab, Panel):
    """Facts of the take."""

    bl_idname = "HEFT_PT_take"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Take"

    def draw(self, context: Context) -> None:
        from ..addon.markers.take_object import shown_take

        take = shown_take(context.object)
        if take is not None:
            _draw_facts(context, self.layout, take)


def _draw_facts(context: Context, layout: UILayout, obj: TakeObject) -> None:
    from ..addon.markers.take_object import rate_hz, sample_count

    take, rate, samples = obj.heft_take, rate_hz(obj), sample_count(obj)
    column = layout.column(align=True)
    column.label(text=take.file_name, icon="POINTCLOUD_DATA")
    column.label(text=f"{len(take.rows)} markers, {(samples - 1) / rate:.2f} s at {rate:g} Hz")
    gaps = [row for row in take.rows if row.seen_share < 1.0]
    missing = sum(1.0 - row.seen_share for row in gaps) / max(1, len(take.rows))
    column.label(text=f"Gaps in {len(gaps)} markers, {missing:.1%} of samples" if gaps else "No gaps")
    if take.plates:
        column.label(text=f"{take.plates} force plates")
    draw_notes(context, layout, take.notes)


class HEFT_UL_markers(Rows, UIList):
    """The table of markers."""

    bl_idname = "HEFT_UL_markers"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.split(factor=0.4)
        row.label(text=item.label, icon="DOT" if item.labelled else "QUESTION")
        if item.fitted:
            row = row.split(factor=0.7)
        row.prop(item, "part", text="")
        if item.fitted:
            row.label(text=f"{item.rms_cm:.1f}")


class HEFT_PT_marker_table(_TakeTab, Panel):
    """The marker set of the take."""

    bl_idname = "HEFT_PT_marker_table"
    bl_parent_id = "HEFT_PT_take"
    bl_label = "Marker Set"

    def draw(self, context: Context) -> None:
        from ..addon.markers.take_object import shown_take

        layout, obj = self.layout, shown_take(context.object)
        if obj is None:
            return
        take = obj.heft_take
        used = sum(row.part != NOT_USED for row in take.rows)
        name = take.set_name or "By hand"
        known = f"{name}: {used} of {len(take.rows)} markers" if used else "No marker has a body part yet"
        layout.label(text=known, icon="CHECKMARK" if used else "ERROR")
        layout.template_list("HEFT_UL_markers", "", take, "rows", take, "row_index", rows=6)
        if context.object != obj:
            return
        row = layout.row(align=True)
        row.operator("heft.recognise_markers", text="Recognise", icon="VIEWZOOM")
        row.operator_menu_enum("heft.load_marker_set", "preset", text="Load")
        row = layout.row(align=True)
        row.operator("heft.save_marker_set", text="Save", icon="FILE_TICK")
        row.operator_menu_enum("heft.remove_marker_set", "preset", text="Remove")


class HEFT_PT_fit(_TakeTab, Panel):
    """Options and errors of the fit."""

    bl_idname = "HEFT_PT_fit"
    bl_parent_id = "HEFT_PT_take"
    bl_label = "Fit"

    def draw(self, context: Context) -> None:
        from ..addon.markers.take_object import shown_take

        layout, obj = self.layout, shown_take(context.object)
        if obj is None:
            return
        take = obj.heft_take
        if context.object == obj:
            column = layout.column()
            column.use_property_split = True
            column.use_property_decorate = False
            column.prop(take, "target")
            if take.target == "OWN":
                column.prop(take, "own_armature")
            column.prop(take, "static")
            column.prop(take, "quality")
            layout.operator("heft.fit_markers", icon="ARMATURE_DATA")
        if take.fitted:
            _draw_fit(context, layout, take)


def _draw_fit(context: Context, layout: UILayout, take: HeftTake) -> None:
    fitted = [row for row in take.rows if row.fitted]
    worst = max(fitted, key=lambda row: row.worst_cm, default=None)
    column = layout.column(align=True)
    for warning in take.fit_warnings:
        draw_text(context, column, warning.text, "ERROR")
    text = f"Marker error: {take.rms_cm:.2f} cm (RMS), {take.used}"
    column.label(text=text, icon="DOT" if take.fit_warnings else "CHECKMARK")
    if worst is not None:
        column.label(text=f"Worst: {worst.label}, {worst.worst_cm:.1f} cm at frame {worst.worst_frame}")
    column.label(text="Green: 1 cm, orange: 2 cm, red: more")
    if 0 <= take.row_index < len(take.rows) and take.rows[take.row_index].fitted:
        row = take.rows[take.row_index]
        text = f"{row.label}: {row.rms_cm:.2f} cm, at most {row.worst_cm:.1f} cm at frame {row.worst_frame}"
        draw_text(context, layout, text, "DOT")
    if take.armature is not None:
        layout.label(text=take.armature.name, icon="ARMATURE_DATA")
    for note in take.fit_notes:
        draw_text(context, layout, note.text, "INFO")
    for fault in take.faults[:SHOWN_FAULTS]:
        draw_text(context, layout, fault.text, "ERROR")
    if len(take.faults) > SHOWN_FAULTS:
        layout.label(text=f"and {len(take.faults) - SHOWN_FAULTS} more")


class HEFT_PT_controls(SidebarTab, Panel):
    """Control markers of the armature."""

    bl_idname = "HEFT_PT_controls"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Pull Bones"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return controlled_rig(context.object) is not None

    def draw(self, context: Context) -> None:
        layout, rig = self.layout, controlled_rig(context.object)
        if rig is None:
            return
        controls = controls_of(context, rig)
        for obj in controls:
            _draw_control(layout, obj, rig)
        if not controls:
            draw_text(
                context, layout, "Empties pull bones of the character. Select a bone in Pose Mode and add one"
            )
        if context.object == rig:
            layout.operator("heft.add_control_marker", icon="EMPTY_DATA")
            layout.operator("heft.pull", icon="FORCE_FORCE")


def _draw_control(layout: UILayout, obj: ControlObject, rig: ArmatureObject) -> None:
    control = obj.heft_control
    box = layout.box().column(align=True)
    box.label(text=obj.name, icon="EMPTY_DATA")
    box.prop_search(control, "bone", rig.data, "bones", text="")
    box.prop(control, "weight")
    row = box.row(align=True)
    for axis in "xyz":
        row.prop(control, f"use_{axis}", toggle=True)
    box.prop(control, "dead_zone_m")


CLASSES = (
    HEFT_UL_markers,
    HEFT_PT_take,
    HEFT_PT_markers,
    HEFT_PT_marker_table,
    HEFT_PT_fit,
    HEFT_PT_controls,
)
