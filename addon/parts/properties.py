"""What Heft keeps in the file about parts that are not simulated."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import PropertyGroup, Scene

PARTS = (
    ("whole", "Whole Body", "All of the body is simulated"),
    ("upper", "Upper Body", "Trunk, head and arms are simulated; hips and legs follow the animation"),
)

LOOPS = (
    ("AUTO", "Auto", "On where the action is marked cyclic, or its curves have Cycles modifiers"),
    ("ON", "On", "The animation is a cycle: it is simulated several times, and one that closes is kept"),
    ("OFF", "Off", "The animation is simulated once, and ends as it ends"),
)

# Not in a group: Blender cannot key what lies in a group of a pose bone from its own slider.
BONE_SHARE = FloatProperty(
    name="Simulate",
    description="How much of the bone is simulated: 0 is the animation, 1 all of it; it can be keyed",
    default=1.0,
    min=0.0,
    max=1.0,
    subtype="FACTOR",
    override={"LIBRARY_OVERRIDABLE"},
)


class HeftParts(PropertyGroup):
    """On the object: which part of the body and of the frames is simulated."""

    only: EnumProperty(name="Simulate", items=PARTS, default="whole")
    blend_in: IntProperty(
        name="Blend In",
        description="Frames over which the animation goes over into the simulation; 0 starts at once",
        min=0,
        soft_max=50,
        max=1000,
    )
    blend_out: IntProperty(
        name="Blend Out",
        description="Frames over which the simulation goes back into the animation; 0 ends as it is",
        min=0,
        soft_max=50,
        max=1000,
    )
    loop: EnumProperty(name="Loop", items=LOOPS, default="AUTO")
    key_bones: BoolProperty(
        name="Key at This Frame",
        description="Simulate and Animate set a key at the current frame, so that bones can change over",
    )


def part_settings(parts: HeftParts, scene: Scene) -> dict[str, Any]:
    """As the core's settings."""
    frame_s = scene.render.fps_base / scene.render.fps
    return {
        "only": parts.only,
        "blend_in_s": parts.blend_in * frame_s,
        "blend_out_s": parts.blend_out * frame_s,
        "loop": parts.loop == "ON",
    }


CLASSES = (HeftParts,)
GROUPS = (
    (bpy.types.Object, "heft_parts", HeftParts),
    (bpy.types.PoseBone, "heft_simulate", BONE_SHARE),
)
