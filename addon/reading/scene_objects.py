"""The role of an object in the simulation."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Action, Context, Object, PropertyGroup

from ...sim_core.base.errors import InputError
from ...sim_core.scene.scene import DEFAULT_FRICTION, MAX_SPEED, Passing, Role
from ..blender.property_groups import NAME, is_armature
from .bone_table import find_mapping
from .rig_reader import metres_per_unit, require_armature

_ROLE_TIPS = {
    Role.GROUND: "The character walks on it; the flat floor stays, unless it would cover this ground",
    Role.OBSTACLE: "Stands still on the floor",
    Role.MOVING: "Follows its own animation and cannot be pushed: a platform, a lift",
    Role.HINGE: "Turns about one of its axes under load: a see-saw",
    Role.PROP: "Falls, and is pushed by the character and by other objects",
    Role.PROJECTILE: "Is thrown at a chosen frame",
    Role.CARRIED: "Falls, and hands that are on it in the animation hold it: a box, a cup, a tool",
    Role.HOLD: "Stands still, and hands that are on it hold on to it: a bar, a rail, a rung",
}
ROLES = [("NONE", "None", "Not part of the simulation, unless it is a rigid body")] + [
    (role.name, role.name.capitalize(), tip) for role, tip in _ROLE_TIPS.items()
]
_PASSING_TIPS = {
    Passing.AUTO: "By its size: over or onto what is low, under high bars, around or before everything else",
    Passing.OVER: "Step over it",
    Passing.ONTO: "Step onto it, and down again",
    Passing.AROUND: "Walk around it",
    Passing.UNDER: "Duck under it",
    Passing.STOP: "Stop before it and stand; go on when it has moved out of the way",
    Passing.IGNORE: "Take no notice of it: the character may run into it",
}
PASSINGS = [
    (way.name, "Automatic" if way is Passing.AUTO else way.name.capitalize(), tip)
    for way, tip in _PASSING_TIPS.items()
]
SHAPES = (
    ("AUTO", "By Mesh", "From the rigid body's shape, or else from the mesh"),
    ("BOX", "Box", "The mesh's bounding box"),
    ("SPHERE", "Sphere", "A ball of the mesh's size"),
    ("CAPSULE", "Capsule", "Along the object's Z axis"),
    ("CYLINDER", "Cylinder", "Along the object's Z axis"),
    ("HULL", "Convex Hull", "The smallest convex body about the mesh"),
    ("MESH", "Mesh", "The mesh itself, split into convex parts; may take some seconds"),
    ("HEIGHT_FIELD", "Height Field", "The mesh as seen from above, for terrain and stairs"),
)
AXES = (("X", "X", ""), ("Y", "Y", ""), ("Z", "Z", ""))
SIGNED_AXES = (*AXES, ("-X", "-X", ""), ("-Y", "-Y", ""), ("-Z", "-Z", ""))
WEIGHTS = (
    ("MASS", "Mass", "Set its mass"),
    ("DENSITY", "Density", "Set its density; the mass follows from its size"),
)
AIMS = (
    ("BONE", "Bone", "At a bone, where the character will be by then"),
    ("AXIS", "Axis", "Along one of its own axes"),
)


BALL_DENSITY = 300.0
"""Of a medicine ball, which is what a new projectile weighs as much as [kg/m^3]."""
HEAVIEST_BALL = 10.0
"""A new projectile of any size weighs no more than this [kg]."""
LAUNCH_DELAY = 10
"""Frames from the current one to the launch of a new projectile."""


def _prepare_throw(chosen: HeftSceneObject, context: Context) -> None:
    """Give a new projectile the mass of a ball of its size, a launch soon, and the only character as aim."""
    if chosen.role != "PROJECTILE" or context.scene is None:
        return
    if not chosen.is_property_set("mass"):
        thrown: Any = chosen.id_data  # an object
        size_m = [edge * metres_per_unit(context.scene) for edge in thrown.dimensions]
        ball_kg = BALL_DENSITY * math.pi / 6.0 * math.prod(size_m)
        chosen.mass = min(max(ball_kg, 0.05), HEAVIEST_BALL)
    if not chosen.is_property_set("launch_frame"):
        chosen.launch_frame = context.scene.frame_current + LAUNCH_DELAY
    armatures = [obj for obj in context.scene.objects if obj.type == "ARMATURE"]
    if chosen.target_rig is None and len(armatures) == 1:
        chosen.target_rig = armatures[0]


def _aim_at_chest(chosen: HeftSceneObject, context: Context) -> None:
    """Choose the chest of a newly chosen character, where its bones are known."""
    rig = chosen.target_rig
    if rig is None or chosen.target_bone in rig.data.bones or context.scene is None:
        return
    with suppress(InputError):
        bones = find_mapping(require_armature(rig), context.scene).bones
        chosen.target_bone = bones.get("spine", bones["hips"])[-1]


class HeftSceneObject(PropertyGroup):
    """Role and physical properties, on the object."""

    role: EnumProperty(
        name="Role",
        description="What the object does in the simulation",
        items=ROLES,
        default="NONE",
        update=_prepare_throw,
    )
    shape: EnumProperty(
        name="Shape", description="The shape with which it collides", items=SHAPES, default="AUTO"
    )
    friction: FloatProperty(
        name="Friction",
        description="0 is ice, 1 is rubber",
        default=DEFAULT_FRICTION,
        min=0.0,
        soft_max=1.5,
        max=10.0,
    )
    bounce: FloatProperty(
        name="Bounce",
        description="Share of the impact speed that is kept after the bounce",
        min=0.0,
        max=0.99,
    )
    passing: EnumProperty(
        name="In the Way",
        description="How a character passes it that walks towards it",
        items=PASSINGS,
        default=Passing.AUTO.name,
    )
    comes_back: BoolProperty(
        name="Back to Path",
        description="After walking around it, come back to the path; else go on beside it",
        default=True,
    )
    mass: FloatProperty(
        name="Mass [kg]",
        description="Mass in kilograms",
        default=30.0,
        min=0.001,
        soft_max=500.0,
        max=1e6,
    )
    weight: EnumProperty(name="Weight", description="How its mass is given", items=WEIGHTS, default="MASS")
    density: FloatProperty(
        name="Density [kg/m³]",
        description="Foam is 30, wood 600, water 1000, stone 2500",
        default=600.0,
        min=1.0,
        soft_max=10000.0,
        max=1e5,
    )
    launch_frame: IntProperty(name="Launch", description="The frame at which it is thrown", default=10)
    launch_speed: FloatProperty(
        name="Speed [m/s]",
        description="The speed at which it leaves its place",
        default=8.0,
        min=0.1,
        soft_max=40.0,
        max=MAX_SPEED,
    )
    aim: EnumProperty(name="Aim", description="Where it is thrown", items=AIMS, default="BONE")
    target_rig: PointerProperty(
        type=Object,
        name="Character",
        description="The armature at which it is thrown",
        poll=is_armature,
        update=_aim_at_chest,
    )
    target_bone: StringProperty(name="Bone", description="A bone of the character that is simulated")
    launch_axis: EnumProperty(
        name="Axis", description="Its own axis along which it is thrown", items=SIGNED_AXES, default="Y"
    )
    captured: BoolProperty(
        name="Captured On",
        description="The motion was captured on it, so that it stands or rests on it already",
    )
    source_action: PointerProperty(type=Action)
    source_slot: StringProperty()
    baked_action: PointerProperty(type=Action)
    baked: BoolProperty(description="It has keys of a bake, but still counts as an active rigid body")
    hinge_axis: EnumProperty(
        name="Axis",
        description="Its own axis of rotation, through its origin",
        items=AXES,
        default="X",
    )
    hinge_low: FloatProperty(
        name="From",
        description="Smallest angle, from its pose at the first frame",
        default=-0.1,
        min=-3.1,
        max=0.0,
        subtype="ANGLE",
    )
    hinge_high: FloatProperty(
        name="To",
        description="Largest angle, from its pose at the first frame",
        default=0.1,
        min=0.0,
        max=3.1,
        subtype="ANGLE",
    )
    hinge_damping: FloatProperty(
        name="Damping [Nms]",
        description="Torque against the rotation at 1 rad/s",
        default=100.0,
        min=0.0,
        max=1e6,
    )


FLOORS = (
    ("AUTO", "Auto", "A flat floor, unless it would cover the ground: a slope downwards, a valley"),
    ("ON", "On", "Always a flat floor where the feet stand"),
    ("OFF", "Off", "Only objects to stand on"),
)


class HeftSurroundings(PropertyGroup):
    """What surrounds all characters, on the scene."""

    floor: EnumProperty(
        name="Floor", description="The flat floor where the feet stand", items=FLOORS, default="AUTO"
    )
    own_floor: BoolProperty(
        name="Own Height", description="The floor is at a height of its own, and not where most feet stand"
    )
    floor_height: FloatProperty(name="Height", description="Height of the floor", subtype="DISTANCE")


CLASSES = (HeftSceneObject, HeftSurroundings)

GROUPS = (
    (bpy.types.Object, f"{NAME}_object", HeftSceneObject),
    (bpy.types.Scene, f"{NAME}_surroundings", HeftSurroundings),
)
