"""The stream of a performer that a character follows while it is played live."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Object, PropertyGroup

from ...sim_core.base.errors import InputError
from ...sim_core.following.choices import FILE, LEAST_DELAY_S, MOST_DELAY_S, USUAL_DELAY_S
from ...sim_core.stream.performer import THIS_MACHINE
from ..blender.blender_types import ArmatureObject

if TYPE_CHECKING:
    from ...sim_core.following.stream_choice import StreamChoice

CLIP = "CLIP"


class HeftStream(PropertyGroup):
    """What a character follows in Play Live, on its armature."""

    follow: EnumProperty(
        name="Follow",
        description="What the character does in Play Live",
        items=(
            (CLIP, "Its Motion", "Its own action, again and again"),
            ("vmc", "VMC", "A performer whose motion a tracking program sends by the VMC protocol"),
            ("rokoko", "Rokoko", "A performer whose motion Rokoko Studio sends as JSON v3"),
            (
                FILE,
                "Capture File",
                "The motion of a file, as if its performer sent it now: markers (C3D, TRC), which are fitted "
                "first, BVH and others",
            ),
        ),
        default=CLIP,
    )
    file: StringProperty(
        name="File",
        description="Motion that is followed as if its performer sent it now: markers or keypoints (C3D, "
        "TRC, CSV), BVH, SMPL (.npz), Acclaim (.amc), OpenSim (.mot)",
        subtype="FILE_PATH",
    )
    address: StringProperty(
        name="Address",
        description=f"Where to listen: {THIS_MACHINE} is this machine alone; type the address of a network "
        "card to let other machines send. Nothing is sent",
        default=THIS_MACHINE,
    )
    port: IntProperty(
        name="Port",
        description="Port that the tracking program sends to; 0 is the usual one of the protocol",
        default=0,
        min=0,
        max=65535,
    )
    mode: EnumProperty(
        name="Mode",
        description="How the performer is followed",
        items=(
            ("DELAYED", "Delayed", "A little behind the performer: steps are seen before they are taken"),
            ("DIRECT", "Direct", "At once; the performer has to balance the character, and walks fall"),
        ),
        default="DELAYED",
    )
    delay: FloatProperty(
        name="Delay",
        description="How far the character is behind the performer",
        default=USUAL_DELAY_S,
        min=LEAST_DELAY_S,
        max=MOST_DELAY_S,
        unit="TIME_ABSOLUTE",
    )
    show_performer: BoolProperty(
        name="Show Performer",
        description="Draw the performer's motion on the character's bones as a stick figure, as it came and "
        "at the moment that the character is at: the character itself may differ from it, and fall",
        default=True,
    )


def stream_of(obj: ArmatureObject) -> StreamChoice | None:
    """Return the stream that an armature shall follow; None for its own motion."""
    from ...sim_core.following.stream_choice import StreamChoice

    chosen = obj.heft_stream
    delay_s = 0.0 if chosen.mode == "DIRECT" else float(chosen.delay)
    if chosen.follow == CLIP:
        return None
    if chosen.follow == FILE:
        return StreamChoice(FILE, delay_s=delay_s, file=bpy.path.abspath(chosen.file))
    if not bpy.app.online_access:
        raise InputError(
            "Blender's Allow Online Access is off, so Heft listens to no stream; switch it on in "
            "Preferences > System > Network."
        )
    return StreamChoice(chosen.follow, chosen.address, chosen.port or None, delay_s)


CLASSES = (HeftStream,)
GROUPS = ((Object, "heft_stream", HeftStream),)
