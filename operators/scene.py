"""Roles of scene objects."""

from __future__ import annotations

from bpy.props import EnumProperty
from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, surrounding
from ..addon.properties.scene_objects import ROLES


class HEFT_OT_set_role(Operator):
    """Say what the selected meshes are to the characters about them"""

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


CLASSES = (HEFT_OT_set_role,)
