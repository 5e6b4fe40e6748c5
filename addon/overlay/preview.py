"""The done part of a simulation that still runs; nothing of it is ever in the file."""

from __future__ import annotations

import numpy as np
from bpy.types import Context

from ...sim_core.base.conventions import FloatArray
from ..blender_types import rig_context
from ..job_queue import QUEUE
from ..rig_reader import metres_per_unit


def preview_points(context: Context) -> FloatArray:
    """Ends of sticks (2 N, 3) [Blender units]: the newest moment, and the current frame if it is done."""
    session, scene = QUEUE.running, rig_context(context).scene
    if session is None or not session.previews or not rig_context(context).window_manager.heft.preview:
        return np.zeros((0, 3))
    now_s = (scene.frame_current + scene.frame_subframe) * scene.render.fps_base / scene.render.fps
    newest = len(session.previews) - 1
    place = int(np.searchsorted([preview.time for preview in session.previews], now_s))
    ends = [
        np.array(figure, dtype=np.float64).reshape(-1, 3)
        for moment in sorted({min(place, newest), newest})
        for figure in session.previews[moment].figures
    ]
    return np.concatenate(ends) / metres_per_unit(scene)
