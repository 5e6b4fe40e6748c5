"""What the 3D view shows of bakes, on the scene; where a bake's values are, on its object."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, PointerProperty
from bpy.types import Mesh, PropertyGroup


class HeftOverlays(PropertyGroup):
    """On the scene: what is drawn over its characters."""

    show: BoolProperty(
        name="Overlays", description="Draw what the simulation knows over the character", default=False
    )
    show_body: BoolProperty(
        name="Physical Body", description="The capsules and boxes that were simulated", default=True
    )
    show_forces: BoolProperty(
        name="Contact Forces", description="What pushes the character, where it touches", default=True
    )
    show_balance: BoolProperty(
        name="Balance",
        description="The centre of mass, the place below it, and the area that the character stands on",
        default=True,
    )
    show_effort: BoolProperty(
        name="Effort",
        description="Joints by the share of their strength in use: green little, orange half, red all of it",
        default=False,
    )
    show_ghost: BoolProperty(
        name="Source", description="The motion as it was, as a stick figure", default=False
    )
    newtons_per_metre: FloatProperty(
        name="Newtons a Metre",
        description="A force of so many newtons is drawn one metre long",
        default=1000.0,
        min=1.0,
        soft_min=100.0,
        soft_max=5000.0,
        precision=0,
    )
    ghost_offset: FloatVectorProperty(
        name="Beside",
        description="How far beside the result the source stands; 0 puts it over the result",
        subtype="TRANSLATION",
        unit="LENGTH",
    )


class HeftOverlayData(PropertyGroup):
    """On the object: the values that overlays show of its last bake."""

    data: PointerProperty(type=Mesh)


CLASSES = (HeftOverlays, HeftOverlayData)
GROUPS = (
    (bpy.types.Scene, "heft_overlays", HeftOverlays),
    (bpy.types.Object, "heft_overlay", HeftOverlayData),
)
