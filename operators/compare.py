"""Operators that show the source or the result, and apply or discard the result."""

from __future__ import annotations

from bpy.types import Context, Operator

from ..addon.bake.compare import apply_result, discard_result, show_result, show_source
from ..addon.blender.blender_types import OperatorResult, rig_context
from ..addon.jobs.job_queue import QUEUE
from ..addon.reading.source_action import has_source, shows_result
from .shared import has_armature, reports_errors


def _has_bake(cls: type[Operator], context: Context, needs_source: bool) -> bool:
    """Return whether the armature has a bake and, if needed, its source; set the poll's message if not."""
    if not has_armature(cls, context):
        return False
    obj = rig_context(context).object
    if QUEUE.busy([obj]):
        cls.poll_message_set(f"'{obj.name}' is being processed or queued: wait for its result, or press Esc")
        return False
    if obj.heft.baked_action is None:
        cls.poll_message_set("There is no result: simulate first")
        return False
    cls.poll_message_set("The source action of the last bake was deleted")
    return not needs_source or has_source(obj)


class HEFT_OT_toggle_source(Operator):
    """Show the action that was simulated, or the result again; both stay in the file"""

    bl_idname = "heft.toggle_source"
    bl_label = "Show Source"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return _has_bake(cls, context, needs_source=True)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        obj = rig_context(context).object
        name = show_source(obj) if shows_result(obj) else show_result(obj)
        self.report({"INFO"}, f"Showing '{name}'.")
        return {"FINISHED"}


class HEFT_OT_apply_result(Operator):
    """Keep the result as a normal action and end the comparison"""

    bl_idname = "heft.apply_result"
    bl_label = "Apply"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return _has_bake(cls, context, needs_source=False)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        self.report({"INFO"}, f"Kept '{apply_result(rig_context(context).object)}' as a normal action.")
        return {"FINISHED"}


class HEFT_OT_discard_result(Operator):
    """Go back to the source and remove the result, unless you changed it or use it elsewhere"""

    bl_idname = "heft.discard_result"
    bl_label = "Discard"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return _has_bake(cls, context, needs_source=True)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        name, kept = discard_result(rig_context(context).object)
        self.report({"INFO"}, " ".join(filter(None, [f"Restored '{name}'.", kept])))
        return {"FINISHED"}


CLASSES = (
    HEFT_OT_toggle_source,
    HEFT_OT_apply_result,
    HEFT_OT_discard_result,
)
