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
from bpy.types import Action, PropertyGroup

from ..sim_core.settings import QUALITIES, BakeSettings

_DEFAULT = BakeSettings()

_QUALITY_TIPS = {
    "draft": "Fast, to see whether the motion holds",
    "standard": "For most work",
    "best": "Slower and finer",
}
QUALITY_ITEMS = [(name, name.capitalize(), _QUALITY_TIPS[name]) for name in QUALITIES]
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


class HeftBake(PropertyGroup):
    """On the object: how to bake, and what came out."""

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
    range_mode: EnumProperty(name="Frames", items=RANGES, default="ACTION")
    frame_start: IntProperty(name="Start", default=1)
    frame_end: IntProperty(name="End", default=250)
    source_action: PointerProperty(type=Action)
    source_slot: StringProperty()
    baked_action: PointerProperty(type=Action)
    outcome: PointerProperty(type=HeftOutcome)


class HeftProgress(PropertyGroup):
    """On the window manager: the bake that runs now."""

    running: BoolProperty()
    stage: StringProperty()
    fraction: FloatProperty(subtype="FACTOR", min=0.0, max=1.0)


CLASSES = (HeftMappingRow, HeftCharacter, HeftNote, HeftOutcome, HeftBake, HeftProgress)

NAME = "heft"
"""Of Heft's properties on Blender's types."""

_GROUPS = (
    (bpy.types.Armature, HeftCharacter),
    (bpy.types.Object, HeftBake),
    (bpy.types.WindowManager, HeftProgress),
)

# The stubs say that it returns nothing.
_pointer: Callable[..., Any] = PointerProperty


def attach() -> None:
    """Hang the properties on Blender's types; the classes must be registered."""
    for owner, group in _GROUPS:
        setattr(owner, NAME, _pointer(type=group))


def detach() -> None:
    for owner, _ in _GROUPS:
        if hasattr(owner, NAME):
            delattr(owner, NAME)
