"""The main panel: the Simulate button, the running job, the result and its comparison with the source."""

from __future__ import annotations

from bpy.types import Context, Object, Panel, UILayout

from ..addon.bake.bake_options import armatures_of
from ..addon.bake.bake_report import HeftOutcome
from ..addon.bake.compare import can_mix
from ..addon.blender.blender_types import rig_context
from ..addon.jobs.progress import progress_text
from ..addon.reading.rig_reader import armature_of
from ..addon.reading.source_action import shows_result
from .sidebar import ArmatureTab, SidebarTab, draw_text


class HEFT_PT_main(SidebarTab, Panel):
    """The parent of all panels: the Simulate button and the running job."""

    bl_idname = "HEFT_PT_main"
    bl_label = "Heft"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, context.object
        draw_progress(context, layout)
        if obj is None or obj.type != "ARMATURE":
            _draw_armature_hint(layout, obj)
            return
        row = layout.row()
        row.scale_y = 1.4
        busy = rig_context(context).window_manager.heft.running
        row.operator("heft.simulate", text="Add to Queue" if busy else "Simulate", icon="PLAY")
        together = armatures_of(rig_context(context))
        if len(together) > 1:
            box = layout.box().column(align=True)
            box.label(text="Simulated together:", icon="COMMUNITY")
            for armature in together:
                box.label(text=armature.name, icon="ARMATURE_DATA")
            draw_text(context, box, "The options below are those of the active armature")


def _draw_armature_hint(layout: UILayout, obj: Object | None) -> None:
    armature = armature_of(obj)
    if obj is None or armature is None:
        layout.label(text="Select the character's armature", icon="INFO")
        return
    layout.label(text=f"This is moved by '{armature.name}'", icon="INFO")
    layout.operator("heft.select_armature", icon="ARMATURE_DATA")


class HEFT_PT_result(ArmatureTab, Panel):
    """Figures of the last bake."""

    bl_idname = "HEFT_PT_result"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Result"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft.outcome.present

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        if bake.baked_action is not None:
            layout.label(text=bake.baked_action.name, icon="ACTION")
        if bake.outcome.simulated:
            _draw_figures(context, layout, bake.outcome)


class HEFT_PT_notes(ArmatureTab, Panel):
    """Notes of the last bake, in a panel that can be folded."""

    bl_idname = "HEFT_PT_notes"
    bl_parent_id = "HEFT_PT_result"
    bl_label = "Notes"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and len(rig_context(context).object.heft.outcome.notes) > 0

    def draw(self, context: Context) -> None:
        for note in rig_context(context).object.heft.outcome.notes:
            draw_text(context, self.layout, note.text, "INFO")


def distance_lines(outcome: HeftOutcome) -> tuple[str, ...]:
    """Return how far a result is from the prepared motion that it follows, and from the source."""
    return (
        f"Joints: {outcome.joint_error_deg:.1f}° from the prepared motion",
        f"Joints: {outcome.joint_error_source_deg:.1f}° from the source",
        f"Hips: {100.0 * outcome.root_error_m:.1f} cm from the prepared motion",
        f"Hips: {100.0 * outcome.root_error_source_m:.1f} cm from the source",
    )


def _draw_figures(context: Context, layout: UILayout, outcome: HeftOutcome) -> None:
    column, most = layout.column(align=True), outcome.assist_force_max_n
    if outcome.fell:
        column.label(text=f"Falls at frame {outcome.fell_frame}", icon="ERROR")
        draw_text(context, column, "Try more assist, or a shorter range")
    else:
        column.label(text="Stays up to the end", icon="CHECKMARK")
    for text in distance_lines(outcome):
        column.label(text=text)
    column.label(text=f"Feet slide {outcome.skate_cm_s:.1f} cm/s")
    if most > 0.0:
        column.label(text=f"Assist: mean {outcome.assist_force_mean_n:.0f} N, max {most:.0f} N")
    else:
        column.label(text="No assist: physics only")
    if not outcome.fell and most > 0.0:
        column.label(text="Try less assist")


def draw_progress(context: Context, layout: UILayout) -> None:
    """Draw the running job and the queue, if there is a job."""
    shown = rig_context(context).window_manager.heft
    if not shown.running:
        return
    box = layout.box().column(align=True)
    if len(shown.jobs) > 0:
        box.label(text=shown.jobs[0].name, icon="TIME")
    box.progress(factor=shown.fraction, text=progress_text("", shown.fraction, shown.left).strip())
    draw_text(context, box, shown.stage)
    if shown.can_finish:
        box.operator("heft.finish_search", icon="CHECKMARK")
    box.prop(shown, "preview")
    waiting = shown.jobs[1:]
    box.label(text="  cancels; nothing is changed", icon="EVENT_ESC")
    if not waiting:
        return
    box.separator()
    box.label(text="Queued jobs:")
    for index, job in enumerate(waiting):
        row = box.row(align=True)
        row.label(text=job.name, icon="SORTTIME")
        row.operator("heft.queue_remove", text="", icon="X", emboss=False).index = index


class HEFT_PT_compare(ArmatureTab, Panel):
    """Source and result, Apply and Discard."""

    bl_idname = "HEFT_PT_compare"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Compare"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft.baked_action is not None

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        shown = shows_result(obj)
        layout.operator(
            "heft.toggle_source",
            text="Show Source" if shown else "Show Result",
            icon="LOOP_BACK" if shown else "LOOP_FORWARDS",
        )
        row = layout.row()
        row.enabled, row.active = can_mix(obj), shown
        row.prop(obj.heft_compare, "share", slider=True, text="Result" if shown else "Result, not shown")
        row = layout.row(align=True)
        row.operator("heft.apply_result", icon="CHECKMARK")
        row.operator("heft.discard_result", icon="TRASH")


CLASSES = (HEFT_PT_main, HEFT_PT_compare, HEFT_PT_result, HEFT_PT_notes)
