"""The buttons of the list of jobs that wait."""

from __future__ import annotations

from bpy.props import IntProperty
from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, rig_context
from ..addon.job_queue import QUEUE
from ..addon.progress_shown import show_progress


class HEFT_OT_queue_remove(Operator):
    """Take this job out of the queue; nothing of it was done yet"""

    bl_idname = "heft.queue_remove"
    bl_label = "Remove from Queue"
    bl_options = {"INTERNAL"}

    index: IntProperty(options={"SKIP_SAVE"}, description="Place in the queue, from 0")

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("No job waits")
        return len(QUEUE.waiting) > 0

    def execute(self, context: Context) -> OperatorResult:
        if not 0 <= self.index < len(QUEUE.waiting):
            return {"CANCELLED"}
        QUEUE.remove(QUEUE.waiting[self.index])
        show_progress(rig_context(context))
        return {"FINISHED"}


CLASSES = (HEFT_OT_queue_remove,)
