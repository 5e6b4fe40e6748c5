"""On the object: how a bake is written to the controls of a rig."""

from __future__ import annotations

import bpy
from bpy.props import CollectionProperty, EnumProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

LIMBS = (
    ("AUTO", "As They Are", "Each limb as its switch stands at the first frame of the bake"),
    ("FK", "FK", "All limbs that have a switch; it is keyed in the new action"),
    ("IK", "IK", "All limbs that have a switch; it is keyed in the new action"),
)


class HeftKeptChannel(PropertyGroup):
    """A channel that the source of the last bake does not animate, and its values before the bake."""

    path: StringProperty()
    size: IntProperty()
    values: FloatVectorProperty(size=4)


class HeftControls(PropertyGroup):
    """For rigs whose bones follow controls; others do not need it."""

    limbs: EnumProperty(name="Arms and Legs", items=LIMBS, default="AUTO")
    kept: CollectionProperty(type=HeftKeptChannel)


CLASSES = (HeftKeptChannel, HeftControls)
GROUPS = ((bpy.types.Object, "heft_controls", HeftControls),)
