"""Keys on the curves of a channel, many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..sim_core.base.conventions import FloatArray, IntArray
from ..sim_core.keys.spline import Spline
from .compat import CurveWriter

LINEAR, BEZIER = 1, 2
"""Blender's numbers for interpolations."""
FREE = 0
"""Blender's number for handles that stay where they are put."""


@dataclass(frozen=True, eq=False)
class Channel:
    """A property and its values (F, C) at all frames.

    bone: index, or OBJECT; mode: LOCATION or the bone's rotation mode
    """

    data_path: str
    group: str
    bone: int
    mode: str
    values: FloatArray


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


def write_spline(writer: CurveWriter, data_path: str, group: str, spline: Spline) -> None:
    """Bezier keys with the handles of a spline on each of the channel's curves."""
    left, right = spline.handles
    for index, (column, count) in enumerate(zip(spline.value.T, spline.key_counts.tolist(), strict=True)):
        curve = writer.replace(data_path, index, group)
        keys = curve.keyframe_points
        keys.add(count)
        keys.foreach_set("co", _pairs(np.column_stack([spline.frame, column])[:count]))
        keys.foreach_set("interpolation", np.full(count, BEZIER, dtype=np.int32))
        for name, handle in (("left", left), ("right", right)):
            keys.foreach_set(f"handle_{name}_type", np.full(count, FREE, dtype=np.int32))
            keys.foreach_set(f"handle_{name}", _pairs(handle[:count, index]))
        curve.update()


def _pairs(points: FloatArray) -> FloatArray:
    """Frames and values (K, 2), as Blender takes them."""
    return points.astype(np.float32).ravel()
