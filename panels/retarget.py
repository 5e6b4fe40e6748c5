"""The motion of another character on this one."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.blender.blender_types import ArmatureObject, rig_context
from ..addon.blender.library_overrides import character_of
from ..addon.reading.source_action import source_name
from ..addon.retarget.retarget_inputs import HeftRetarget, chosen_source, chosen_targets, target_of
from .setup import draw_bone_table
from .sidebar import ArmatureTab, Rows, chosen_row, draw_list, draw_notes, draw_text


class HEFT_UL_reaches(Rows, UIList):
    """The list of targets for hands and feet."""

    bl_idname = "HEFT_UL_reaches"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.prop(item, "limb", text="")
        layout.label(text=item.target.name if item.target else "no Empty", icon="EMPTY_AXIS")


class HEFT_PT_retarget(ArmatureTab, Panel):
    """Source, options and outcome of a retargeting."""

    bl_idname = "HEFT_PT_retarget"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Retarget"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, target = self.layout, target_of(context.object)
        chosen, source = target.heft_retarget, chosen_source(target.heft_retarget.source)
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(chosen, "source")
        if chosen.source is None:
            draw_text(context, layout, "Choose the character whose motion is copied", "INFO")
            return
        if source is None:
            draw_text(context, layout, "These markers have no armature yet: fit them first", "ERROR")
            return
        if not source_name(source):
            draw_text(context, layout, f"'{source.name}' has no animation yet", "ERROR")
        for name in ("path", "timing", "feet", "ground", "hands", "hold_hands"):
            column.prop(chosen, name)
        layout.label(text=f"From: {_parts(source)}", icon="ARMATURE_DATA")
        layout.label(text=f"To: {_parts(target)}", icon="ARMATURE_DATA")
        others = chosen_targets(rig_context(context))[1:]
        if others:
            draw_text(context, layout, f"Together with {', '.join(obj.name for obj in others)}", "LINKED")
        buttons = layout.column(align=True)
        buttons.scale_y = 1.2
        buttons.operator("heft.retarget", icon="ARMATURE_DATA")
        simulate = buttons.operator("heft.retarget", text="Retarget and Simulate", icon="PLAY")
        simulate.simulate = True


def _parts(obj: ArmatureObject) -> str:
    parts = {row.slot for row in character_of(obj).rows if row.bone}
    return f"{obj.name}, {len(parts)} parts" if parts else obj.name


class HEFT_PT_retargeted(ArmatureTab, Panel):
    """Figures of the last retargeting."""

    bl_idname = "HEFT_PT_retargeted"
    bl_parent_id = "HEFT_PT_retarget"
    bl_label = "Retargeted"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and target_of(context.object).heft_retarget.present

    def draw(self, context: Context) -> None:
        _draw_outcome(self.layout, target_of(context.object).heft_retarget)


class HEFT_PT_retarget_notes(ArmatureTab, Panel):
    """Notes of the last retargeting."""

    bl_idname = "HEFT_PT_retarget_notes"
    bl_parent_id = "HEFT_PT_retargeted"
    bl_label = "Notes"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and len(target_of(context.object).heft_retarget.notes) > 0

    def draw(self, context: Context) -> None:
        draw_notes(context, self.layout, target_of(context.object).heft_retarget.notes)


def _draw_outcome(layout: UILayout, chosen: HeftRetarget) -> None:
    box = layout.column(align=True)
    if chosen.action is not None:
        box.label(text=chosen.action.name, icon="ACTION")
    box.label(text=f"Legs: {chosen.leg_ratio:.2f} times as long")
    simulated, done = chosen.simulated_figures, chosen.kinematic_figures
    if chosen.simulated:
        text = f"Simulated: falls at frame {chosen.fell_frame}" if chosen.fell else "Simulated: stays up"
        box.label(text=text, icon="ERROR" if chosen.fell else "CHECKMARK")
        box.label(text=f"Joint error: {chosen.joint_error_deg:.1f}° from retargeted")
    grid = box.grid_flow(row_major=True, columns=3 if chosen.simulated else 2, align=True)
    heads = ("", "Retargeted", "Simulated") if chosen.simulated else ("", "Retargeted")
    for text in heads:
        grid.label(text=text)
    for text, name, unit in (
        ("Feet slide", "skate_cm_s", "cm/s"),
        ("Feet sink", "penetration_max_cm", "cm"),
        ("Upper body", "upper_deg", "°"),
        ("Legs", "legs_deg", "°"),
    ):
        grid.label(text=text)
        for figures in (done, simulated) if chosen.simulated else (done,):
            grid.label(text=f"{getattr(figures, name):.1f} {unit}")


class HEFT_PT_reaches(ArmatureTab, Panel):
    """Targets for hands and feet."""

    bl_idname = "HEFT_PT_reaches"
    bl_parent_id = "HEFT_PT_retarget"
    bl_label = "Targets for Hands and Feet"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, chosen = self.layout, target_of(context.object).heft_retarget
        draw_list(layout, "HEFT_UL_reaches", chosen, "reaches", "reach")
        reach = chosen_row(chosen, "reaches")
        if reach is None:
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(reach, "limb")
        layout.prop(reach, "target")
        column = layout.column(align=True)
        column.prop(reach, "frame_start")
        column.prop(reach, "frame_end")


class HEFT_PT_source_bones(ArmatureTab, Panel):
    """The table of the source's bones."""

    bl_idname = "HEFT_PT_source_bones"
    bl_parent_id = "HEFT_PT_retarget"
    bl_label = "Source Bones"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return (
            super().poll(context)
            and chosen_source(target_of(context.object).heft_retarget.source) is not None
        )

    def draw(self, context: Context) -> None:
        source = chosen_source(target_of(context.object).heft_retarget.source)
        if source is not None:
            draw_bone_table(context, self.layout, source)


CLASSES = (
    HEFT_UL_reaches,
    HEFT_PT_retarget,
    HEFT_PT_retargeted,
    HEFT_PT_retarget_notes,
    HEFT_PT_reaches,
    HEFT_PT_source_bones,
)
