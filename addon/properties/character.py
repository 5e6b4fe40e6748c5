"""Who the character is: the mapping, height and mass, on the armature."""

from __future__ import annotations

import bpy
from bpy.props import CollectionProperty, FloatProperty, StringProperty
from bpy.types import PropertyGroup

from .attach import NAME


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


CLASSES = (HeftMappingRow, HeftCharacter)
GROUPS = ((bpy.types.Armature, NAME, HeftCharacter),)
