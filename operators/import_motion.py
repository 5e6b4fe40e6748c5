"""Import of motions that Blender itself cannot read."""

from __future__ import annotations

from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from bpy.types import Context, FileHandler, Operator

from ..addon.blender.blender_types import OperatorResult, rig_context
from ..sim_core.base.conventions import AXIS_NAMES
from .shared import DropsOnView, ImportsFile, reports_errors, tell


class HEFT_OT_import_motion(ImportsFile, Operator):
    """Import a motion of SMPL or AMASS, of Acclaim or of OpenSim as a new armature with an action"""

    bl_idname = "heft.import_motion"
    bl_label = "Import Motion"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(default="*.npz;*.amc;*.mot;*.sto", options={"HIDDEN"})
    skeleton: StringProperty(
        name="Skeleton",
        description="The .asf file of an AMC motion, or the .osim model of joint angles; empty finds it "
        "beside the motion; or a model of SMPL (.npz)",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    set_range: BoolProperty(
        name="Set Frame Range", description="Set the scene's frame range to the motion", default=True
    )
    set_rate: BoolProperty(
        name="Set Frame Rate",
        description="Set the scene's frame rate to the motion's; if off, the motion plays in real time",
    )
    fps: FloatProperty(
        name="Captured at [1/s]",
        description="Frames a second of the file; 0 uses the file's, unless its motion contradicts it",
        min=0.0,
        soft_max=240.0,
    )
    height: FloatProperty(
        name="Height [m]",
        description="Height of a SMPL body, whose file does not state it; 0 finds it, or takes the average",
        min=0.0,
        soft_max=2.5,
    )

    up: EnumProperty(
        name="Up",
        description="The file's up axis",
        items=(
            ("AUTO", "Found", "Found from the motion"),
            *((axis, axis, f"{axis} of the file is up") for axis in AXIS_NAMES),
        ),
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("Leave Edit Mode first")
        return context.mode == "OBJECT"

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        from ..addon.markers.import_motion import MotionSession
        from ..addon.markers.import_takes import ImportOptions
        from ..sim_core.jobs.motion_job import MotionJob

        up = "" if self.up == "AUTO" else self.up
        job = MotionJob(self.filepath, self.skeleton, self.fps, self.height, up)
        options = ImportOptions(
            frame_start=self.frame_start, set_range=self.set_range, set_rate=self.set_rate
        )
        rig = rig_context(context)
        tell(self, MotionSession(rig, job, options).wait(rig))
        return {"FINISHED"}


class HEFT_FH_motion(DropsOnView, FileHandler):
    """Motion files can be dropped on the 3D view"""

    bl_idname = "HEFT_FH_motion"
    bl_label = "Motion Files"
    bl_import_operator = "heft.import_motion"
    bl_file_extensions = ".npz;.amc;.mot;.sto"


CLASSES = (
    HEFT_OT_import_motion,
    HEFT_FH_motion,
)
