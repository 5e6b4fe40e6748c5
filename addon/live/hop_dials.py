"""The dials of a hop, on the armature."""

from __future__ import annotations

from bpy.props import FloatProperty
from bpy.types import Object, PropertyGroup

from ...sim_core.hopper.dials import HopDials
from ..blender.blender_types import ArmatureObject

_USUAL = HopDials()


class HeftHop(PropertyGroup):
    """What Make a Hop makes."""

    height: FloatProperty(
        name="Height [m]",
        description="How high each hop is, from leaving the ground to the top",
        default=_USUAL.height,
        min=0.02,
        soft_max=0.25,
        step=1,
        precision=2,
    )
    speed: FloatProperty(
        name="Speed [m/s]",
        description="How fast it hops forwards; 0 hops in place, less than 0 backwards",
        default=_USUAL.speed,
        soft_min=-1.0,
        soft_max=1.0,
        step=10,
        precision=1,
    )
    seconds: FloatProperty(
        name="Duration [s]",
        description="How long it hops, with starting and landing; 3 s at least",
        default=_USUAL.seconds,
        min=3.0,
        soft_max=30.0,
        step=100,
        precision=0,
    )


def dials_of(obj: ArmatureObject) -> HopDials:
    """Return the hop that an armature shall make."""
    chosen = obj.heft_hop
    return HopDials(float(chosen.height), float(chosen.speed), float(chosen.seconds))


CLASSES = (HeftHop,)
GROUPS = ((Object, "heft_hop", HeftHop),)
