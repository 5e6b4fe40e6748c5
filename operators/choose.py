"""From a character's mesh to its armature, which is what Heft works on."""

from __future__ import annotations

from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult
from ..addon.rig_reader import armature_of


class HEFT_OT_select_armature(Operator):
    """Select the armature that moves this object, in its place"""

    bl_idname = "heft.select_armature"
    bl_label = "Select Armature"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        armature = armature_of(context.object)
        cls.poll_message_set("No armature that can be seen moves this object")
        return armature is not None and armature.visible_get()

    def execute(self, context: Context) -> OperatorResult:
        armature, layer = armature_of(context.object), context.view_layer
        if armature is None or layer is None:
            return {"CANCELLED"}
        for obj in list(layer.objects.selected):
            obj.select_set(False)
        armature.select_set(True)
        layer.objects.active = armature
        return {"FINISHED"}


CLASSES = (HEFT_OT_select_armature,)
