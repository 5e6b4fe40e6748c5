"""Which part is simulated, which keys are written, and how a control rig is keyed."""

from __future__ import annotations

from bpy.types import Context, Panel, UILayout

from ..addon.blender.blender_types import ArmatureObject, part_bone, rig_context
from ..addon.reading.parts import is_loop_action
from .sidebar import ArmatureTab, draw_text
from .soft_parts import draw_soft_parts


class HEFT_PT_parts(ArmatureTab, Panel):
    """Which part of the body and of the frames is simulated."""

    bl_idname = "HEFT_PT_parts"
    bl_parent_id = "HEFT_PT_options"
    bl_label = "Parts"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, parts = self.layout, rig_context(context).object.heft_parts
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(parts, "only")
        if parts.only == "upper":
            draw_text(context, layout, "Hips and legs follow the animation, without physics", "INFO")
        if parts.only == "soft":
            draw_text(context, layout, "The body follows its animation, without physics", "INFO")
        layout.row().prop(parts, "loop", expand=True)
        if parts.loop == "AUTO" and is_loop_action(rig_context(context).object):
            draw_text(context, layout, "The action is a loop, and so will be the result", "INFO")
        column = layout.column(align=True)
        column.prop(parts, "blend_in")
        column.prop(parts, "blend_out")
        if parts.blend_in or parts.blend_out:
            draw_text(context, layout, "Blended frames are not physical", "INFO")
        _draw_bones(context, layout.column(align=True), rig_context(context).object)
        draw_soft_parts(layout, rig_context(context).object)


def _draw_bones(context: Context, layout: UILayout, obj: ArmatureObject) -> None:
    """Draw how much of single bones is simulated."""
    bone = context.active_pose_bone
    if obj.mode == "POSE" and bone is not None:
        layout.prop(part_bone(bone), "heft_simulate", text=bone.name)
        _draw_choice(layout, "Selected Bones", "SELECTED")
    collection = obj.data.collections.active
    if collection is not None:
        _draw_choice(layout, f"All in {collection.name}", "COLLECTION")
    if collection is not None or obj.mode == "POSE":
        layout.prop(obj.heft_parts, "key_bones")
    partly = sum(part_bone(bone).heft_simulate < 1.0 for bone in obj.pose.bones)
    if partly:
        text = f"{partly} bone{'s' * (partly > 1)} not fully simulated at this frame, and not physical"
        draw_text(context, layout, text, "INFO")


def _draw_choice(layout: UILayout, text: str, which: str) -> None:
    row = layout.split(factor=0.4, align=True)
    row.label(text=text)
    for label, share in (("Simulate", 1.0), ("Animate", 0.0)):
        button = row.operator("heft.set_simulated", text=label)
        button.which, button.share = which, share


class HEFT_PT_keys(ArmatureTab, Panel):
    """Which keys a bake writes."""

    bl_idname = "HEFT_PT_keys"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Keys"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, keys = self.layout, rig_context(context).object.heft_keys
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row()
        row.use_property_split = False  # the panel's title is label enough
        row.prop(keys, "mode", expand=True)
        if keys.mode == "FEW":
            column = layout.column(align=True)
            column.prop(keys, "degrees")
            column.prop(keys, "millimetres")
        if keys.count:
            text = f"Last bake: {keys.count} keys ({keys.count / keys.every_frame:.0%} of every frame)"
            draw_text(context, layout, text, "KEYFRAME")
            reached = f"Largest error: {keys.reached_degrees:.2f}°, {keys.reached_millimetres:.1f} mm"
            draw_text(context, layout, reached, "BLANK1")
            if keys.outside:
                draw_text(context, layout, f"{keys.outside} keys before and after are the source's", "BLANK1")


class HEFT_PT_control_rig(ArmatureTab, Panel):
    """FK or IK of control rigs."""

    bl_idname = "HEFT_PT_control_rig"
    bl_parent_id = "HEFT_PT_keys"
    bl_label = "Control Rig"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Show the panel for rigs with constraints, because others have no controls."""
        if not super().poll(context):
            return False
        return any(bone.constraints for bone in rig_context(context).object.pose.bones)

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(rig_context(context).object.heft_controls, "limbs")


CLASSES = (
    HEFT_PT_parts,
    HEFT_PT_keys,
    HEFT_PT_control_rig,
)
