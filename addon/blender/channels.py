"""The curves of a property: rotations as the channels of a rotation mode, and keys written many at once.

The same rotation has several channel values: a quaternion and its negative, angles that are whole turns
apart, and two triples of Euler angles. Blender mixes actions channel by channel, so the values nearest to
the source are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mathutils import Euler, Quaternion

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.keys.spline import Spline
from .compat import CurveWriter
from .curve_keys import CurveKeys, Span, around

_PROPERTIES = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
NO_TURN = 1e-9
"""Length of a quaternion's vector part below which its axis is rounding."""


def rotation_property(mode: Any) -> str:
    """Return the property that holds the rotation of a bone or object with this rotation_mode."""
    return _PROPERTIES.get(mode, "rotation_euler")


def rotation_channels(
    quaternion: FloatArray, mode: Any, source: FloatArray | None = None
) -> tuple[str, FloatArray]:
    """Return the property of a rotation_mode and its values (F, 3 or 4), close to the source's values."""
    if mode == "QUATERNION":
        values = _on_the_side_of(source, rotations.continuous(quaternion))
    elif mode == "AXIS_ANGLE":
        values = _turns_of(source, _axis_angle(rotations.continuous(quaternion)))
    else:
        values = _euler(quaternion, mode) if source is None else _euler_near(quaternion, mode, source)
    return rotation_property(mode), values


def _on_the_side_of(source: FloatArray | None, values: FloatArray) -> FloatArray:
    """Return quaternions (F, 4), all negated if that is nearer to the source."""
    return -values if source is not None and np.sum(source * values) < 0.0 else values


def _turns_of(source: FloatArray | None, values: FloatArray) -> FloatArray:
    """Return angles and axes (F, 4), with the axis flipped and whole turns added as in the source."""
    if source is None:
        return values
    along = np.sum(source[:, 1:] * values[:, 1:], axis=1)
    if np.sum(along * np.abs(source[:, 0])) < 0.0:
        values = -values
    return values + [_whole_turns(source[:, 0] - values[:, 0]), 0.0, 0.0, 0.0]


def _euler(quaternion: FloatArray, order: Any, *start: Euler) -> FloatArray:
    """Return Euler angles [rad], each nearest to the one before."""
    angles: list[Euler] = []
    for values in quaternion:
        near = angles[-1:] or start
        angles.append(Quaternion(values).to_euler(order, *near))
    return np.array(angles, dtype=np.float64)


def _euler_near(quaternion: FloatArray, order: Any, source: FloatArray) -> FloatArray:
    """Return the Euler angles [rad] nearest to the source's (F, 3), without jumps between frames."""
    first = _euler(quaternion, order)
    middle = "XYZ".index(order[1])
    second = first + np.pi
    second[:, middle] = np.pi - first[:, middle]
    both = np.stack([first, second])
    both += 2.0 * np.pi * np.round((source - both) / (2.0 * np.pi))
    off = np.abs(both - source).sum(axis=-1)
    near = np.where((off[0] <= off[1])[:, None], both[0], both[1])
    if np.abs(np.diff(near, axis=0)).max(initial=0.0) < np.pi:
        return near
    followed = _euler(quaternion, order, Euler(source[0], order))
    return followed + [_whole_turns(off) for off in (source - followed).T]


def _whole_turns(angle: FloatArray) -> float:
    """Return the median of angles over time, rounded to whole turns [rad]."""
    return 2.0 * np.pi * float(np.round(np.median(angle) / (2.0 * np.pi)))


def _axis_angle(quaternion: FloatArray) -> FloatArray:
    """Return angle [rad] and axis (F, 4); the axis never flips, the angle may leave -pi to pi."""
    vector = quaternion[:, 1:]
    length = np.linalg.norm(vector, axis=1)
    clear = length > NO_TURN
    if not clear.any():
        return np.tile([0.0, 0.0, 1.0, 0.0], (len(quaternion), 1))
    # Without a rotation the last clear axis is kept, or the first one at the start.
    last = np.maximum.accumulate(np.where(clear, np.arange(len(clear)), np.argmax(clear)))
    axis = vector[last] / length[last, None]
    flips = np.sum(axis[1:] * axis[:-1], axis=1) < 0.0
    sign = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)])
    angle = np.unwrap(2.0 * np.arctan2(length, quaternion[:, 0]) * sign)
    return np.column_stack([angle, axis * sign[:, None]])


@dataclass(frozen=True, eq=False)
class Channel:
    """A property and its values (F, C) at all frames.

    bone: index of the bone, or OBJECT
    mode: LOCATION or the bone's rotation mode
    unkeyed (C): the property's values without keys, if they are known
    """

    data_path: str
    group: str
    bone: int
    mode: str
    values: FloatArray
    unkeyed: FloatArray | None = None


def write_channel(
    writer: CurveWriter,
    data_path: str,
    group: str,
    frame: IntArray,
    values: FloatArray,
    unkeyed: FloatArray | None = None,
) -> None:
    """Write one linear key a frame on each of the channel's curves, from values (F, C).

    Keys of the curves before the first frame and after the last one stay.
    unkeyed (C): values that the property has without keys
    """
    for index, column in enumerate(values.T):
        inner = CurveKeys.linear(frame, column)
        _write(writer, data_path, index, group, inner, Span(frame[0], frame[-1]), unkeyed)


def write_constant(writer: CurveWriter, data_path: str, group: str, frame: IntArray, value: float) -> None:
    """Write one key that holds over all frames; keys before and after them stay."""
    inner = CurveKeys.linear(frame[:1], np.array([value]))
    _write(writer, data_path, 0, group, inner, Span(frame[0], frame[-1]), None)


def write_spline(
    writer: CurveWriter, data_path: str, group: str, spline: Spline, unkeyed: FloatArray | None = None
) -> None:
    """Write the keys and handles of a spline on each of the channel's curves, as `write_channel` does."""
    left, right = spline.handles
    for index, (column, count) in enumerate(zip(spline.value.T, spline.key_counts.tolist(), strict=True)):
        key = np.column_stack([spline.frame, column])[:count]
        inner = CurveKeys.bezier(key, left[:count, index], right[:count, index])
        _write(writer, data_path, index, group, inner, Span(spline.frame[0], spline.frame[-1]), unkeyed)


def _write(
    writer: CurveWriter,
    data_path: str,
    index: int,
    group: str,
    inner: CurveKeys,
    new: Span,
    unkeyed: FloatArray | None,
) -> None:
    alone = float(inner.points[0, 0, 1]) if unkeyed is None else float(unkeyed[index])
    keys = around(inner, new, writer.old(data_path, index), writer.span, alone)
    keys.write(writer.replace(data_path, index, group))
