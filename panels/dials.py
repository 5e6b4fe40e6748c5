"""The dials, the values behind them, and menus of presets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.types import Context, Menu, Panel, UILayout

from ..addon.blender.blender_types import ArmatureObject, rig_context
from ..addon.presets.setting_presets import loaded_preset, preset_rows
from ..addon.presets.user_files import USER_PREFIX
from .sidebar import ArmatureTab, draw_text


class HEFT_PT_dials(ArmatureTab, Panel):
    """The dials, with presets of motions and reactions."""

    bl_idname = "HEFT_PT_dials"
    bl_parent_id = "HEFT_PT_options"
    bl_label = "Dials"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        layout.use_property_split = True
        layout.use_property_decorate = False
        dials = obj.heft.dials
        draw_presets(layout, obj, "motions")
        column = layout.column(align=True)
        column.prop(dials, "stiffness")
        column.prop(dials, "balance_weight")
        draw_presets(layout, obj, "reactions")
        column = layout.column(align=True)
        column.prop(dials, "softness")
        column.prop(dials, "alertness")
        column = layout.column(align=True)
        column.prop(dials, "effort")
        column.prop(dials, "weight")


class HEFT_PT_advanced(ArmatureTab, Panel):
    """The values behind the dials."""

    bl_idname = "HEFT_PT_advanced"
    bl_parent_id = "HEFT_PT_dials"
    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column(align=True)
        column.prop(bake.dials, "tracking_gain")
        column.prop(bake.dials, "springs")
        draw_text(context, layout, "0 uses the value from Stiffness")
        layout.prop(bake.dials, "recovery_s")
        layout.prop(bake, "correction")
        layout.prop(bake, "balance")
        methods: Any = bake.bl_rna.properties["balance"]
        draw_text(context, layout, methods.enum_items[bake.balance].description)


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
    """Presets of characters."""

    bl_idname = "HEFT_MT_characters"
    bl_label = "Character Presets"
    group = "characters"


class HEFT_MT_motions(_PresetMenu, Menu):
    """Presets of motions."""

    bl_idname = "HEFT_MT_motions"
    bl_label = "Motion Presets"
    group = "motions"


class HEFT_MT_reactions(_PresetMenu, Menu):
    """Presets of reactions."""

    bl_idname = "HEFT_MT_reactions"
    bl_label = "Reaction Presets"
    group = "reactions"


def draw_presets(layout: UILayout, obj: ArmatureObject, group: str) -> None:
    """Draw a menu that shows the loaded preset, with buttons to save and remove."""
    menu = MENUS[group]
    name = loaded_preset(obj, group).removeprefix(USER_PREFIX).replace("_", " ").title()
    row = layout.row(align=True)
    row.menu(menu.bl_idname, text=name or menu.bl_label)
    row.operator("heft.save_preset", text="", icon="ADD").group = group
    row.operator("heft.remove_preset", text="", icon="REMOVE").group = group


MENUS = {menu.group: menu for menu in (HEFT_MT_characters, HEFT_MT_motions, HEFT_MT_reactions)}


CLASSES = (*MENUS.values(), HEFT_PT_dials, HEFT_PT_advanced)
