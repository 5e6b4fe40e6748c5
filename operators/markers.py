"""Operators of marker takes: import, marker sets, the fit, and control markers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from bpy.types import Context, Event, FileHandler, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.markers.control_markers import add_control, controls_of
from ..addon.markers.marker_table import (
    FILES,
    fill_marker_table,
    load_set,
    recognise_set,
    save_user_set,
    set_keys,
    table_of,
)
from ..addon.reading.rig_reader import metres_per_unit
from .job_operator import JobOperator
from .shared import (
    AsksName,
    DropsOnView,
    ImportsFile,
    OnArmature,
    has_armature,
    outside_edit_mode,
    preset_items,
    reports_errors,
    tell,
)

if TYPE_CHECKING:
    from ..addon.markers.fit import FitSession
    from ..addon.markers.fit_report import FitReport
    from ..addon.markers.pull import PullReport, PullSession


def has_take(cls: type[Operator], context: Context) -> bool:
    """Return whether the active object shows markers; set the poll's message if not."""
    from ..addon.markers.take_object import as_take

    cls.poll_message_set("Select the markers of a take first")
    return as_take(context.object) is not None


class _OnTake:
    """For operators on the marker table of the active take."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        operator: Any = cls
        return has_take(operator, context)


class HEFT_OT_import_markers(ImportsFile, Operator):
    """Import the markers of a motion capture, or keypoints from video: a file, or the folder that is open"""

    bl_idname = "heft.import_markers"
    bl_label = "Import Markers"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(default="*.c3d;*.trc;*.csv;*.npy;*.toml", options={"HIDDEN"})
    set_range: BoolProperty(name="Set Frame Range", description="Set the scene's frame range to the take")
    set_rate: BoolProperty(
        name="Set Frame Rate",
        description="Set the scene's frame rate to the take's; if off, the take plays in real time",
    )
    unit: FloatProperty(
        name="Unit [m]",
        description="Metres per unit of the file, such as 0.001 for millimetres; 0 uses the file's unit",
        min=0.0,
        soft_max=1.0,
        precision=4,
    )
    fps: FloatProperty(
        name="Frame Rate",
        description="Frames per second of the file, where it tells none; 0 uses the file's own",
        min=0.0,
        soft_max=240.0,
    )

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        from ..addon.markers.import_takes import ImportOptions, import_takes

        options = ImportOptions(
            unit=self.unit,
            fps=self.fps,
            frame_start=self.frame_start,
            set_range=self.set_range,
            set_rate=self.set_rate,
        )
        tell(self, import_takes(context, Path(self.filepath), options))
        return {"FINISHED"}


class HEFT_OT_recognise_markers(_OnTake, Operator):
    """Find the marker set by the markers' names, or else by how they move, and fill the table"""

    bl_idname = "heft.recognise_markers"
    bl_label = "Recognise Markers"
    bl_options = {"REGISTER", "UNDO"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        from ..addon.markers.take_object import require_take

        obj = require_take(context.object)
        table = recognise_set(obj, metres_per_unit(rig_context(context).scene))
        for note in table.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, f"{len(table.rows)} of {len(obj.heft_take.rows)} markers: {table.name}.")
        return {"FINISHED"}


class HEFT_OT_load_marker_set(_OnTake, Operator):
    """Fill the table from a marker set"""

    bl_idname = "heft.load_marker_set"
    bl_label = "Load Marker Set"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Marker Set", items=preset_items(set_keys))

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        from ..addon.markers.take_object import require_take

        obj = require_take(context.object)
        table = load_set(self.preset)
        used = fill_marker_table(obj, table)
        self.report({"INFO"}, f"{used} of {len(obj.heft_take.rows)} markers are in '{table.name}'.")
        return {"FINISHED"}


class HEFT_OT_save_marker_set(AsksName, _OnTake, Operator):
    """Save the table as a marker set of your own, for other takes"""

    bl_idname = "heft.save_marker_set"
    bl_label = "Save Marker Set"
    bl_options = {"REGISTER"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        from ..addon.markers.take_object import require_take

        save_user_set(table_of(require_take(context.object)), self.name)
        self.report({"INFO"}, f"Saved the marker set '{self.name}'.")
        return {"FINISHED"}


class HEFT_OT_remove_marker_set(Operator):
    """Delete a marker set that you saved; tables that use it keep their rows"""

    bl_idname = "heft.remove_marker_set"
    bl_label = "Remove Marker Set"
    bl_options = {"REGISTER"}

    preset: EnumProperty(name="Marker Set", items=preset_items(set_keys, only_user=True))

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        return rig_context(context).window_manager.invoke_confirm(self, event)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        name = FILES.remove(self.preset)
        self.report({"INFO"}, f"Removed the marker set '{name}'.")
        return {"FINISHED"}


class HEFT_FH_markers(DropsOnView, FileHandler):
    """Marker files can be dropped on the 3D view"""

    bl_idname = "HEFT_FH_markers"
    bl_label = "Motion Markers"
    bl_import_operator = "heft.import_markers"
    bl_file_extensions = ".c3d;.trc"


class HEFT_OT_fit_markers(JobOperator, Operator):
    """Fit a body to the markers and write its motion into a new action"""

    bl_idname = "heft.fit_markers"
    bl_label = "Fit"
    bl_options = {"REGISTER", "UNDO"}
    work = "Fit"

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_take(cls, context) or not cls.can_queue([rig_context(context).object]):
            return False
        cls.poll_message_set("Leave Edit Mode first")
        return context.mode == "OBJECT"

    def make_session(self, context: RigContext) -> FitSession:
        from ..addon.markers.fit import FitSession
        from ..addon.markers.take_object import require_take

        return FitSession(context, require_take(context.object))

    def report_outcome(self, outcome: FitReport) -> None:
        tell(self, outcome)


class HEFT_OT_add_control_marker(OnArmature, Operator):
    """Add an Empty that pulls the active bone; move it, animate it, then press Pull"""

    bl_idname = "heft.add_control_marker"
    bl_label = "Add Control Marker"
    bl_options = {"REGISTER", "UNDO"}

    bone: StringProperty(name="Bone", description="Its name; empty takes the active bone of Pose Mode")

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        rig = rig_context(context)
        active = rig.object.data.bones.active
        name = self.bone or ("" if active is None else active.name)
        made = add_control(context, rig.object, name)
        self.report({"INFO"}, f"'{made.name}' pulls the bone '{name}'.")
        return {"FINISHED"}


class HEFT_OT_pull(JobOperator, Operator):
    """Move the bones towards their control markers, and write the motion into a new action"""

    bl_idname = "heft.pull"
    bl_label = "Pull"
    bl_options = {"REGISTER", "UNDO"}
    work = "Pull"

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context) or not cls.can_queue([rig_context(context).object]):
            return False
        rig = rig_context(context)
        cls.poll_message_set("Add a control marker to a bone first")
        if not controls_of(context, rig.object):
            return False
        return outside_edit_mode(cls, context)

    def make_session(self, context: RigContext) -> PullSession:
        from ..addon.markers.pull import PullSession

        return PullSession(context, context.object)

    def report_outcome(self, outcome: PullReport) -> None:
        tell(self, outcome)


CLASSES = (
    HEFT_OT_import_markers,
    HEFT_FH_markers,
    HEFT_OT_recognise_markers,
    HEFT_OT_load_marker_set,
    HEFT_OT_save_marker_set,
    HEFT_OT_remove_marker_set,
    HEFT_OT_fit_markers,
    HEFT_OT_add_control_marker,
    HEFT_OT_pull,
)
