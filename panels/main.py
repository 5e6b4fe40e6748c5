"""The Heft tab in the 3D view's sidebar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.types import Context, Object, Panel, UILayout

from ..addon.bake_job import armatures_of, frame_range
from ..addon.blender_types import rig_context
from ..addon.properties.outcome import HeftOutcome
from ..addon.rig_reader import armature_of
from ..addon.source_action import source_name
from .bone_table import draw_bone_table
from .presets import draw_presets
from .progress import draw_progress
from .sequence import draw_sequence
from .text import draw_text


class SidebarTab:
    """Where all of Heft's panels are."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Heft"

    if TYPE_CHECKING:
        # Blender sets it before it draws.
        layout: UILayout


class ArmatureTab(SidebarTab):
    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"


class HEFT_PT_main(SidebarTab, Panel):
    bl_idname = "HEFT_PT_main"
    bl_label = "Heft"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, context.object
        draw_progress(context, layout)
        if obj is None or obj.type != "ARMATURE":
            _draw_way_to_armature(layout, obj)
            return
        row = layout.row()
        row.scale_y = 1.4
        busy = rig_context(context).window_manager.heft.running
        row.operator("heft.simulate", text="Simulate Next" if busy else "Simulate", icon="PLAY")
        together = armatures_of(rig_context(context))
        if len(together) > 1:
            box = layout.box().column(align=True)
            box.label(text="Simulated together:", icon="COMMUNITY")
            for armature in together:
                box.label(text=armature.name, icon="ARMATURE_DATA")
            draw_text(context, box, "Options below are those of the active one; each has its own")


def _draw_way_to_armature(layout: UILayout, obj: Object | None) -> None:
    armature = armature_of(obj)
    if obj is None or armature is None:
        layout.label(text="Select the character's armature", icon="INFO")
        return
    layout.label(text=f"This is moved by '{armature.name}'", icon="INFO")
    layout.operator("heft.select_armature", icon="ARMATURE_DATA")


class HEFT_PT_source(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_source"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Source"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.row().prop(obj.heft, "source_mode", expand=True)
        if obj.heft.source_mode == "SEQUENCE":
            draw_sequence(layout, obj)
            return
        name = source_name(obj)
        if name:
            layout.label(text=name, icon="ACTION")
        else:
            draw_text(context, layout, "No animation yet: choose an action for the armature", "ERROR")
        layout.prop(obj.heft, "range_mode")
        if obj.heft.range_mode == "CUSTOM":
            column = layout.column(align=True)
            column.prop(obj.heft, "frame_start")
            column.prop(obj.heft, "frame_end")
        elif name:
            start, end = frame_range(rig_context(context), obj)
            layout.label(text=f"Frames {start} to {end}")


class HEFT_PT_options(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_options"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Options"

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(bake, "quality")
        layout.prop(bake, "assist_cap")
        if bake.assist_cap == 0.0:
            draw_text(context, layout, "Physical: nothing holds the character up", "CHECKMARK")
        else:
            draw_text(context, layout, "Force that may hold the hips; with 0 it is all physics")
        layout.prop(bake, "only_around_hits")
        if bake.only_around_hits:
            draw_text(context, layout, "All frames but those around hits stay the clip as it was")
        layout.prop(bake, "self_collision")


class HEFT_PT_character(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_character"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Character"

    def draw(self, context: Context) -> None:
        layout, character = self.layout, rig_context(context).object.data.heft
        parts = {row.slot for row in character.rows if row.bone}
        found = f"{len(parts)} body parts ({character.kind or 'by hand'})"
        layout.label(text=found if parts else "Recognised when simulating", icon="ARMATURE_DATA")
        layout.operator("heft.recognise", icon="VIEWZOOM")
        draw_presets(layout, rig_context(context).object, "characters")
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(character, "height")
        column.prop(character, "mass")
        if character.height == 0.0 or character.mass == 0.0:
            layout.label(text="0 is measured from the rig")


class HEFT_PT_mapping(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_mapping"
    bl_parent_id = "HEFT_PT_character"
    bl_label = "Bones"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        draw_bone_table(context, self.layout, rig_context(context).object)


class HEFT_PT_result(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_result"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Result"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft.outcome.present

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        if bake.baked_action is not None:
            layout.label(text=bake.baked_action.name, icon="ACTION")
        if bake.outcome.simulated:
            _draw_figures(context, layout, bake.outcome)


class HEFT_PT_notes(ArmatureTab, Panel):
    """On its own, so that who has read them can fold them away."""

    bl_idname = "HEFT_PT_notes"
    bl_parent_id = "HEFT_PT_result"
    bl_label = "Notes"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and len(rig_context(context).object.heft.outcome.notes) > 0

    def draw(self, context: Context) -> None:
        for note in rig_context(context).object.heft.outcome.notes:
            draw_text(context, self.layout, note.text, "INFO")


def _draw_figures(context: Context, layout: UILayout, outcome: HeftOutcome) -> None:
    column, most = layout.column(align=True), outcome.assist_force_max_n
    if outcome.fell:
        column.label(text=f"Falls at frame {outcome.fell_frame}", icon="ERROR")
        draw_text(context, column, "Next: raise Help, or shorten the range")
    else:
        column.label(text="Stays up to the end", icon="CHECKMARK")
    column.label(text=f"Joints: {outcome.joint_error_deg:.1f}° from the source")
    column.label(text=f"Hips: {100.0 * outcome.root_error_m:.1f} cm from the source")
    column.label(text=f"Feet slide {outcome.skate_cm_s:.1f} cm/s")
    if most > 0.0:
        column.label(text=f"Help: {outcome.assist_force_mean_n:.0f} N on average, {most:.0f} N at most")
    else:
        column.label(text="No help: all physics")
    if not outcome.fell and most > 0.0:
        column.label(text="Next: try a smaller Help")


CLASSES = (HEFT_PT_main,)
RESULT_CLASSES = (HEFT_PT_result, HEFT_PT_notes)
SET_UP_CLASSES = (HEFT_PT_source, HEFT_PT_options, HEFT_PT_character, HEFT_PT_mapping)
