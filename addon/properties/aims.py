"""A row of the list of strikes."""

from __future__ import annotations

from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Object, PropertyGroup

from ...sim_core.scene.aims import BLEND_SECONDS, FASTEST, LONGEST_BLEND, SHORTEST_BLEND


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
        max=FASTEST,
        precision=1,
    )
    blend: FloatProperty(
        name="Blend [s]",
        description="How long before and after the strike the motion is changed",
        default=BLEND_SECONDS,
        min=SHORTEST_BLEND,
        max=LONGEST_BLEND,
        precision=2,
    )


CLASSES = (HeftAim,)
