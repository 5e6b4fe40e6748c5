"""Operators of the list of strikes."""

from __future__ import annotations

from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, rig_context
from .mapping import has_armature
from .rows import has_row, remove_row


class HEFT_OT_aim_add(Operator):
    """Add a strike: a bone that shall meet a target. Takes the active bone and another selected object"""

    bl_idname = "heft.aim_add"
    bl_label = "Add Strike"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    def execute(self, context: Context) -> OperatorResult:
        obj = rig_context(context).object
        row, active = obj.heft.aims.add(), obj.data.bones.active
        row.bone = "" if active is None else active.name
        row.target = next((other for other in context.selected_objects if other != obj), None)
        row.frame = rig_context(context).scene.frame_current
        obj.heft.aims_index = len(obj.heft.aims) - 1
        return {"FINISHED"}


class HEFT_OT_aim_remove(Operator):
    """Take the chosen strike out of the list"""

    bl_idname = "heft.aim_remove"
    bl_label = "Remove Strike"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context) and has_row(cls, rig_context(context).object.heft, "aims")

    def execute(self, context: Context) -> OperatorResult:
        remove_row(rig_context(context).object.heft, "aims")
        return {"FINISHED"}


CLASSES = (HEFT_OT_aim_add, HEFT_OT_aim_remove)
