"""Lines on how the armature's motion is read, and the settings that change it."""

from __future__ import annotations

from bpy.types import Context, UILayout

from ..addon.blender.blender_types import ArmatureObject, RigContext
from ..addon.blender.library_overrides import character_of
from ..addon.reading.motion_finding import is_stated, reading_lines
from .sidebar import ICON_WIDTH, draw_text


def draw_reading(context: Context, layout: UILayout, rig: RigContext) -> None:
    """Draw the size, the rate and the rest frames, each unusual one with what changes it."""
    column = layout.column(align=True)
    column.use_property_split = True
    column.use_property_decorate = False
    for line in reading_lines(rig.object, rig.scene):
        if line.setting and not is_stated(rig.object, line.setting):
            row = column.row()
            draw_text(context, row, line.text, "INFO", ICON_WIDTH)
            change = row.operator("heft.state_reading", text="", icon="GREASEPENCIL", emboss=False)
            change.setting = line.setting
            continue
        draw_text(context, column, line.text, "INFO" if line.setting else "BLANK1")
        if line.setting:
            owner = character_of(rig.object) if line.setting == "height" else rig.object.heft_reading
            column.prop(owner, line.setting)


def draw_reading_settings(layout: UILayout, obj: ArmatureObject) -> None:
    """Draw what can be stated about the motion instead of being found."""
    column = layout.column(align=True)
    column.prop(obj.heft_reading, "fps")
    column.prop(obj.heft_reading, "keep_rest_frames")
