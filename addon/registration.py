"""Registers every class and property group, or nothing."""

from __future__ import annotations

import bpy

from ..operators import character as character_operators
from ..operators import compare as compare_operators
from ..operators import import_motion as import_operators
from ..operators import jobs as job_operators
from ..operators import live as live_operators
from ..operators import make_motion as making_operators
from ..operators import markers as marker_operators
from ..operators import presets as preset_operators
from ..operators import report as report_operators
from ..operators import retarget as retarget_operators
from ..operators import scene as scene_operators
from ..operators import simulate as simulate_operators
from ..operators import source as source_operators
from ..panels import dials as dial_panels
from ..panels import main as main_panels
from ..panels import markers as marker_panels
from ..panels import parts_and_keys as part_panels
from ..panels import preferences as preferences_panel
from ..panels import report as report_panels
from ..panels import retarget as retarget_panels
from ..panels import scene as scene_panels
from ..panels import setup as setup_panels
from ..panels import soft_parts as soft_panels
from .bake import bake_options, bake_report, compare, warm_up
from .blender import half_written, property_groups, result_actions
from .blender.handlers import add_handlers, remove_handlers
from .blender.library_overrides import override_handlers
from .blender.property_groups import attach, detach, make_overridable
from .cli import command
from .jobs import open_sessions, progress
from .jobs.job_queue import QUEUE
from .jobs.ready_worker import READY
from .live import hop_dials, live_stream, plays
from .markers import control_markers, marker_table
from .overlay import draw_handler, overlay_store
from .presets import file_version, setting_presets
from .reading import (
    aims,
    bone_table,
    motion_finding,
    parts,
    scene_objects,
    sequence_reader,
    soft_parts,
)
from .report import report_store
from .retarget import retarget_inputs
from .writing import key_options
from .writing.control_rig import restore

# A group of properties comes after the groups that it holds.
CLASSES = (
    *property_groups.CLASSES,
    *bone_table.CLASSES,
    *bake_report.CLASSES,
    *sequence_reader.CLASSES,
    *aims.CLASSES,
    *setting_presets.CLASSES,
    *file_version.CLASSES,
    *bake_options.CLASSES,
    *scene_objects.CLASSES,
    *progress.CLASSES,
    *restore.CLASSES,
    *marker_table.CLASSES,
    *control_markers.CLASSES,
    *overlay_store.CLASSES,
    *compare.CLASSES,
    *half_written.CLASSES,
    *result_actions.CLASSES,
    *key_options.CLASSES,
    *parts.CLASSES,
    *soft_parts.CLASSES,
    *motion_finding.CLASSES,
    *retarget_inputs.CLASSES,
    *report_store.CLASSES,
    *live_stream.CLASSES,
    *hop_dials.CLASSES,
    *character_operators.CLASSES,
    *source_operators.CLASSES,
    *simulate_operators.CLASSES,
    *live_operators.CLASSES,
    *making_operators.CLASSES,
    *job_operators.CLASSES,
    *compare_operators.CLASSES,
    *scene_operators.CLASSES,
    *marker_operators.CLASSES,
    *import_operators.CLASSES,
    *retarget_operators.CLASSES,
    *report_operators.CLASSES,
    *preset_operators.CLASSES,
    # Panels are shown in this order, which follows the work.
    *main_panels.CLASSES,
    *setup_panels.CLASSES,
    *dial_panels.CLASSES,
    *scene_panels.CLASSES,
    *soft_panels.CLASSES,
    *part_panels.CLASSES,
    *report_panels.CLASSES,
    *retarget_panels.CLASSES,
    *marker_panels.CLASSES,
    *preferences_panel.CLASSES,
)
GROUPS = (
    *bone_table.GROUPS,
    *bake_options.GROUPS,
    *scene_objects.GROUPS,
    *progress.GROUPS,
    *restore.GROUPS,
    *marker_table.GROUPS,
    *control_markers.GROUPS,
    *retarget_inputs.GROUPS,
    *report_store.GROUPS,
    *key_options.GROUPS,
    *parts.GROUPS,
    *soft_parts.GROUPS,
    *motion_finding.GROUPS,
    *overlay_store.GROUPS,
    *compare.GROUPS,
    *half_written.GROUPS,
    *result_actions.GROUPS,
    *live_stream.GROUPS,
    *hop_dials.GROUPS,
    *file_version.GROUPS,
)
HANDLERS = (
    override_handlers(GROUPS),
    open_sessions.HANDLERS,
    half_written.HANDLERS,
    file_version.HANDLERS,
    plays.HANDLERS,
)

_registered: list[type] = []


def register() -> None:
    """Register everything; a failure undoes what was done before it is raised."""
    try:
        for cls in CLASSES:
            if issubclass(cls, bpy.types.PropertyGroup):
                make_overridable(cls)
            bpy.utils.register_class(cls)
            _registered.append(cls)
        attach(GROUPS)
        bpy.types.TOPBAR_MT_file_import.append(marker_panels.draw_import_entry)
        command.register()
        draw_handler.register()
        add_handlers(HANDLERS)
        warm_up.register()
        READY.register()
    except Exception:
        unregister()
        raise


def unregister() -> None:
    """Stop all jobs and undo the registration."""
    QUEUE.clear()
    READY.unregister()
    warm_up.unregister()
    remove_handlers(HANDLERS)
    plays.forget_takes()
    draw_handler.unregister()
    command.unregister()
    bpy.types.TOPBAR_MT_file_import.remove(marker_panels.draw_import_entry)
    detach(GROUPS)
    while _registered:
        bpy.utils.unregister_class(_registered.pop())
