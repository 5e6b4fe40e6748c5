"""The surroundings: roles of objects, and strikes at targets."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.blender.blender_types import rig_context, surrounding, surrounding_scene
from ..addon.reading.scene_objects import HeftSceneObject
from .sidebar import ArmatureTab, Rows, SidebarTab, chosen_row, draw_list

MOST_OBJECTS = 12
"""Objects that the panel names; all of them take part."""


class HEFT_PT_scene(SidebarTab, Panel):
    """The objects in the simulation and their roles."""

    bl_idname = "HEFT_PT_scene"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Surroundings"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        from ..addon.reading.scene_reader import role_of, surroundings

        layout = self.layout
        layout.operator_menu_enum("heft.set_role", "role", text="Role of Selection")
        scene = surrounding_scene(rig_context(context).scene)
        row = layout.row()
        row.use_property_split = True
        row.use_property_decorate = False
        row.prop(scene.heft_surroundings, "floor", expand=True)
        if scene.heft_surroundings.own_floor:
            row = layout.row()
            row.prop(scene.heft_surroundings, "own_floor", text="Floor At")
            row.prop(scene.heft_surroundings, "floor_height", text="")
        layout.operator("heft.find_supports", icon="MESH_CUBE")
        found = surroundings(rig_context(context))
        if not found:
            layout.label(text="No objects besides the floor", icon="INFO")
        column = layout.column(align=True)
        for obj in found[:MOST_OBJECTS]:
            role = role_of(obj)
            row = column.split(factor=0.6)
            row.label(text=obj.name, icon="OBJECT_DATA")
            row.label(text="" if role is None else role.value.capitalize())
        if len(found) > MOST_OBJECTS:
            column.label(text=f"and {len(found) - MOST_OBJECTS} more", icon="BLANK1")


class HEFT_PT_scene_object(SidebarTab, Panel):
    """Role and physical properties of the active object."""

    bl_idname = "HEFT_PT_scene_object"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Active Object"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context: Context) -> None:
        layout, chosen = self.layout, surrounding(context.object).heft_object
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(chosen, "role")
        if chosen.role == "NONE":
            return
        layout.prop(chosen, "shape")
        if chosen.role in ("GROUND", "OBSTACLE"):
            layout.prop(chosen, "captured")
        layout.prop(chosen, "friction")
        layout.prop(chosen, "bounce")
        column = layout.column(align=True)
        for name in _settings(chosen):
            column.prop(chosen, name)
        if chosen.role == "PROJECTILE" and chosen.aim == "BONE":
            column.prop(chosen, "target_rig")
            if chosen.target_rig is not None:
                column.prop_search(chosen, "target_bone", chosen.target_rig.data, "bones")


def _settings(chosen: HeftSceneObject) -> list[str]:
    """Return the names of the settings of a role, besides its surface."""
    if chosen.role in ("OBSTACLE", "MOVING"):
        return ["passing", *(["comes_back"] if chosen.passing in ("AUTO", "AROUND") else [])]
    if chosen.role == "HINGE":
        return ["mass", "hinge_axis", "hinge_low", "hinge_high", "hinge_damping"]
    if chosen.role not in ("PROP", "CARRIED", "PROJECTILE"):
        return []
    names = ["weight", "mass" if chosen.weight == "MASS" else "density"]
    if chosen.role == "PROJECTILE":
        names += ["launch_frame", "launch_speed", "aim", *(["launch_axis"] if chosen.aim == "AXIS" else [])]
    return names


class HEFT_UL_aims(Rows, UIList):
    """The list of strikes."""

    bl_idname = "HEFT_UL_aims"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.label(text=item.bone or "no bone", icon="BONE_DATA")
        layout.label(text=item.target.name if item.target else "no target", icon="EMPTY_AXIS")


class HEFT_PT_aims(ArmatureTab, Panel):
    """Strikes at targets."""

    bl_idname = "HEFT_PT_aims"
    bl_parent_id = "HEFT_PT_scene"
    bl_label = "Aims"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        bake = obj.heft
        draw_list(layout, "HEFT_UL_aims", bake, "aims", "aim")
        aim = chosen_row(bake, "aims")
        if aim is None:
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop_search(aim, "bone", obj.data, "bones")
        layout.prop(aim, "target")
        layout.prop(aim, "own_frame")
        if aim.own_frame:
            layout.prop(aim, "frame")
        layout.prop(aim, "speed")
        if aim.speed == 0.0:
            layout.label(text="0 keeps the speed of the motion")
        layout.prop(aim, "blend")


CLASSES = (
    HEFT_PT_scene_object,
    HEFT_PT_scene,
    HEFT_UL_aims,
    HEFT_PT_aims,
)
