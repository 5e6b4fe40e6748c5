"""The main panel: Simulate, its source, its quality, the running job and the result."""

from __future__ import annotations

from bpy.types import Context, Object, Panel, UILayout

from ..addon.bake.bake_options import armatures_of, frame_range
from ..addon.bake.bake_summary import detail_lines, summary_lines
from ..addon.bake.compare import can_mix
from ..addon.bake.remedies import remedies_of
from ..addon.blender.blender_types import ArmatureObject, RigContext, rig_context
from ..addon.jobs.job_queue import QUEUE
from ..addon.jobs.progress import progress_text
from ..addon.live.live_stream import CLIP, FILE, HeftStream
from ..addon.live.plays import take_of
from ..addon.presets.file_version import file_news
from ..addon.reading.rig_reader import armature_of
from ..addon.reading.source_action import result_of_another_action, shows_result, source_name
from .reading_lines import draw_reading
from .sidebar import ArmatureTab, SidebarTab, draw_notes, draw_text


class HEFT_PT_main(SidebarTab, Panel):
    """The parent of all panels: what a first simulation needs."""

    bl_idname = "HEFT_PT_main"
    bl_label = "Heft"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, context.object
        draw_progress(context, layout)
        if QUEUE.last_words:
            draw_text(context, layout, QUEUE.last_words, "ERROR")
        for line in file_news():
            draw_text(context, layout, line, "INFO")
        if obj is None or obj.type != "ARMATURE":
            _draw_armature_hint(layout, obj)
            return
        rig = rig_context(context)
        row = layout.row()
        row.scale_y = 1.4
        busy = rig.window_manager.heft.running
        row.operator("heft.simulate", text="Add to Queue" if busy else "Simulate", icon="PLAY")
        _draw_live(layout, rig.object)
        draw_source_line(context, layout, rig)
        draw_reading(context, layout, rig)
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(rig.object.heft, "quality")
        if not rig.object.heft.outcome.present:
            layout.label(text="No result yet", icon="BLANK1")
        _draw_together(context, layout, armatures_of(rig))


def _draw_live(layout: UILayout, obj: ArmatureObject) -> None:
    """Draw Play Live with what is followed, and what can become of a recorded take."""
    row, stream = layout.row(align=True), obj.heft_stream
    row.operator("heft.play_live", icon="MOUSE_LMB_DRAG")
    row.prop(stream, "follow", text="")
    if stream.follow != CLIP:
        _draw_stream(layout.column(align=True), stream)
    take = take_of(obj)
    if take is not None:
        row = layout.row(align=True)
        row.operator("heft.keep_take", text=f"Keep Take of {take.seconds:.1f} s", icon="CHECKMARK")
        row.operator("heft.forget_take", text="", icon="TRASH")


def _draw_stream(layout: UILayout, stream: HeftStream) -> None:
    """Draw where a performer's stream comes from, and how it is followed."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    if stream.follow == FILE:
        layout.prop(stream, "file")
    else:
        layout.prop(stream, "address")
        layout.prop(stream, "port")
    layout.row().prop(stream, "mode", expand=True)
    if stream.mode == "DELAYED":
        layout.prop(stream, "delay")
    layout.prop(stream, "show_performer")


def draw_source_line(context: Context, layout: UILayout, rig: RigContext) -> None:
    """Draw what will be simulated: the action and its frames, or the number of actions."""
    obj = rig.object
    if obj.heft.source_mode == "SEQUENCE":
        count = len(obj.heft.sequence)
        layout.label(text=f"Sequence of {count} action{'s' if count != 1 else ''}", icon="NLA")
        return
    name = source_name(obj)
    if not name:
        draw_text(context, layout, "No animation yet: choose an action for the armature", "ERROR")
        return
    start, end = frame_range(rig, obj)
    what = f"{name}, frames {start} to {end}" if end > start else f"{name}, a single pose"
    draw_text(context, layout, what, "ACTION")


def _draw_together(context: Context, layout: UILayout, together: list[ArmatureObject]) -> None:
    if len(together) < 2:
        return
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
    """What happened in the last bake, what to try next, and the comparison with the source."""

    bl_idname = "HEFT_PT_result"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Result"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft.outcome.present

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        column = layout.column(align=True)
        other = result_of_another_action(obj)
        if other:
            draw_text(context, column, f"Of the last simulation, of {other}:", "TIME")
        for line in summary_lines(obj.heft.outcome):
            draw_text(context, column, line.text, line.icon)
        if obj.heft.outcome.fell and not obj.heft.outcome.made:
            _draw_remedies(layout, obj)
        if obj.heft.baked_action is not None:
            _draw_compare(layout, obj)


def _draw_remedies(layout: UILayout, obj: ArmatureObject) -> None:
    column = layout.column(align=True)
    if obj.heft.outcome.misses_support:
        column.operator("heft.find_supports", icon="MESH_CUBE")
    for remedy in remedies_of(obj):
        column.operator("heft.try_again", text=remedy.text, icon="PLAY").remedy = remedy.key


def _draw_compare(layout: UILayout, obj: ArmatureObject) -> None:
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


class HEFT_PT_details(ArmatureTab, Panel):
    """Figures and notes of the last bake."""

    bl_idname = "HEFT_PT_details"
    bl_parent_id = "HEFT_PT_result"
    bl_label = "Details"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft.outcome.present

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        if bake.baked_action is not None:
            layout.label(text=bake.baked_action.name, icon="ACTION")
        column = layout.column(align=True)
        for line in detail_lines(bake.outcome):
            draw_text(context, column, line)


class HEFT_PT_notes(ArmatureTab, Panel):
    """Notes of the last bake."""

    bl_idname = "HEFT_PT_notes"
    bl_parent_id = "HEFT_PT_details"
    bl_label = "Notes"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and len(rig_context(context).object.heft.outcome.notes) > 0

    def draw(self, context: Context) -> None:
        draw_notes(context, self.layout, rig_context(context).object.heft.outcome.notes)


def draw_progress(context: Context, layout: UILayout) -> None:
    """Draw the running job and the queue, if there is a job."""
    shown = rig_context(context).window_manager.heft
    if not shown.running:
        return
    box = layout.box().column(align=True)
    if len(shown.jobs) > 0:
        box.label(text=shown.jobs[0].name, icon="TIME")
    if not shown.is_endless:
        box.progress(factor=shown.fraction, text=progress_text("", shown.fraction, shown.left).strip())
    draw_text(context, box, shown.stage)
    if shown.can_finish:
        box.operator("heft.finish_search", icon="CHECKMARK")
    if not shown.is_endless:
        box.prop(shown, "preview")
    waiting = shown.jobs[1:]
    hint = "  ends it" if shown.is_endless else "  cancels; nothing is changed"
    box.label(text=hint, icon="EVENT_ESC")
    if not waiting:
        return
    box.separator()
    box.label(text="Queued jobs:")
    for index, job in enumerate(waiting):
        row = box.row(align=True)
        row.label(text=job.name, icon="SORTTIME")
        row.operator("heft.queue_remove", text="", icon="X", emboss=False).index = index


CLASSES = (HEFT_PT_main, HEFT_PT_result, HEFT_PT_details, HEFT_PT_notes)
