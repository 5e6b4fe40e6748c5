"""Menus of presets with plus and minus, as Blender's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Menu, UILayout

from ..addon.blender_types import ArmatureObject
from ..addon.own_files import OWN
from ..addon.setting_presets import chosen, preset_rows


class _PresetMenu:
    group = ""

    if TYPE_CHECKING:
        # Blender sets it before it draws.
        layout: UILayout

    def draw(self, _context: Context) -> None:
        for row in preset_rows(self.group):
            if row.problem:
                self.layout.label(text=row.problem, icon="ERROR")
                continue
            button = self.layout.operator("heft.load_preset", text=row.name)
            button.group, button.key, button.about = self.group, row.key, row.about


class HEFT_MT_characters(_PresetMenu, Menu):
    bl_idname = "HEFT_MT_characters"
    bl_label = "Character Presets"
    group = "characters"


class HEFT_MT_motions(_PresetMenu, Menu):
    bl_idname = "HEFT_MT_motions"
    bl_label = "Motion Presets"
    group = "motions"


class HEFT_MT_reactions(_PresetMenu, Menu):
    bl_idname = "HEFT_MT_reactions"
    bl_label = "Reaction Presets"
    group = "reactions"


def draw_presets(layout: UILayout, obj: ArmatureObject, group: str) -> None:
    """A menu that shows what was chosen, with plus and minus."""
    menu = {cls.group: cls for cls in CLASSES}[group]
    name = chosen(obj, group).removeprefix(OWN).replace("_", " ").title()
    row = layout.row(align=True)
    row.menu(menu.bl_idname, text=name or menu.bl_label)
    row.operator("heft.save_preset", text="", icon="ADD").group = group
    row.operator("heft.remove_preset", text="", icon="REMOVE").group = group


CLASSES = (HEFT_MT_characters, HEFT_MT_motions, HEFT_MT_reactions)
