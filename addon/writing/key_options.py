"""How many keys a bake writes, as the panel has it, and figures of the last bake."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty
from bpy.types import PropertyGroup

from ...sim_core.keys.key_limits import KeyFigures, KeyLimits

_DEFAULT = KeyLimits()

KEYS = (
    ("EVERY", "Every Frame", "A key at every frame"),
    ("FEW", "Few", "Keys only where they are needed, on curves that can be edited"),
)


class HeftKeys(PropertyGroup):
    """Which keys a bake writes, and figures of the last bake, on the object."""

    mode: EnumProperty(name="Keys", description="How many keys a bake writes", items=KEYS, default="EVERY")
    degrees: FloatProperty(
        name="Rotation [deg]",
        description="Largest allowed rotation error of any bone at any frame",
        default=_DEFAULT.degrees,
        min=0.01,
        soft_max=5.0,
        max=90.0,
        precision=2,
    )
    millimetres: FloatProperty(
        name="Position [mm]",
        description="Largest allowed position error of any joint at any frame",
        default=_DEFAULT.millimetres,
        min=0.01,
        soft_max=50.0,
        max=10000.0,
        precision=1,
    )
    count: IntProperty(description="Keys of the last bake; 0 where there is one at each frame")
    outside: IntProperty(description="Keys of the source before and after the baked frames")
    every_frame: IntProperty(description="Keys that one at each frame would have been")
    reached_degrees: FloatProperty(description="Largest error of a bone [deg]")
    reached_millimetres: FloatProperty(description="Largest error of a joint's position [mm]")


def limits_of(keys: HeftKeys) -> KeyLimits | None:
    """Return the allowed errors of few keys; None is a key at every frame."""
    return KeyLimits(keys.degrees, keys.millimetres) if keys.mode == "FEW" else None


def show_figures(keys: HeftKeys, figures: KeyFigures | None) -> None:
    """Store the figures of a reduction for the panel."""
    keys.count = 0 if figures is None else figures.count
    if figures is not None:
        keys.every_frame, keys.outside = figures.every_frame, figures.outside
        keys.reached_degrees, keys.reached_millimetres = figures.degrees, figures.millimetres


CLASSES = (HeftKeys,)

GROUPS = ((bpy.types.Object, "heft_keys", HeftKeys),)
