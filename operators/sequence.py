"""Operators of the list of actions."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Context, Operator

from ..addon.action_clips import add_row, fill_from_strips
from ..addon.blender_types import OperatorResult, rig_context
from ..addon.compat import action_of
from .mapping import has_armature
from .refusals import tells_refusals
from .rows import has_row, remove_row


class HEFT_OT_clip_add(Operator):
    """Add the armature's action to the end of the sequence; another one can be chosen below the list"""

    bl_idname = "heft.clip_add"
    bl_label = "Add Action"
    bl_options = {"REGISTER", "UNDO"}

    action: StringProperty(name="Action", description="Its name; empty takes the armature's own action")

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    def execute(self, context: Context) -> OperatorResult:
        obj = rig_context(context).object
        if self.action and self.action not in bpy.data.actions:
            self.report({"ERROR"}, f"There is no action '{self.action}'; check its name.")
            return {"CANCELLED"}
        present = action_of(obj)
        own = None if present is None else present.action
        add_row(obj, bpy.data.actions[self.action] if self.action else own)
        return {"FINISHED"}


class HEFT_OT_clip_remove(Operator):
    """Take the chosen action out of the sequence"""

    bl_idname = "heft.clip_remove"
    bl_label = "Remove Action"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context) and has_row(cls, rig_context(context).object.heft, "sequence")

    def execute(self, context: Context) -> OperatorResult:
        remove_row(rig_context(context).object.heft, "sequence")
        return {"FINISHED"}


class HEFT_OT_clip_move(Operator):
    """Move the chosen action up or down"""

    bl_idname = "heft.clip_move"
    bl_label = "Move Action"
    bl_options = {"REGISTER", "UNDO"}

    direction: EnumProperty(items=(("UP", "Up", "Earlier"), ("DOWN", "Down", "Later")))

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context) and has_row(cls, rig_context(context).object.heft, "sequence")

    def execute(self, context: Context) -> OperatorResult:
        bake = rig_context(context).object.heft
        target = bake.sequence_index + (-1 if self.direction == "UP" else 1)
        if not 0 <= target < len(bake.sequence):
            return {"CANCELLED"}
        bake.sequence.move(bake.sequence_index, target)
        bake.sequence_index = target
        return {"FINISHED"}


class HEFT_OT_clips_from_nla(Operator):
    """Fill the sequence with the NLA strips that are not muted, in the order in which they start"""

    bl_idname = "heft.clips_from_nla"
    bl_label = "Use NLA Strips"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        count = fill_from_strips(rig_context(context).object)
        self.report({"INFO"}, f"{count} strips are in the list.")
        return {"FINISHED"}


CLASSES = (HEFT_OT_clip_add, HEFT_OT_clip_remove, HEFT_OT_clip_move, HEFT_OT_clips_from_nla)
