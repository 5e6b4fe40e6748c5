"""How to bake, and what came out, on the armature's object."""

from __future__ import annotations

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

from ...sim_core.scenario.settings import QUALITIES, BakeSettings
from ...sim_core.sequence.chain import BLEND_SECONDS, MAX_BLEND_SECONDS
from .aims import HeftAim
from .attach import NAME
from .dials import HeftDials
from .outcome import HeftOutcome
from .sequence import HeftActionClip

_DEFAULT = BakeSettings()

_QUALITY_TIPS = {
    "draft": "Fast, to see whether the motion holds",
    "standard": "For most work",
    "best": "Slower and finer",
}
QUALITY_ITEMS = [(name, name.capitalize(), _QUALITY_TIPS[name]) for name in QUALITIES]
SOURCES = (
    ("ACTION", "Action", "What animates the armature now: its action or the NLA"),
    ("SEQUENCE", "Sequence", "Several actions, each going on where the one before ends"),
)
RANGES = (
    ("ACTION", "Whole Action", "From the first key to the last"),
    ("SCENE", "Scene Range", "The scene's frame range, or its preview range"),
    ("CUSTOM", "Own Range", "A range of your own"),
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
    dials: PointerProperty(type=HeftDials)
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


CLASSES = (HeftBake,)
GROUPS = ((bpy.types.Object, NAME, HeftBake),)
