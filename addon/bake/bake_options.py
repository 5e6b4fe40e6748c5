"""What to bake and how: the options on an armature's object, as the core's settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

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

from ...sim_core.character.soft_parts import SoftPart
from ...sim_core.scenario.search_limit import LIMIT_WORDS
from ...sim_core.scenario.settings import BALANCE_METHODS, QUALITIES, BakeSettings
from ...sim_core.sequence.blend import BLEND_SECONDS, MAX_BLEND_SECONDS
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.property_groups import NAME
from ..presets.setting_presets import HeftDials, dial_settings
from ..reading.aims import HeftAim
from ..reading.parts import part_settings
from ..reading.rig_reader import require_armature
from ..reading.sequence_reader import ActionClip, HeftActionClip, clips_of, require_source
from ..reading.soft_parts import soft_parts_of
from ..reading.source_action import animated_range
from .bake_report import HeftOutcome

_DEFAULT = BakeSettings()

_QUALITY_TIPS = {
    "draft": "Fast, for a first look",
    "standard": "For most work",
    "best": "Slower and finer",
}
QUALITY_ITEMS = [(name, name.capitalize(), _QUALITY_TIPS[name]) for name in QUALITIES]
BALANCE_ITEMS = [(name, method.label, method.use) for name, method in BALANCE_METHODS.items()]
SOURCES = (
    ("ACTION", "Action", "The armature's current action or NLA tracks"),
    ("SEQUENCE", "Sequence", "Several actions, each continuing where the previous one ends"),
)
RANGES = (
    ("ACTION", "Whole Action", "From the first key to the last"),
    ("SCENE", "Scene Range", "The scene's frame range, or its preview range"),
    ("CUSTOM", "Custom Range", "The frames given below"),
)


class HeftBake(PropertyGroup):
    """Options and outcome of a bake, on the object."""

    source_mode: EnumProperty(name="Source", description="What is simulated", items=SOURCES, default="ACTION")
    sequence: CollectionProperty(type=HeftActionClip)
    sequence_index: IntProperty()
    blend_seconds: FloatProperty(
        name="Blend [s]",
        description="Duration of the blend from one action to the next",
        default=BLEND_SECONDS,
        min=0.0,
        max=MAX_BLEND_SECONDS,
        precision=2,
    )
    aims: CollectionProperty(type=HeftAim)
    aims_index: IntProperty()
    quality: EnumProperty(
        name="Quality",
        description="How long the simulation may take for a better result",
        items=QUALITY_ITEMS,
        default=_DEFAULT.quality,
    )
    assist_cap: FloatProperty(
        name="Assist [N]",
        description="Largest outside force on the hips [N], and torque [Nm]; 0 is physics only",
        default=_DEFAULT.assist_cap,
        min=0.0,
        soft_max=500.0,
        precision=0,
    )
    correction: FloatProperty(
        name="Correction",
        description="How much the motion may be changed to make it physically possible; 0 keeps it unchanged",
        default=_DEFAULT.correction,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    dials: PointerProperty(type=HeftDials)
    balance: EnumProperty(
        name="Balance Method",
        description="How the character keeps its balance",
        items=BALANCE_ITEMS,
        default=_DEFAULT.balance,
    )
    only_around_hits: BoolProperty(
        name="Only Around Hits",
        description="Simulate only from just before a hit until the body follows its motion again; "
        "all other frames keep the source",
        default=_DEFAULT.only_around_hits,
    )
    search: BoolProperty(
        name="Search If It Falls",
        description="Search for a way to carry out a motion that falls, such as a flip",
        default=_DEFAULT.search,
    )
    get_up: BoolProperty(
        name="Get Up After a Fall",
        description="A character that falls gets up and goes on with its motion. The motion waits meanwhile, "
        "so the new action is longer than the source",
        default=_DEFAULT.get_up,
    )
    search_seconds: FloatProperty(
        name="Search Time [s]",
        description=f"How long a search may take; then the best so far is kept. 0 is {LIMIT_WORDS}",
        default=0.0,
        min=0.0,
        soft_max=600.0,
        max=86400.0,
        precision=0,
    )
    self_collision: BoolProperty(
        name="Self-Collision",
        description="Arms, legs and trunk do not pass through each other, unless they do in the source",
        default=_DEFAULT.self_collision,
    )
    toe_joint: BoolProperty(
        name="Toe Joint",
        description="Feet bend at their balls, where the rig has toe bones",
        default=_DEFAULT.toe_joint,
    )
    range_mode: EnumProperty(
        name="Frames", description="Which frames are simulated", items=RANGES, default="ACTION"
    )
    frame_start: IntProperty(name="Start", description="First simulated frame", default=1)
    frame_end: IntProperty(name="End", description="Last simulated frame", default=250)
    source_action: PointerProperty(type=Action)
    source_slot: StringProperty()
    baked_action: PointerProperty(type=Action)
    outcome: PointerProperty(type=HeftOutcome)


@dataclass(frozen=True)
class BakeOptions:
    """Frames, settings and clips of a bake.

    frame_start, frame_end: both ends are included
    sequence: clips to bake instead of the frame range, if there are any
    soft: chains of bones that are simulated as soft parts
    """

    frame_start: int
    frame_end: int
    settings: BakeSettings
    sequence: tuple[ActionClip, ...] = ()
    blend_seconds: float = BLEND_SECONDS
    soft: tuple[SoftPart, ...] = ()


@dataclass(frozen=True, eq=False)
class Participant:
    """An armature in a bake, with its options."""

    object: ArmatureObject
    options: BakeOptions


def options_of(context: RigContext, obj: ArmatureObject, simulate: bool = True) -> BakeOptions:
    """Return the options that the panel shows for an armature."""
    require_source(require_armature(obj))
    bake = obj.heft
    sequence = clips_of(obj) if bake.source_mode == "SEQUENCE" else ()
    settings = replace(settings_of(obj, simulate), **part_settings(obj.heft_parts, context.scene))
    soft = soft_parts_of(obj)
    return BakeOptions(*frame_range(context, obj), settings, sequence, bake.blend_seconds, soft)


def settings_of(obj: ArmatureObject, simulate: bool = True) -> BakeSettings:
    """Return the core's settings from the panel of an armature, without those of its parts."""
    bake = obj.heft
    return BakeSettings(
        quality=bake.quality,
        assist_cap=bake.assist_cap,
        only_around_hits=bake.only_around_hits,
        self_collision=bake.self_collision,
        toe_joint=bake.toe_joint,
        balance=bake.balance,
        search=bake.search,
        get_up=bake.get_up,
        search_seconds=max(bake.search_seconds, 1.0) if bake.search_seconds > 0.0 else None,
        simulate=simulate,
        **dial_settings(obj),
    )


def participants_of(context: RigContext, simulate: bool = True) -> tuple[Participant, ...]:
    """Return the active and the other selected armatures, each with its own options."""
    return tuple(Participant(obj, options_of(context, obj, simulate)) for obj in armatures_of(context))


def plausible_participants_of(context: RigContext) -> tuple[Participant, ...]:
    """Return the same participants, set to be made plausible instead of simulated."""
    return tuple(
        replace(
            each, options=replace(each.options, settings=replace(each.options.settings, only_plausible=True))
        )
        for each in participants_of(context)
    )


def armatures_of(context: RigContext) -> list[ArmatureObject]:
    """Return the active armature, then the other selected ones."""
    selected = [obj for obj in context.view_layer.objects.selected if obj.type == "ARMATURE"]
    overrides = [obj.override_library for obj in (context.object, *selected)]
    # Some Blenders leave the linked object selected beside its new override.
    replaced = [override.reference for override in overrides if override is not None]
    others = [obj for obj in selected if obj != context.object and obj not in replaced]
    return [context.object, *(require_armature(obj) for obj in others)]


def frame_range(context: RigContext, obj: ArmatureObject) -> tuple[int, int]:
    """Return the first and last frame of the range that the panel selects."""
    scene, bake = context.scene, obj.heft
    if bake.range_mode == "CUSTOM":
        return bake.frame_start, bake.frame_end
    found = animated_range(obj) if bake.range_mode == "ACTION" else None
    if found is not None:
        return found
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


CLASSES = (HeftBake,)

GROUPS = ((bpy.types.Object, NAME, HeftBake),)
