"""Keys on the curves of a channel, many at once."""

from __future__ import annotations

import numpy as np

from ..sim_core.conventions import FloatArray, IntArray
from .compat import CurveWriter

LINEAR = 1
"""Blender's number for linear interpolation."""


def write_channel(
    writer: CurveWriter, data_path: str, group: str, frame: IntArray, values: FloatArray
) -> None:
    """One key a frame on each of the channel's curves, values (F, channels)."""
    interpolation = np.full(len(frame), LINEAR, dtype=np.int32)
    for index, column in enumerate(values.T):
        curve = writer.replace(data_path, index, group)
        keys = curve.keyframe_points
        keys.add(len(frame))
        keys.foreach_set("co", np.column_stack([frame, column]).astype(np.float32).ravel())
        keys.foreach_set("interpolation", interpolation)
        curve.update()
