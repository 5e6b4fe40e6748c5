"""The Heft tab in the 3D view's sidebar."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from bpy.types import Context, Panel, UILayout

from ..addon.bake_job import frame_range
from ..addon.blender_types import ArmatureObject, rig_context
from ..addon.properties import HeftOutcome
from ..addon.source_action import source_name

LINE_LENGTH = 34
"""Characters that fit into the sidebar at its default width."""


class _Tab:
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Heft"

    if TYPE_CHECKING:
        # Blender sets it before it draws.
        layout: UILayout


class _ArmatureTab(_Tab):
    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"


class HEFT_PT_main(_Tab, Panel):
    bl_idname = "HEFT_PT_main"
    bl_label = "Heft"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, context.object
        if obj is None or obj.type != "ARMATURE":
            layout.label(text="Select the character's armature", icon="INFO")
            return
        progress = rig_context(context).window_manager.heft
        if progress.running:
            text = f"{progress.stage} {progress.fraction:.0%}"
            layout.progress(factor=progress.fraction, text=text)
            layout.label(text="  stops and changes nothing", icon="EVENT_ESC")
            return
        row = layout.row()
        row.scale_y = 1.4
        row.operator("heft.simulate", icon="PLAY")


class HEFT_PT_source(_ArmatureTab, Panel):
    bl_idname = "HEFT_PT_source"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Source"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        layout.use_property_split = True
        layout.use_property_decorate = False
        name = source_name(obj)
        layout.label(text=name or "No animation yet: choose an action", icon="ACTION" if name else "ERROR")
        if _shows_bake(obj):
            layout.operator("heft.use_source", icon="LOOP_BACK")
        layout.prop(obj.heft, "range_mode")
        if obj.heft.range_mode == "CUSTOM":
            column = layout.column(align=True)
            column.prop(obj.heft, "frame_start")
            column.prop(obj.heft, "frame_end")
        elif name:
            start, end = frame_range(rig_context(context), obj)
            layout.label(text=f"Frames {start} to {end}")


class HEFT_PT_options(_ArmatureTab, Panel):
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
            layout.label(text="Physical: nothing holds the character up", icon="CHECKMARK")
        else:
            layout.label(text="May help the hips; 0 is physical")


class HEFT_PT_character(_ArmatureTab, Panel):
    bl_idname = "HEFT_PT_character"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Character"

    def draw(self, context: Context) -> None:
        layout, character = self.layout, rig_context(context).object.data.heft
        parts = {row.slot for row in character.rows if row.bone}
        found = f"{len(parts)} body parts ({character.kind or 'by hand'})"
        layout.label(text=found if parts else "Recognised when simulating", icon="ARMATURE_DATA")
        layout.operator("heft.recognise", icon="VIEWZOOM")
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(character, "height")
        column.prop(character, "mass")
        if character.height == 0.0 or character.mass == 0.0:
            layout.label(text="0 is measured from the rig")


class HEFT_PT_mapping(_ArmatureTab, Panel):
    bl_idname = "HEFT_PT_mapping"
    bl_parent_id = "HEFT_PT_character"
    bl_label = "Bones"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, armature = self.layout, rig_context(context).object.data
        if not armature.heft.rows:
            layout.label(text="Press Recognise Rig to fill the table", icon="INFO")
            return
        column = layout.column(align=True)
        for number, row in enumerate(armature.heft.rows):
            line = column.split(factor=0.35)
            line.label(text=_part_name(row.slot))
            fields = line.row(align=True)
            fields.prop_search(row, "bone", armature, "bones", text="")
            fields.operator("heft.add_bone", text="", icon="ADD").row = number
        layout.operator("heft.clear_mapping", icon="X")


class HEFT_PT_result(_ArmatureTab, Panel):
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
        _draw_outcome(layout, bake.outcome)


def _shows_bake(obj: ArmatureObject) -> bool:
    animation, baked = obj.animation_data, obj.heft.baked_action
    return animation is not None and baked is not None and animation.action == baked


def _draw_outcome(layout: UILayout, outcome: HeftOutcome) -> None:
    if outcome.simulated:
        column = layout.column(align=True)
        if outcome.fell:
            column.label(text=f"Falls at frame {outcome.fell_frame}", icon="ERROR")
            column.label(text="Next: raise the helping force, or shorten the range")
        else:
            column.label(text="Stays up to the end", icon="CHECKMARK")
        column.label(text=f"Joints differ by {outcome.joint_error_deg:.1f} deg")
        column.label(text=f"Hips differ by {100.0 * outcome.root_error_m:.1f} cm")
        mean, most = outcome.assist_force_mean_n, outcome.assist_force_max_n
        used = f"Helping force: {mean:.0f} N, at most {most:.0f} N"
        column.label(text=used if most > 0.0 else "No helping force: physical")
        column.label(text=f"Feet slide {outcome.skate_cm_s:.1f} cm/s")
        if not outcome.fell and most > 0.0:
            column.label(text="Next: try a smaller helping force")
    for note in outcome.notes:
        _draw_text(layout, note.text)


def _draw_text(layout: UILayout, text: str) -> None:
    """A sentence over as many lines as it needs: labels do not wrap."""
    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(text, LINE_LENGTH)):
        column.label(text=line, icon="INFO" if number == 0 else "BLANK1")


def _part_name(slot: str) -> str:
    """Body parts as words: 'upper_arm.L' -> 'Upper Arm L'."""
    return slot.replace("_", " ").replace(".", " ").title()


CLASSES = (
    HEFT_PT_main,
    HEFT_PT_source,
    HEFT_PT_options,
    HEFT_PT_result,
    HEFT_PT_character,
    HEFT_PT_mapping,
)
