"""Operators of the source: how it is read, the list of actions, and the bones that are simulated."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty
from bpy.types import Context, Operator

from ..addon.blender.blender_types import OperatorResult, rig_context
from ..addon.blender.compat import action_of
from ..addon.reading.action_links import switch_link
from ..addon.reading.motion_finding import state_found
from ..addon.reading.parts import bones_of_collection, set_shares
from ..addon.reading.sequence_reader import add_clip, fill_from_strips
from .shared import OnArmature, has_armature, has_row, remove_row, reports_errors


class _OnClip:
    """For operators on the selected action of the sequence."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        operator: Any = cls
        if not has_armature(operator, context):
            return False
        return has_row(operator, rig_context(context).object.heft, "sequence")


class HEFT_OT_state_reading(OnArmature, Operator):
    """Change this: show a field with what was found, in which another value can be stated"""

    bl_idname = "heft.state_reading"
    bl_label = "Change"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    setting: EnumProperty(
        items=(("height", "Moves Like", ""), ("fps", "Captured at", "")), options={"HIDDEN", "SKIP_SAVE"}
    )

    def execute(self, context: Context) -> OperatorResult:
        rig = rig_context(context)
        state_found(rig.object, rig.scene, self.setting)
        return {"FINISHED"}


class HEFT_OT_clip_add(OnArmature, Operator):
    """Add the armature's action to the end of the sequence; another one can be chosen below the list"""

    bl_idname = "heft.clip_add"
    bl_label = "Add Action"
    bl_options = {"REGISTER", "UNDO"}

    action: StringProperty(name="Action", description="Its name; empty takes the armature's own action")

    def execute(self, context: Context) -> OperatorResult:
        obj = rig_context(context).object
        if self.action and self.action not in bpy.data.actions:
            self.report({"ERROR"}, f"There is no action '{self.action}'; check its name.")
            return {"CANCELLED"}
        present = action_of(obj)
        own = None if present is None else present.action
        add_clip(obj, bpy.data.actions[self.action] if self.action else own)
        return {"FINISHED"}


class HEFT_OT_clip_remove(_OnClip, Operator):
    """Remove the selected action from the sequence"""

    bl_idname = "heft.clip_remove"
    bl_label = "Remove Action"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> OperatorResult:
        remove_row(rig_context(context).object.heft, "sequence")
        return {"FINISHED"}


class HEFT_OT_clip_move(_OnClip, Operator):
    """Move the selected action up or down"""

    bl_idname = "heft.clip_move"
    bl_label = "Move Action"
    bl_options = {"REGISTER", "UNDO"}

    direction: EnumProperty(items=(("UP", "Up", "Earlier"), ("DOWN", "Down", "Later")))

    def execute(self, context: Context) -> OperatorResult:
        bake = rig_context(context).object.heft
        target = bake.sequence_index + (-1 if self.direction == "UP" else 1)
        if not 0 <= target < len(bake.sequence):
            return {"CANCELLED"}
        bake.sequence.move(bake.sequence_index, target)
        bake.sequence_index = target
        return {"FINISHED"}


class HEFT_OT_switch_link(_OnClip, Operator):
    """Let the selected action of the list go over into this one when the character is steered, or not"""

    bl_idname = "heft.switch_link"
    bl_label = "Switch Link"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    action: StringProperty(name="Action", description="The one that it goes over into")

    def execute(self, context: Context) -> OperatorResult:
        bake = rig_context(context).object.heft
        if self.action not in bpy.data.actions:
            self.report({"ERROR"}, f"There is no action '{self.action}'; check its name.")
            return {"CANCELLED"}
        switch_link(bake.sequence[bake.sequence_index], bpy.data.actions[self.action])
        return {"FINISHED"}


class HEFT_OT_clips_from_nla(OnArmature, Operator):
    """Fill the sequence with the NLA strips that are not muted, in the order in which they start"""

    bl_idname = "heft.clips_from_nla"
    bl_label = "Use NLA Strips"
    bl_options = {"REGISTER", "UNDO"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        count = fill_from_strips(rig_context(context).object)
        self.report({"INFO"}, f"{count} strips are in the list.")
        return {"FINISHED"}


WHICH = (
    ("SELECTED", "Selected Bones", "The selected pose bones"),
    ("COLLECTION", "Bone Collection", "All bones of the armature's active bone collection"),
)


class HEFT_OT_set_simulated(Operator):
    """Set whether bones are simulated or follow their animation"""

    bl_idname = "heft.set_simulated"
    bl_label = "Set Simulated Bones"
    bl_options = {"REGISTER", "UNDO"}

    which: EnumProperty(name="Bones", items=WHICH)
    share: FloatProperty(name="Simulate", default=1.0, min=0.0, max=1.0, subtype="FACTOR")

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("Select an armature first")
        return context.object is not None and context.object.type == "ARMATURE"

    def execute(self, context: Context) -> OperatorResult:
        obj = rig_context(context).object
        in_collection = self.which == "COLLECTION"
        bones = bones_of_collection(obj) if in_collection else list(context.selected_pose_bones or ())
        if not bones:
            self.report({"ERROR"}, "No bones are chosen: select bones in Pose Mode, or a bone collection.")
            return {"CANCELLED"}
        set_shares(bones, self.share, context.scene.frame_current if obj.heft_parts.key_bones else None)
        self.report({"INFO"}, f"{len(bones)} bone(s) set to Simulate {self.share:.2g}.")
        return {"FINISHED"}


CLASSES = (
    HEFT_OT_state_reading,
    HEFT_OT_clip_add,
    HEFT_OT_clip_remove,
    HEFT_OT_clip_move,
    HEFT_OT_switch_link,
    HEFT_OT_clips_from_nla,
    HEFT_OT_set_simulated,
)
