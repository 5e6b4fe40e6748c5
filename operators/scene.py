"""Operators of the scene: roles of objects, and strikes at targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import EnumProperty
from bpy.types import Context, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context, surrounding
from ..addon.reading.scene_objects import ROLES
from .job_operator import SourceOperator
from .shared import OnArmature, has_armature, has_row, remove_row

if TYPE_CHECKING:
    from ..addon.bake.supports_session import SupportsSession


class HEFT_OT_set_role(Operator):
    """Set the role of the selected meshes in the simulation"""

    bl_idname = "heft.set_role"
    bl_label = "Set Role"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="Role", items=ROLES)

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("Select the meshes first")
        return any(obj.type == "MESH" for obj in context.selected_objects)

    def execute(self, context: Context) -> OperatorResult:
        meshes = [obj for obj in context.selected_objects if obj.type == "MESH"]
        for obj in meshes:
            surrounding(obj).heft_object.role = self.role
        self.report({"INFO"}, f"{len(meshes)} object(s) set to {self.role.capitalize()}.")
        return {"FINISHED"}


class HEFT_OT_find_supports(SourceOperator, Operator):
    """Find the steps and seats that the motion was captured on, and add them as objects"""

    bl_idname = "heft.find_supports"
    bl_label = "Find Supports"
    bl_options = {"REGISTER", "UNDO"}
    work = "Find Supports"

    def make_session(self, context: RigContext) -> SupportsSession:
        from ..addon.bake.supports_session import SupportsSession

        return SupportsSession(context, context.object)

    def report_outcome(self, outcome: tuple[str, ...]) -> None:
        for text in outcome:
            self.report({"INFO"}, text)


class HEFT_OT_aim_add(OnArmature, Operator):
    """Add a strike, with the active bone and another selected object as its target"""

    bl_idname = "heft.aim_add"
    bl_label = "Add Strike"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> OperatorResult:
        obj = rig_context(context).object
        row, active = obj.heft.aims.add(), obj.data.bones.active
        row.bone = "" if active is None else active.name
        row.target = next((other for other in context.selected_objects if other != obj), None)
        row.frame = rig_context(context).scene.frame_current
        obj.heft.aims_index = len(obj.heft.aims) - 1
        return {"FINISHED"}


class HEFT_OT_aim_remove(Operator):
    """Remove the selected strike from the list"""

    bl_idname = "heft.aim_remove"
    bl_label = "Remove Strike"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context) and has_row(cls, rig_context(context).object.heft, "aims")

    def execute(self, context: Context) -> OperatorResult:
        remove_row(rig_context(context).object.heft, "aims")
        return {"FINISHED"}


CLASSES = (
    HEFT_OT_set_role,
    HEFT_OT_find_supports,
    HEFT_OT_aim_add,
    HEFT_OT_aim_remove,
)
