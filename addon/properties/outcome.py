"""What came out of the last bake."""

from __future__ import annotations

from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup


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


CLASSES = (HeftNote, HeftOutcome)
