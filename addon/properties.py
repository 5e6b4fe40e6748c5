"""What Heft keeps in the file: the mapping on the armature, the options and last result on the object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Action, Context, Object, PropertyGroup

from ..sim_core.aiming.aim import BLEND_SECONDS as AIM_BLEND_SECONDS
from ..sim_core.aiming.aim import FASTEST as FASTEST_STRIKE
from ..sim_core.aiming.aim import LONGEST_BLEND, SHORTEST_BLEND
from ..sim_core.scene.scene import DEFAULT_FRICTION, FASTEST, Role
from ..sim_core.sequence.chain import BLEND_SECONDS, MAX_BLEND_SECONDS
from ..sim_core.settings import QUALITIES, BakeSettings

_DEFAULT = BakeSettings()

_QUALITY_TIPS = {
    "draft": "Fast, to see whether the motion holds",
    "standard": "For most work",
    "best": "Slower and finer",
}
QUALITY_ITEMS = [(name, name.capitalize(), _QUALITY_TIPS[name]) for name in QUALITIES]
_ROLE_TIPS = {
    Role.GROUND: "The character walks on it; it takes the place of the flat floor",
    Role.OBSTACLE: "Stands still on the floor",
    Role.MOVING: "Follows its own animation, whatever pushes it: a platform, a lift",
    Role.HINGE: "Turns about its own axis under what stands on it: a see-saw",
    Role.PROP: "Falls, and is pushed by the character and by other objects",
    Role.PROJECTILE: "Waits, and is thrown at a frame",
}
ROLES = [("NONE", "None", "Not part of the simulation, unless it is a rigid body")] + [
    (role.name, role.name.capitalize(), tip) for role, tip in _ROLE_TIPS.items()
]
SHAPES = (
    ("AUTO", "By Mesh", "By the rigid body's shape, or else by what the mesh looks like"),
    ("BOX", "Box", "The mesh's bounding box"),
    ("SPHERE", "Sphere", "A ball of the mesh's size"),
    ("CAPSULE", "Capsule", "Along the object's Z axis"),
    ("CYLINDER", "Cylinder", "Along the object's Z axis"),
    ("HULL", "Convex Hull", "The smallest convex body about the mesh"),
    ("MESH", "Mesh", "The mesh itself, taken apart into convex parts; may take some seconds"),
    ("HEIGHT_FIELD", "Height Field", "The mesh as seen from above, for terrain and stairs"),
)
AXES = (("X", "X", ""), ("Y", "Y", ""), ("Z", "Z", ""))
SIGNED_AXES = (*AXES, ("-X", "-X", ""), ("-Y", "-Y", ""), ("-Z", "-Z", ""))
WEIGHTS = (("MASS", "Mass", "Its mass is given"), ("DENSITY", "Density", "Its mass follows from its size"))
AIMS = (
    ("BONE", "Bone", "So that it meets a bone, wherever the character will have moved to by then"),
    ("AXIS", "Axis", "Along an axis of its own"),
)
SOURCES = (
    ("ACTION", "Action", "What animates the armature now: its action or the NLA"),
    ("SEQUENCE", "Sequence", "Several actions, each going on where the one before ends"),
)
RANGES = (
    ("ACTION", "Whole Action", "From the first key to the last"),
    ("SCENE", "Scene Range", "The scene's frame range, or its preview range"),
    ("CUSTOM", "Own Range", "A range of your own"),
)


class HeftMappingRow(PropertyGroup):
    """One bone of a body part; parts with several bones have several rows, from root to tip."""

    slot: StringProperty(name="Body Part")
    bone: StringProperty(name="Bone", description="The bone that plays this part")


class HeftCharacter(PropertyGroup):
    """On the armature: who the character is."""

    kind: StringProperty(name="Rig", description="The kind of rig that was recognised")
    rows: CollectionProperty(type=HeftMappingRow)
    height: FloatProperty(
        name="Height [m]",
        description="Body height in metres; 0 measures the rig",
        min=0.0,
        soft_max=3.0,
        precision=2,
    )
    mass: FloatProperty(
        name="Mass [kg]",
        description="Body mass in kilograms; 0 takes it from the height",
        min=0.0,
        soft_max=200.0,
        precision=1,
    )


class HeftNote(PropertyGroup):
    """A sentence about the last bake."""

    text: StringProperty()


class HeftOutcome(PropertyGroup):
    """On the object: the figures of the last bake."""

    present: BoolProperty()
    simulated: BoolProperty()
    fell: BoolProperty()
    fell_frame: IntProperty()
    joint_error_deg: FloatProperty()
    root_error_m: FloatProperty()
    assist_force_mean_n: FloatProperty()
    assist_force_max_n: FloatProperty()
    skate_cm_s: FloatProperty()
    notes: CollectionProperty(type=HeftNote)


def _whole_action(row: Any, _context: Context) -> None:
    """A row whose action was chosen plays all of it."""
    if row.action is not None:
        row.slot = ""
        row.frame_start, row.frame_end = row.action.frame_range


class HeftActionClip(PropertyGroup):
    """A row of the list of actions: a part of an action, as an NLA strip plays it."""

    action: PointerProperty(type=Action, name="Action", update=_whole_action)
    slot: StringProperty()
    frame_start: FloatProperty(name="Start", description="First frame of the action that is used")
    frame_end: FloatProperty(name="End", description="Last frame of the action that is used")
    repeat: FloatProperty(name="Repeat", description="How often it is played", default=1.0, min=0.1)
    scale: FloatProperty(name="Scale", description="2 plays it half as fast", default=1.0, min=0.01)
    reverse: BoolProperty(name="Reverse", description="Play it backwards")


class HeftAim(PropertyGroup):
    """A row of the list of strikes."""

    bone: StringProperty(
        name="Bone", description="What strikes: a hand, a foot, or a bone that one of them carries"
    )
    target: PointerProperty(
        type=Object, name="Target", description="Its origin is struck; it may be animated"
    )
    own_frame: BoolProperty(
        name="At a Frame", description="Off: at the strike of the motion that comes nearest to the target"
    )
    frame: IntProperty(name="Frame", description="When the target is struck", default=1)
    speed: FloatProperty(
        name="Speed [m/s]",
        description="Of the bone when it strikes; 0 leaves it as it is",
        min=0.0,
        soft_max=10.0,
        max=FASTEST_STRIKE,
        precision=1,
    )
    blend: FloatProperty(
        name="Blend [s]",
        description="How long before and after the strike the motion is changed",
        default=AIM_BLEND_SECONDS,
        min=SHORTEST_BLEND,
        max=LONGEST_BLEND,
        precision=2,
    )


class HeftBake(PropertyGroup):
    """On the object: how to bake, and what came out."""

    source_mode: EnumProperty(name="Source", items=SOURCES, default="ACTION")
    sequence: CollectionProperty(type=HeftActionClip)
    sequence_index: IntProperty()
    blend_seconds: FloatProperty(
        name="Blend [s]",
        description="How long one action goes over into the next",
        default=BLEND_SECONDS,
        min=0.0,
        max=MAX_BLEND_SECONDS,
        precision=2,
    )
    aims: CollectionProperty(type=HeftAim)
    aims_index: IntProperty()
    quality: EnumProperty(
        name="Quality",
        items=QUALITY_ITEMS,
        default=_DEFAULT.quality,
    )
    assist_cap: FloatProperty(
        name="Help [N]",
        description="Largest outside force [N] and torque [Nm] on the hips per axis; 0 is physical",
        default=_DEFAULT.assist_cap,
        min=0.0,
        soft_max=500.0,
        precision=0,
    )
    correction: FloatProperty(
        name="Correction",
        description="How far the motion may be changed so that forces can produce it; 0 leaves it as it is",
        default=_DEFAULT.correction,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    softness: FloatProperty(
        name="Softness",
        description="How far a part of the body that is hit gives way; 0 stays firm, 1 goes limp",
        default=_DEFAULT.softness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    recovery_s: FloatProperty(
        name="Recovery [s]",
        description="From a hit until the part is as firm as before",
        default=_DEFAULT.recovery_s,
        min=0.05,
        soft_max=2.0,
        max=60.0,
        precision=2,
    )
    only_around_hits: BoolProperty(
        name="Only Around Hits",
        description="Simulate from just before a hit until the body is back on its motion; "
        "all other frames stay the clip as it was",
        default=_DEFAULT.only_around_hits,
    )
    self_collision: BoolProperty(
        name="Self-Collision",
        description="Arms, legs and trunk do not pass through each other, unless they do so in the motion",
        default=_DEFAULT.self_collision,
    )
    range_mode: EnumProperty(name="Frames", items=RANGES, default="ACTION")
    frame_start: IntProperty(name="Start", default=1)
    frame_end: IntProperty(name="End", default=250)
    source_action: PointerProperty(type=Action)
    source_slot: StringProperty()
    baked_action: PointerProperty(type=Action)
    outcome: PointerProperty(type=HeftOutcome)


def _is_armature(_owner: PropertyGroup, obj: Object) -> bool:
    return obj.type == "ARMATURE"


class HeftSceneObject(PropertyGroup):
    """On the object: what it is to the characters about it."""

    role: EnumProperty(name="Role", items=ROLES, default="NONE")
    shape: EnumProperty(name="Shape", items=SHAPES, default="AUTO")
    friction: FloatProperty(
        name="Friction",
        description="0 is ice, 1 is rubber",
        default=DEFAULT_FRICTION,
        min=0.0,
        soft_max=1.5,
        max=10.0,
    )
    bounce: FloatProperty(
        name="Bounce", description="Share of a hit's speed that comes back", min=0.0, max=0.99
    )
    mass: FloatProperty(name="Mass [kg]", default=30.0, min=0.001, soft_max=500.0, max=1e6)
    weight: EnumProperty(name="Weight", items=WEIGHTS, default="MASS")
    density: FloatProperty(
        name="Density [kg/m³]",
        description="Foam is 30, wood 600, water 1000, stone 2500",
        default=600.0,
        min=1.0,
        soft_max=10000.0,
        max=1e5,
    )
    launch_frame: IntProperty(name="Launch", description="The frame at which it is thrown", default=10)
    launch_speed: FloatProperty(name="Speed [m/s]", default=8.0, min=0.1, soft_max=40.0, max=FASTEST)
    aim: EnumProperty(name="Aim", items=AIMS, default="BONE")
    target_rig: PointerProperty(type=Object, name="Character", poll=_is_armature)
    target_bone: StringProperty(name="Bone", description="A bone of the character that is simulated")
    launch_axis: EnumProperty(name="Axis", items=SIGNED_AXES, default="Y")
    source_action: PointerProperty(type=Action)
    source_slot: StringProperty()
    baked_action: PointerProperty(type=Action)
    baked: BoolProperty(description="It has keys of a bake, and is the rigid body that it was all the same")
    hinge_axis: EnumProperty(
        name="Axis",
        description="Its own axis that it turns about, through its origin",
        items=AXES,
        default="X",
    )
    hinge_low: FloatProperty(
        name="From",
        description="Against its pose at the first frame",
        default=-0.1,
        min=-3.1,
        max=0.0,
        subtype="ANGLE",
    )
    hinge_high: FloatProperty(
        name="To",
        description="Against its pose at the first frame",
        default=0.1,
        min=0.0,
        max=3.1,
        subtype="ANGLE",
    )
    hinge_damping: FloatProperty(
        name="Damping [Nms]",
        description="Torque against its turning at 1 rad/s",
        default=100.0,
        min=0.0,
        max=1e6,
    )


class HeftProgress(PropertyGroup):
    """On the window manager: the bake that runs now."""

    running: BoolProperty()
    stage: StringProperty()
    fraction: FloatProperty(subtype="FACTOR", min=0.0, max=1.0)


CLASSES = (
    HeftMappingRow,
    HeftCharacter,
    HeftNote,
    HeftOutcome,
    HeftActionClip,
    HeftAim,
    HeftBake,
    HeftSceneObject,
    HeftProgress,
)

NAME = "heft"
"""Of Heft's properties on Blender's types."""

GROUPS = (
    (bpy.types.Armature, NAME, HeftCharacter),
    (bpy.types.Object, NAME, HeftBake),
    (bpy.types.Object, f"{NAME}_object", HeftSceneObject),
    (bpy.types.WindowManager, NAME, HeftProgress),
)

# The stubs say that it returns nothing.
_pointer: Callable[..., Any] = PointerProperty


Groups = tuple[tuple[Any, str, type[PropertyGroup]], ...]
"""Which type of Blender's gets which group, under which name."""


def attach(groups: Groups) -> None:
    """Hang the properties on Blender's types; the classes must be registered."""
    for owner, name, group in groups:
        setattr(owner, name, _pointer(type=group))


def detach(groups: Groups) -> None:
    for owner, name, _ in groups:
        if hasattr(owner, name):
            delattr(owner, name)
