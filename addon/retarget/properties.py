"""What Heft keeps on an armature object about motions that it takes over."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
)
from bpy.types import Action, Object, PropertyGroup

from ...sim_core.retarget.options import LIMBS
from ..markers.take_object import as_take
from ..properties.outcome import HeftNote

PATHS = (
    ("SCALE", "With the Legs", "Steps are longer or shorter, as the legs are"),
    ("KEEP", "Stays", "The same steps in the world; legs that are too short do not reach them"),
)
TIMINGS = (
    ("KEEP", "Stays", "Frame by frame as in the source"),
    ("SCALE", "By the Legs", "Slower on longer legs, as bodies of that size move"),
)
FEET = (
    ("FIT", "Stand Still", "Feet stay where they stand, unless source and target are the same body"),
    ("LOCK", "Always Still", "Also on the same body: what skates in the source is taken out"),
    ("FREE", "Free", "Only the style counts; feet may slide and sink in"),
)
GROUNDS = (
    ("SCENE", "Scene", "Objects with a role of Heft's, and rigid bodies; without any, a flat floor"),
    ("FLAT", "Flat", "A flat floor as high as the source's"),
)
LIMB_ITEMS = tuple((limb, {"L": "Left ", "R": "Right "}[limb[-1]] + limb[:-2].title(), "") for limb in LIMBS)


def _is_source(owner: Any, obj: Object) -> bool:
    return obj != owner.id_data and (obj.type == "ARMATURE" or as_take(obj) is not None)


def _is_empty(_owner: PropertyGroup, obj: Object) -> bool:
    return obj.type == "EMPTY"


class HeftReach(PropertyGroup):
    """A row of the list of places: a hand or a foot at an Empty, over a range of frames."""

    limb: EnumProperty(name="Limb", items=LIMB_ITEMS, default="hand.R")
    target: PointerProperty(
        type=Object,
        name="Empty",
        description="Where palm or sole shall be; it may be animated",
        poll=_is_empty,
    )
    frame_start: IntProperty(name="From", description="First frame of the target's motion", default=1)
    frame_end: IntProperty(name="To", description="Last frame of the target's motion", default=25)


class HeftRetargetFigures(PropertyGroup):
    """How well a motion did against its source."""

    skate_cm_s: FloatProperty(description="Mean speed of resting heels and toes [cm/s]")
    penetration_max_cm: FloatProperty(description="Deepest point of a sole below the ground [cm]")
    upper_deg: FloatProperty(description="Mean angle of arms and trunk from the source's [deg]")
    legs_deg: FloatProperty(description="Mean angle of legs from the source's [deg]")


class HeftRetarget(PropertyGroup):
    """On the object that takes a motion over: whose it is, how, and what came out."""

    source: PointerProperty(
        type=Object,
        name="Source",
        description="An armature with an action, or markers that were fitted",
        poll=_is_source,
    )
    path: EnumProperty(name="Path", items=PATHS, default="SCALE")
    timing: EnumProperty(name="Timing", items=TIMINGS, default="KEEP")
    feet: EnumProperty(name="Feet", items=FEET, default="FIT")
    hands: BoolProperty(
        name="Hands Meet",
        description="Hands that meet or touch the body in the source do so on this body too",
        default=True,
    )
    hold_hands: BoolProperty(
        name="Still Hands Stay",
        description="A hand that stays at one place in the source, on a rail or a table, is held at one",
    )
    ground: EnumProperty(name="Ground", items=GROUNDS, default="SCENE")
    reaches: CollectionProperty(type=HeftReach)
    reaches_index: IntProperty()
    present: BoolProperty()
    simulated: BoolProperty()
    fell: BoolProperty()
    fell_frame: IntProperty()
    leg_ratio: FloatProperty()
    joint_error_deg: FloatProperty(description="Of the simulated motion from the retargeted one [deg]")
    action: PointerProperty(type=Action)
    simulated_action: PointerProperty(type=Action)
    kinematic_figures: PointerProperty(type=HeftRetargetFigures)
    simulated_figures: PointerProperty(type=HeftRetargetFigures)
    notes: CollectionProperty(type=HeftNote)


CLASSES = (HeftReach, HeftRetargetFigures, HeftRetarget)
GROUPS = ((bpy.types.Object, "heft_retarget", HeftRetarget),)
