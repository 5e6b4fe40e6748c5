"""What is simulated and how: source, options, character and its bones."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.blender.blender_types import ArmatureObject, rig_context
from ..addon.blender.library_overrides import character_of
from ..addon.reading.action_links import may_go_over, other_actions
from .dials import draw_presets
from .reading_lines import draw_reading_settings
from .sidebar import ArmatureTab, Rows, chosen_row, draw_list, draw_text


class HEFT_PT_source(ArmatureTab, Panel):
    """The action or sequence to simulate, and its frames."""

    bl_idname = "HEFT_PT_source"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Source"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.row().prop(obj.heft, "source_mode", expand=True)
        if obj.heft.source_mode == "SEQUENCE":
            draw_sequence(layout, obj)
            return
        layout.prop(obj.heft, "range_mode")
        if obj.heft.range_mode == "CUSTOM":
            column = layout.column(align=True)
            column.prop(obj.heft, "frame_start")
            column.prop(obj.heft, "frame_end")
        draw_reading_settings(layout, obj)


class HEFT_PT_steering(ArmatureTab, Panel):
    """Which actions of the list go over into which, when the character is steered or walks along."""

    bl_idname = "HEFT_PT_steering"
    bl_parent_id = "HEFT_PT_source"
    bl_label = "Steering"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not super().poll(context):
            return False
        bake = rig_context(context).object.heft
        return bake.source_mode == "SEQUENCE" and chosen_row(bake, "sequence") is not None

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        clip = chosen_row(obj.heft, "sequence")
        layout.prop(clip, "mirror")
        others = other_actions(obj, clip)
        if clip.action is None or not others:
            draw_text(context, layout, "Add the actions that it may go over into", "INFO")
            return
        draw_text(context, layout, f"{clip.action.name} may go over into:")
        column = layout.column(align=True)
        for action in others:
            on = may_go_over(clip, action)
            icon: Any = "CHECKBOX_HLT" if on else "CHECKBOX_DEHLT"
            column.operator("heft.switch_link", text=action.name, icon=icon, depress=on).action = action.name


class HEFT_PT_hop(ArmatureTab, Panel):
    """A hop that is made for the character."""

    bl_idname = "HEFT_PT_hop"
    bl_parent_id = "HEFT_PT_source"
    bl_label = "Make a Hop"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, hop = self.layout, rig_context(context).object.heft_hop
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        for name in ("height", "speed", "seconds"):
            column.prop(hop, name)
        layout.operator("heft.make_hop", icon="SORT_DESC")


class HEFT_PT_options(ArmatureTab, Panel):
    """Assist and other options; the dials and parts are below them."""

    bl_idname = "HEFT_PT_options"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Options"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(bake, "assist_cap")
        if bake.assist_cap == 0.0:
            draw_text(context, layout, "No assist: physics only", "CHECKMARK")
        else:
            draw_text(context, layout, "Limit of the force on the hips; 0 is physics only")
        layout.prop(bake, "only_around_hits")
        if bake.only_around_hits:
            draw_text(context, layout, "All other frames keep the source")
        layout.prop(bake, "self_collision")
        layout.prop(bake, "toe_joint")
        layout.prop(bake, "search")
        if bake.search:
            layout.prop(bake, "search_seconds")
        layout.prop(bake, "get_up")
        if bake.get_up:
            draw_text(context, layout, "After a fall the new action is longer")


class HEFT_PT_character(ArmatureTab, Panel):
    """Recognised rig, height and mass."""

    bl_idname = "HEFT_PT_character"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Character"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, character = self.layout, character_of(rig_context(context).object)
        parts = {row.slot for row in character.rows if row.bone}
        found = f"{len(parts)} body parts ({character.kind or 'by hand'})"
        layout.label(text=found if parts else "Recognised at the first simulation", icon="ARMATURE_DATA")
        layout.operator("heft.recognise", icon="VIEWZOOM")
        draw_presets(layout, rig_context(context).object, "characters")
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(character, "height")
        column.prop(character, "mass")
        if character.height == 0.0 or character.mass == 0.0:
            layout.label(text="0: measured from the rig")


class HEFT_PT_mapping(ArmatureTab, Panel):
    """The table of the armature's bones."""

    bl_idname = "HEFT_PT_mapping"
    bl_parent_id = "HEFT_PT_character"
    bl_label = "Bones"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        draw_bone_table(context, self.layout, rig_context(context).object)


class HEFT_UL_bones(Rows, UIList):
    """The body parts and their bones."""

    bl_idname = "HEFT_UL_bones"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.split(factor=0.45)
        row.label(text=part_name(item.slot))
        row.label(text=item.bone or "-")


class HEFT_UL_clips(Rows, UIList):
    """The list of actions in a sequence."""

    bl_idname = "HEFT_UL_clips"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.prop(item, "use", text="")
        layout.label(text=item.action.name if item.action else "Choose an action", icon="ACTION")
        if item.repeat != 1.0:
            layout.label(text=f"{item.repeat:g} times")


def draw_sequence(layout: UILayout, obj: ArmatureObject) -> None:
    """Draw the list of actions and the selected one."""
    bake = obj.heft
    buttons = draw_list(layout, "HEFT_UL_clips", bake, "sequence", "clip", lines=4)
    buttons.separator()
    buttons.operator("heft.clip_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("heft.clip_move", text="", icon="TRIA_DOWN").direction = "DOWN"
    clip = chosen_row(bake, "sequence")
    if clip is not None:
        layout.prop(clip, "action")
        column = layout.column(align=True)
        for name in ("frame_start", "frame_end", "scale", "repeat"):
            column.prop(clip, name)
        layout.prop(clip, "reverse")
    layout.operator("heft.clips_from_nla", icon="NLA")
    layout.prop(bake, "blend_seconds")
    layout.operator("heft.walk_along", icon="CURVE_PATH")


def draw_bone_table(context: Context, layout: UILayout, obj: ArmatureObject) -> None:
    """Draw the rows of an armature's table and its buttons."""
    character = character_of(obj)
    row = layout.row(align=True)
    _for(row.operator("heft.recognise", text="Recognise", icon="VIEWZOOM"), obj)
    # The menu cannot pass an armature, so it always fills the active one's table.
    if obj == context.object:
        row.operator_menu_enum("heft.load_bones", "preset", text="Load")
    if not character.rows:
        draw_text(context, layout, "Press Recognise to fill the table", "INFO")
        return
    layout.template_list("HEFT_UL_bones", "", character, "rows", character, "rows_index", rows=8)
    chosen = chosen_row(character, "rows")
    if chosen is not None:
        layout.label(text=part_name(chosen.slot))
        fields = layout.row(align=True)
        fields.prop_search(chosen, "bone", obj.data, "bones", text="")
        add = fields.operator("heft.add_bone", text="", icon="ADD")
        add.row = character.rows_index
        _for(add, obj)
    row = layout.row(align=True)
    _for(row.operator("heft.save_bones", text="Save", icon="FILE_TICK"), obj)
    row.operator_menu_enum("heft.remove_bones", "preset", text="Remove")
    _for(row.operator("heft.clear_mapping", text="Clear", icon="X"), obj)


def _for(button: Any, obj: ArmatureObject) -> None:
    button.armature = obj.name


def part_name(slot: str) -> str:
    """Return the name of a body part for the panel: 'upper_arm.L' -> 'Upper Arm L'."""
    return slot.replace("_", " ").replace(".", " ").title()


CLASSES = (
    HEFT_UL_bones,
    HEFT_UL_clips,
    HEFT_PT_source,
    HEFT_PT_steering,
    HEFT_PT_hop,
    HEFT_PT_character,
    HEFT_PT_mapping,
    HEFT_PT_options,
)
