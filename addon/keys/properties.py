"""What Heft keeps in the file about keys."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty
from bpy.types import PropertyGroup

from ...sim_core.keys.key_limits import KeyFigures, KeyLimits

_DEFAULT = KeyLimits()

KEYS = (
    ("EVERY", "Every Frame", "A key at each frame"),
    ("FEW", "Few", "Keys only where they are needed, on curves that can be edited"),
)


class HeftKeys(PropertyGroup):
    """On the object: which keys a bake writes, and those that the last one wrote."""

    mode: EnumProperty(name="Keys", items=KEYS, default="EVERY")
    degrees: FloatProperty(
        name="Turn [deg]",
        description="By how much any bone may be off its simulated pose at any frame",
        default=_DEFAULT.degrees,
        min=0.01,
        soft_max=5.0,
        max=90.0,
        precision=2,
    )
    millimetres: FloatProperty(
        name="Shift [mm]",
        description="By how much any joint may be off its simulated place at any frame",
        default=_DEFAULT.millimetres,
        min=0.01,
        soft_max=50.0,
        max=10000.0,
        precision=1,
    )
    count: IntProperty(description="Keys of the last bake; 0 where there is one at each frame")
    every_frame: IntProperty(description="Keys that one at each frame would have been")
    reached_degrees: FloatProperty(description="Largest error of a bone [deg]")
    reached_millimetres: FloatProperty(description="Largest error of a joint's place [mm]")


def limits_of(keys: HeftKeys) -> KeyLimits | None:
    """What is asked for; None is a key at every frame."""
    return KeyLimits(keys.degrees, keys.millimetres) if keys.mode == "FEW" else None


def show_figures(keys: HeftKeys, figures: KeyFigures | None) -> None:
    """Store what was written for the panel."""
    keys.count = 0 if figures is None else figures.count
    if figures is not None:
        keys.every_frame = figures.every_frame
        keys.reached_degrees, keys.reached_millimetres = figures.degrees, figures.millimetres


CLASSES = (HeftKeys,)
GROUPS = ((bpy.types.Object, "heft_keys", HeftKeys),)
