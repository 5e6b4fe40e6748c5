"""Operators of marker takes."""

from __future__ import annotations

from pathlib import Path

from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Context, Event, FileHandler, Operator

from ..addon.blender_types import OperatorResult, rig_context
from ..addon.markers.import_takes import ImportOptions, import_takes
from ..sim_core.errors import HeftError


class HEFT_OT_import_markers(Operator):
    """Import markers of an optical capture, with its force plates"""

    bl_idname = "heft.import_markers"
    bl_label = "Import Markers"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.c3d;*.trc", options={"HIDDEN"})
    frame_start: IntProperty(name="Start Frame", description="The frame of the first sample", default=1)
    set_range: BoolProperty(name="Set Frame Range", description="The scene starts and ends with the take")
    set_rate: BoolProperty(
        name="Set Frame Rate",
        description="The scene gets the take's rate; without it the frames show the take at their own time",
    )
    unit: FloatProperty(
        name="Unit [m]",
        description="Metres per unit of the file, such as 0.001 for millimetres; 0 believes the file",
        min=0.0,
        soft_max=1.0,
        precision=4,
    )

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        manager = rig_context(context).window_manager
        if self.filepath:  # dropped on the window
            return manager.invoke_props_dialog(self)
        manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> OperatorResult:
        options = ImportOptions(self.unit, self.frame_start, self.set_range, self.set_rate)
        try:
            imported = import_takes(context, Path(self.filepath), options)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        for note in imported.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, imported.sentence)
        return {"FINISHED"}


class HEFT_FH_markers(FileHandler):
    """Marker files can be dropped on the 3D view"""

    bl_idname = "HEFT_FH_markers"
    bl_label = "Motion Markers"
    bl_import_operator = "heft.import_markers"
    bl_file_extensions = ".c3d;.trc"

    @classmethod
    def poll_drop(cls, context: Context) -> bool:
        return context.area is not None and context.area.type == "VIEW_3D"


CLASSES = (HEFT_OT_import_markers, HEFT_FH_markers)
