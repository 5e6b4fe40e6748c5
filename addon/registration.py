"""Registers everything, or nothing."""

from __future__ import annotations

import bpy

from ..operators import aims as aim_operators
from ..operators import bone_tables as bone_table_operators
from ..operators import choose as choose_operators
from ..operators import compare as compare_operators
from ..operators import control_markers as control_operators
from ..operators import doctor as doctor_operators
from ..operators import fit as fit_operators
from ..operators import mapping as mapping_operators
from ..operators import markers as marker_operators
from ..operators import parts as part_operators
from ..operators import plausible as plausible_operators
from ..operators import presets as preset_operators
from ..operators import queue as queue_operators
from ..operators import report as report_operators
from ..operators import retarget as retarget_operators
from ..operators import scene as scene_operators
from ..operators import sequence as sequence_operators
from ..operators import simulate as simulate_operators
from ..panels import aims as aim_panels
from ..panels import compare as compare_panel
from ..panels import control_rig as control_rig_panels
from ..panels import dials as dial_panels
from ..panels import keys as key_panels
from ..panels import main as panels
from ..panels import markers as marker_panels
from ..panels import overlay as overlay_panel
from ..panels import parts as part_panels
from ..panels import preferences as preferences_panel
from ..panels import presets as preset_menus
from ..panels import report as report_panels
from ..panels import retarget as retarget_panels
from ..panels import scene as scene_panels
from ..panels import sequence as sequence_panel
from . import cli_command, properties
from .compare import properties as compare_properties
from .control_rig import properties as control_rig_properties
from .job_queue import QUEUE
from .keys import properties as key_properties
from .markers import properties as marker_properties
from .overlay import draw as overlay_drawing
from .overlay import properties as overlay_properties
from .parts import properties as part_properties
from .properties.attach import attach, detach
from .report import properties as report_properties
from .retarget import properties as retarget_properties

CLASSES = (
    *properties.CLASSES,
    *control_rig_properties.CLASSES,
    *marker_properties.CLASSES,
    *overlay_properties.CLASSES,
    *compare_properties.CLASSES,
    *key_properties.CLASSES,
    *part_properties.CLASSES,
    *retarget_properties.CLASSES,
    *report_properties.CLASSES,
    *choose_operators.CLASSES,
    *mapping_operators.CLASSES,
    *bone_table_operators.CLASSES,
    *sequence_operators.CLASSES,
    *simulate_operators.CLASSES,
    *queue_operators.CLASSES,
    *plausible_operators.CLASSES,
    *part_operators.CLASSES,
    *compare_operators.CLASSES,
    *scene_operators.CLASSES,
    *aim_operators.CLASSES,
    *marker_operators.CLASSES,
    *fit_operators.CLASSES,
    *control_operators.CLASSES,
    *retarget_operators.CLASSES,
    *doctor_operators.CLASSES,
    *report_operators.CLASSES,
    *preset_operators.CLASSES,
    *preset_menus.CLASSES,
    *sequence_panel.CLASSES,
    # Panels are shown in this order: what is used most is on top.
    *panels.CLASSES,
    *compare_panel.CLASSES,
    *panels.RESULT_CLASSES,
    *dial_panels.CLASSES,
    *panels.SET_UP_CLASSES,
    *report_panels.CLASSES,
    *overlay_panel.CLASSES,
    *scene_panels.CLASSES,
    *aim_panels.CLASSES,
    *part_panels.CLASSES,
    *key_panels.CLASSES,
    *control_rig_panels.CLASSES,
    *retarget_panels.CLASSES,
    *marker_panels.CLASSES,
    *preferences_panel.CLASSES,
)
GROUPS = (
    *properties.GROUPS,
    *control_rig_properties.GROUPS,
    *marker_properties.GROUPS,
    *retarget_properties.GROUPS,
    *report_properties.GROUPS,
    *key_properties.GROUPS,
    *part_properties.GROUPS,
    *overlay_properties.GROUPS,
    *compare_properties.GROUPS,
)

_registered: list[type] = []


def register() -> None:
    """A failure on the way takes back what was done before it is raised."""
    try:
        for cls in CLASSES:
            bpy.utils.register_class(cls)
            _registered.append(cls)
        attach(GROUPS)
        bpy.types.TOPBAR_MT_file_import.append(marker_panels.draw_import_entry)
        cli_command.register()
        overlay_drawing.register()
    except Exception:
        unregister()
        raise


def unregister() -> None:
    QUEUE.clear()
    overlay_drawing.unregister()
    cli_command.unregister()
    bpy.types.TOPBAR_MT_file_import.remove(marker_panels.draw_import_entry)
    detach(GROUPS)
    while _registered:
        bpy.utils.unregister_class(_registered.pop())
