"""What an armature shall strike, as the core sees it."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from ..sim_core.base.conventions import FloatArray
from ..sim_core.base.errors import InputError
from ..sim_core.recognition.mapping import BoneMapping
from ..sim_core.scene.aims import Aim
from .blender_types import ArmatureObject, RigContext
from .matrices import from_blender
from .motion_reader import current_frame_kept
from .properties.aims import HeftAim
from .rig_reader import metres_per_unit


def sample_aims(
    context: RigContext, obj: ArmatureObject, mapping: BoneMapping, frame_start: int, frame_end: int
) -> Generator[float, None, tuple[Aim, ...]]:
    """Read all rows of the list, giving back control after each frame with the share done.

    A strike at a frame of its own needs its target at that frame alone; one that is to be found needs all.
    """
    rows: Sequence[HeftAim] = list(obj.heft.aims)
    _refuse_unfinished(obj, rows)
    if not rows:
        return ()
    all_frames = range(frame_start, frame_end + 1)
    frames = sorted({f for row in rows for f in ([row.frame] if row.own_frame else all_frames)})
    places = np.zeros((len(frames), len(rows), 3))
    with current_frame_kept(context.scene):
        for k, frame in enumerate(frames):
            context.scene.frame_set(frame)
            depsgraph = context.evaluated_depsgraph_get()
            for i, row in enumerate(rows):
                places[k, i] = from_blender(row.target.evaluated_get(depsgraph).matrix_world)[:3, 3]
            yield (k + 1) / len(frames)
    places *= metres_per_unit(context.scene)
    fps = context.scene.render.fps / context.scene.render.fps_base
    times = np.array(frames) / fps
    mapped = {bone for slot in mapping for bone in mapping.bones[slot]}
    return tuple(
        _aim(row, places[:, i], times, fps, None if row.bone in mapped else _tip(context, obj, row.bone))
        for i, row in enumerate(rows)
    )


def _aim(row: HeftAim, path: FloatArray, times: FloatArray, fps: float, point: FloatArray | None) -> Aim:
    contact_s = row.frame / fps if row.own_frame else None
    if contact_s is not None:
        now = int(np.argmin(np.abs(times - contact_s)))
        path, times = path[now : now + 1], times[now : now + 1]
    return Aim(row.bone, path, times, contact_s, row.speed, row.blend, point)


def _tip(context: RigContext, obj: ArmatureObject, bone: str) -> FloatArray:
    """The end of a bone that is no part of the body, in its axes [m]: a weapon strikes with its tip."""
    scale = float(np.linalg.norm(from_blender(obj.matrix_world)[:3, 1]))
    length = obj.data.bones[bone].length * scale * metres_per_unit(context.scene)
    return np.array([0.0, length, 0.0])


def _refuse_unfinished(obj: ArmatureObject, rows: Sequence[HeftAim]) -> None:
    for number, row in enumerate(rows, 1):
        if row.bone not in obj.data.bones:
            found = f"'{obj.name}' has no bone '{row.bone}'" if row.bone else "it has no bone"
            raise InputError(f"Strike {number} cannot be carried out: {found}; choose one in the list.")
        if row.target is None:
            raise InputError(f"Strike {number} has no target; choose an object, an Empty for example.")
