"""Import of motions that Blender itself cannot read."""

from __future__ import annotations

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Context, Event, FileHandler, Operator

from ..addon.blender.blender_types import OperatorResult, rig_context
from ..addon.markers.import_motion import MotionSession
from ..addon.markers.import_takes import ImportOptions
from ..sim_core.jobs.motion_job import MotionJob
from ..sim_core.reading.up_axis import AXIS_NAMES
from .shared import reports_errors


class HEFT_OT_import_motion(Operator):
    """Import a motion of SMPL or AMASS, of Acclaim or of OpenSim as a new armature with an action"""

    bl_idname = "heft.import_motion"
    bl_label = "Import Motion"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.npz;*.amc;*.mot;*.sto", options={"HIDDEN"})
    skeleton: StringProperty(
        name="Skeleton",
        description="The .asf file of an AMC motion, or the .osim model of joint angles; empty finds it "
        "beside the motion; or a model of SMPL (.npz)",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    frame_start: IntProperty(name="Start Frame", description="The frame of the first sample", default=1)
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

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        manager = rig_context(context).window_manager
        if self.filepath:  # dropped on the window
            return manager.invoke_props_dialog(self)
        manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        up = "" if self.up == "AUTO" else self.up
        job = MotionJob(self.filepath, self.skeleton, self.fps, self.height, up)
        options = ImportOptions(
            frame_start=self.frame_start, set_range=self.set_range, set_rate=self.set_rate
        )
        rig = rig_context(context)
        imported = MotionSession(rig, job, options).wait(rig)
        for note in imported.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, imported.sentence)
        return {"FINISHED"}


class HEFT_FH_motion(FileHandler):
    """Motion files can be dropped on the 3D view"""

    bl_idname = "HEFT_FH_motion"
    bl_label = "Motion Files"
    bl_import_operator = "heft.import_motion"
    bl_file_extensions = ".npz;.amc;.mot;.sto"

    @classmethod
    def poll_drop(cls, context: Context) -> bool:
        return context.area is not None and context.area.type == "VIEW_3D"


CLASSES = (
    HEFT_OT_import_motion,
    HEFT_FH_motion,
)
