"""Which bones are simulated."""

from __future__ import annotations

from bpy.props import EnumProperty, FloatProperty
from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, rig_context
from ..addon.parts.bone_share import bones_of_collection, set_shares

WHICH = (
    ("SELECTED", "Selected Bones", "The selected pose bones"),
    ("COLLECTION", "Bone Collection", "All bones of the armature's active bone collection"),
)


class HEFT_OT_set_simulated(Operator):
    """Let bones be simulated, or follow their animation"""

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


CLASSES = (HEFT_OT_set_simulated,)
