"""The list of strikes, and their targets as values of the core."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Object, PropertyGroup

from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.recognition.mapping import BoneMapping
from ...sim_core.scene.aims import BLEND_SECONDS, MAX_BLEND, MAX_SPEED, MIN_BLEND, Aim
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.matrices import from_blender
from .rig_reader import metres_per_unit


class HeftAim(PropertyGroup):
    """A row of the list of strikes."""

    bone: StringProperty(
        name="Bone", description="The bone that strikes: a hand, a foot, or a bone attached to one"
    )
    target: PointerProperty(
        type=Object,
        name="Target",
        description="The object to strike; its origin is hit, and it may be animated",
    )
    own_frame: BoolProperty(
        name="At a Frame",
        description="Strike at a chosen frame; if off, at the motion's strike nearest to the target",
    )
    frame: IntProperty(name="Frame", description="The frame of the strike", default=1)
    speed: FloatProperty(
        name="Speed [m/s]",
        description="Speed of the bone at the strike; 0 keeps the speed of the motion",
        min=0.0,
        soft_max=10.0,
        max=MAX_SPEED,
        precision=1,
    )
    blend: FloatProperty(
        name="Blend [s]",
        description="Time before and after the strike in which the motion is changed",
        default=BLEND_SECONDS,
        min=MIN_BLEND,
        max=MAX_BLEND,
        precision=2,
    )


def sample_aims(
    context: RigContext,
    obj: ArmatureObject,
    mapping: BoneMapping,
    frame_start: int,
    frame_end: int,
    fps: float,
) -> Generator[float, None, tuple[Aim, ...]]:
    """Read all rows of the list, yielding the share done after each frame; fps: of the motion.

    A strike at a chosen frame needs its target at that frame only; the others need it at all frames.
    """
    from .motion_reader import current_frame_kept

    rows: Sequence[HeftAim] = list(obj.heft.aims)
    _refuse_unfinished(obj, rows)
    if not rows:
        return ()
    all_frames = range(frame_start, frame_end + 1)
    frames = sorted({f for row in rows for f in ([row.frame] if row.own_frame else all_frames)})
    positions = np.zeros((len(frames), len(rows), 3))
    with current_frame_kept(context.scene):
        for k, frame in enumerate(frames):
            context.scene.frame_set(frame)
            depsgraph = context.evaluated_depsgraph_get()
            for i, row in enumerate(rows):
                positions[k, i] = from_blender(row.target.evaluated_get(depsgraph).matrix_world)[:3, 3]
            yield (k + 1) / len(frames)
    positions *= metres_per_unit(context.scene)
    times = np.array(frames) / fps
    mapped = {bone for slot in mapping for bone in mapping.bones[slot]}
    return tuple(
        _aim(row, positions[:, i], times, fps, None if row.bone in mapped else _tip(context, obj, row.bone))
        for i, row in enumerate(rows)
    )


def _aim(row: HeftAim, path: FloatArray, times: FloatArray, fps: float, point: FloatArray | None) -> Aim:
    contact_s = row.frame / fps if row.own_frame else None
    if contact_s is not None:
        now = int(np.argmin(np.abs(times - contact_s)))
        path, times = path[now : now + 1], times[now : now + 1]
    return Aim(row.bone, path, times, contact_s, row.speed, row.blend, point)


def _tip(context: RigContext, obj: ArmatureObject, bone: str) -> FloatArray:
    """Return the tip of a bone outside the body, in the bone's axes [m]: a weapon strikes with its tip."""
    scale = float(np.linalg.norm(from_blender(obj.matrix_world)[:3, 1]))
    length = obj.data.bones[bone].length * scale * metres_per_unit(context.scene)
    return np.array([0.0, length, 0.0])


def _refuse_unfinished(obj: ArmatureObject, rows: Sequence[HeftAim]) -> None:
    for number, row in enumerate(rows, 1):
        if row.bone not in obj.data.bones:
            found = f"'{obj.name}' has no bone '{row.bone}'" if row.bone else "no bone is chosen"
            raise InputError(f"Strike {number} cannot be carried out: {found}; choose one in the list.")
        if row.target is None:
            raise InputError(f"Strike {number} has no target; choose an object, an Empty for example.")


CLASSES = (HeftAim,)
