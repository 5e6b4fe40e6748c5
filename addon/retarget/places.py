"""Empties that hands and feet are held at, as the core sees them."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ...sim_core.base.errors import InputError
from ...sim_core.retarget.options import Reach
from ..blender_types import RigContext
from ..matrices import from_blender
from ..motion_reader import current_frame_kept
from ..rig_reader import metres_per_unit
from .properties import HeftReach
from .source import TargetObject


def sample_reaches(context: RigContext, target: TargetObject) -> Generator[float, None, tuple[Reach, ...]]:
    """Read all rows of the list, giving back control after each frame with the share done."""
    rows: list[HeftReach] = list(target.heft_retarget.reaches)
    _refuse_unfinished(rows)
    if not rows:
        return ()
    fps = context.scene.render.fps / context.scene.render.fps_base
    first, last = min(row.frame_start for row in rows), max(row.frame_end for row in rows)
    places = []
    with current_frame_kept(context.scene):
        for frame in range(first, last + 1):
            context.scene.frame_set(frame)
            depsgraph = context.evaluated_depsgraph_get()
            places.append(
                [from_blender(row.target.evaluated_get(depsgraph).matrix_world)[:3, 3] for row in rows]
            )
            yield (frame - first + 1) / (last - first + 1)
    found = np.array(places) * metres_per_unit(context.scene)
    time = np.arange(first, last + 1) / fps
    return tuple(
        Reach(row.limb, found[:, i], row.frame_start / fps, row.frame_end / fps, time)
        for i, row in enumerate(rows)
    )


def _refuse_unfinished(rows: list[HeftReach]) -> None:
    for number, row in enumerate(rows, 1):
        if row.target is None:
            raise InputError(f"Place {number} has no Empty; choose one in the list.")
        if row.frame_end < row.frame_start:
            raise InputError(
                f"Place {number} ends at frame {row.frame_end}, before it begins at {row.frame_start}; "
                "swap the two."
            )
