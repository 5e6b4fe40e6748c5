"""Control markers: Empties that pull bones of an armature."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bpy
from bpy.props import (
    BoolProperty,
    FloatProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ...sim_core.base.errors import InputError
from ..blender.blender_types import ArmatureObject
from ..blender.property_groups import is_armature
from ..reading.rig_reader import metres_per_unit, require_armature


class HeftControl(PropertyGroup):
    """Settings of an Empty that pulls a bone, on the Empty."""

    present: BoolProperty()
    armature: PointerProperty(type=Object, name="Character", poll=is_armature)
    bone: StringProperty(name="Bone", description="The bone whose head is pulled")
    weight: FloatProperty(
        name="Weight",
        description="0 does not pull; 1 reaches the Empty if the body can",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    use_x: BoolProperty(name="X", description="Pull along the world's X axis", default=True)
    use_y: BoolProperty(name="Y", description="Pull along the world's Y axis", default=True)
    use_z: BoolProperty(name="Z", description="Pull along the world's Z axis", default=True)
    dead_zone_m: FloatProperty(
        name="Dead Zone [m]",
        description="Distance from the Empty within which the bone is not pulled",
        min=0.0,
        soft_max=0.5,
        max=100.0,
        precision=3,
    )


SIZE_M = 0.12
"""Display size of the Empties."""

if TYPE_CHECKING:

    class ControlObject(Object):
        """An object with the settings of a control marker."""

        heft_control: HeftControl

else:
    ControlObject = Object


def add_control(context: Context, obj: ArmatureObject, bone_name: str) -> ControlObject:
    """Add an Empty at the head of a bone."""
    if bone_name not in obj.pose.bones:
        raise InputError(f"'{obj.name}' has no bone '{bone_name}'; choose a bone in Pose Mode.")
    made = cast(ControlObject, bpy.data.objects.new(f"Pull {bone_name}", None))
    made.empty_display_type, made.empty_display_size = "SPHERE", SIZE_M / metres_per_unit(context.scene)
    made.show_in_front = True
    made.location = obj.matrix_world @ obj.pose.bones[bone_name].head
    control = made.heft_control
    control.present, control.armature, control.bone = True, obj, bone_name
    context.collection.objects.link(made)
    return made


def controls_of(context: Context, obj: ArmatureObject) -> list[ControlObject]:
    """Return the control markers of an armature in the scene, by name."""
    found = [cast(ControlObject, other) for other in context.scene.objects]
    mine = [other for other in found if other.heft_control.present and other.heft_control.armature == obj]
    return sorted(mine, key=lambda other: other.name)


def controlled_rig(obj: Object | None) -> ArmatureObject | None:
    """Return the armature for the panel: the object itself, or the one that it pulls."""
    if obj is None or obj.type == "ARMATURE":
        return None if obj is None else require_armature(obj)
    control = cast(ControlObject, obj).heft_control
    return require_armature(control.armature) if control.present and control.armature is not None else None


CLASSES = (HeftControl,)
GROUPS = ((bpy.types.Object, "heft_control", HeftControl),)
