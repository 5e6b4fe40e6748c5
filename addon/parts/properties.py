"""What Heft keeps in the file about parts that are not simulated."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import PropertyGroup, Scene

PARTS = (
    ("whole", "Whole Body", "All of the body is simulated"),
    ("upper", "Upper Body", "Trunk, head and arms are simulated; hips and legs follow the animation"),
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
    loop: BoolProperty(
        name="Loop",
        description="The animation is a cycle: it is simulated several times, and one that closes is kept",
    )


def part_settings(parts: HeftParts, scene: Scene) -> dict[str, Any]:
    """As the core's settings."""
    frame_s = scene.render.fps_base / scene.render.fps
    return {
        "only": parts.only,
        "blend_in_s": parts.blend_in * frame_s,
        "blend_out_s": parts.blend_out * frame_s,
        "loop": parts.loop,
    }


CLASSES = (HeftParts,)
GROUPS = ((bpy.types.Object, "heft_parts", HeftParts),)
