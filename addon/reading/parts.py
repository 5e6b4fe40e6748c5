"""Which part of the body and of the frames is simulated, and which actions are loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import FCurve, PoseBone, PropertyGroup, Scene

from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ..blender import compat
from ..blender.blender_types import ArmatureObject, part_bone
from .source_action import animated_range, source_of, strips_of

if TYPE_CHECKING:
    from ...sim_core.scenario.job import Job

PARTS = (
    ("whole", "Whole Body", "The whole body is simulated"),
    ("upper", "Upper Body", "Trunk, head and arms are simulated; hips and legs follow the animation"),
    ("soft", "Soft Parts Only", "Only the chosen soft parts are simulated; the body keeps its animation"),
)

LOOPS = (
    ("AUTO", "Auto", "On if the animation ends as it begins, or is marked as cyclic"),
    ("ON", "On", "Simulate the cycle several times and keep a cycle that closes"),
    ("OFF", "Off", "Simulate the animation once, without closing it"),
)

# Not in a group: Blender cannot key properties in a group of a pose bone from their sliders.
BONE_SHARE = FloatProperty(
    name="Simulate",
    description="How much of the bone is simulated: 0 follows the animation, 1 is all physics; can be keyed",
    default=1.0,
    min=0.0,
    max=1.0,
    subtype="FACTOR",
    override={"LIBRARY_OVERRIDABLE"},
)


class HeftParts(PropertyGroup):
    """Which part of the body and of the frames is simulated, on the object."""

    only: EnumProperty(
        name="Simulate", description="Which part of the body is simulated", items=PARTS, default="whole"
    )
    blend_in: IntProperty(
        name="Blend In",
        description="Number of frames that blend from the animation into the simulation",
        min=0,
        soft_max=50,
        max=1000,
    )
    blend_out: IntProperty(
        name="Blend Out",
        description="Number of frames that blend from the simulation back into the animation",
        min=0,
        soft_max=50,
        max=1000,
    )
    loop: EnumProperty(
        name="Loop", description="Whether the result ends as it begins", items=LOOPS, default="AUTO"
    )
    key_bones: BoolProperty(
        name="Key at This Frame",
        description="The Simulate and Animate buttons also set a key at the current frame",
    )


def part_settings(parts: HeftParts, scene: Scene) -> dict[str, Any]:
    """Return the options as the core's settings."""
    frame_s = scene.render.fps_base / scene.render.fps
    return {
        "only": parts.only,
        "blend_in_s": parts.blend_in * frame_s,
        "blend_out_s": parts.blend_out * frame_s,
        "loop": parts.loop.lower(),
    }


PATH_END = ".heft_simulate"


def uses_bone_shares(obj: ArmatureObject) -> bool:
    """Return whether some bone is not fully simulated, now or by animation."""
    return any(part_bone(bone).heft_simulate < 1.0 for bone in obj.pose.bones) or _is_animated(obj)


def _is_animated(obj: ArmatureObject) -> bool:
    animation, source = obj.animation_data, compat.action_of(obj)
    sources = [] if source is None else [source]
    sources += [compat.strip_source(strip) for strip in strips_of(obj) if strip.action is not None]
    curves = [curve for own in sources for curve in compat.curves_of(own)]
    curves += [] if animation is None else list(animation.drivers)
    return any(curve.data_path.endswith(PATH_END) for curve in curves)


def read_shares(evaluated: ArmatureObject) -> FloatArray:
    """Return the share of simulation of all pose bones at the current frame (N)."""
    return np.array([part_bone(bone).heft_simulate for bone in evaluated.pose.bones])


def set_shares(bones: Sequence[PoseBone], share: float, key_frame: float | None) -> None:
    """Set the share of bones, with a key at a frame if one is given."""
    for bone in bones:
        part_bone(bone).heft_simulate = share
        if key_frame is not None:
            bone.keyframe_insert("heft_simulate", frame=key_frame, group=bone.name)


def bones_of_collection(obj: ArmatureObject) -> list[PoseBone]:
    """Return the bones of the active bone collection and of those below it."""
    active = obj.data.collections.active
    return [] if active is None else [obj.pose.bones[bone.name] for bone in active.bones_recursive]


MOST = 0.5
"""Share of an action's curves with a Cycles modifier from which on it counts as a loop."""

_KEPT = ("mode_before", "mode_after", "cycles_before", "cycles_after")


def is_loop_action(obj: ArmatureObject) -> bool:
    """Return whether the action is cyclic, or its curves have Cycles modifiers."""
    source = source_of(obj)
    if source is None or obj.heft.source_mode == "SEQUENCE":
        return False
    if source.action.use_frame_range and source.action.use_cyclic:
        return True
    curves = [curve for curve in compat.curves_of(source) if curve.data_path.startswith("pose.bones")]
    cyclic = sum(_cycles(curve) is not None for curve in curves)
    return cyclic > 0 and cyclic >= MOST * len(curves)


def with_loop(
    obj: ArmatureObject, job: Job, frames: tuple[int, int], alone: bool
) -> tuple[Job, tuple[str, ...]]:
    """Return the job, as a loop if Loop is on Auto and the action is marked so, and notes if it cannot be."""
    from ...sim_core.bake.loop import Loop

    own = job.settings
    marked = own.loop == "auto" and is_loop_action(obj) and frames == animated_range(obj)
    if not marked or not own.simulate or own.only_plausible:
        return job, ()
    refusal = "The action is marked as a loop, but was not simulated as one. "
    if not alone:
        return job, (f"{refusal}A loop must be simulated alone.",)
    looped = replace(job, settings=replace(own, loop="on"))
    try:
        Loop.of(looped)
    except InputError as problem:
        return job, (f"{refusal}{problem}",)
    return looped, ()


def keep_cycles(source: compat.SlottedAction, written: compat.SlottedAction) -> None:
    """Give the curves of a looped result the Cycles modifiers of the source."""
    before = {(c.data_path, c.array_index): _cycles(c) for c in compat.curves_of(source)}
    for curve in compat.curves_of(written):
        old = before.get((curve.data_path, curve.array_index))
        if old is not None and _cycles(curve) is None:
            new = curve.modifiers.new("CYCLES")
            for name in _KEPT:
                setattr(new, name, getattr(old, name))


def _cycles(curve: FCurve) -> object | None:
    """Return the curve's active Cycles modifier, or None."""
    found = (m for m in curve.modifiers if m.type == "CYCLES" and not m.mute and not m.use_restricted_range)
    return next(found, None)


CLASSES = (HeftParts,)

GROUPS = (
    (bpy.types.Object, "heft_parts", HeftParts),
    (bpy.types.PoseBone, "heft_simulate", BONE_SHARE),
)
