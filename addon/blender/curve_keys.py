"""Keys of a curve as arrays, and those outside a range of frames, which a bake leaves as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import FCurve

from ...sim_core.base.conventions import FloatArray, IntArray

LINEAR, BEZIER = 1, 2
"""Blender's numbers for interpolations."""
FREE = 0
"""Blender's number for handles that stay where they are put."""
_KINDS = ("interpolation", "handle_left_type", "handle_right_type")
_POINTS = ("co", "handle_left", "handle_right")


@dataclass(frozen=True, eq=False)
class CurveKeys:
    """K keys of one curve.

    points (3, K, 2): frame and value of the key, and of its left and right handle
    kinds (3, K): Blender's numbers for interpolation, left and right handle
    """

    points: FloatArray
    kinds: IntArray

    @staticmethod
    def of(curve: FCurve) -> CurveKeys:
        """Return the keys of a curve."""
        count = len(curve.keyframe_points)
        points, kinds = np.empty((3, 2 * count), dtype=np.float32), np.empty((3, count), dtype=np.int32)
        for name, row in zip(_POINTS, points, strict=True):
            curve.keyframe_points.foreach_get(name, row)
        for name, kind in zip(_KINDS, kinds, strict=True):
            curve.keyframe_points.foreach_get(name, kind)
        return CurveKeys(points.reshape(3, count, 2).astype(np.float64), kinds)

    @staticmethod
    def linear(frame: FloatArray | IntArray, value: FloatArray) -> CurveKeys:
        """Return linear keys at frames (K) with values (K)."""
        point = np.column_stack([frame, value])
        kinds = np.array([[LINEAR], [FREE], [FREE]])
        return CurveKeys(np.stack([point] * 3), np.repeat(kinds, len(point), axis=1))

    @staticmethod
    def bezier(key: FloatArray, left: FloatArray, right: FloatArray) -> CurveKeys:
        """Return keys (K, 2) with free handles (K, 2)."""
        kinds = np.array([[BEZIER], [FREE], [FREE]])
        return CurveKeys(np.stack([key, left, right]), np.repeat(kinds, len(key), axis=1))

    @property
    def frame(self) -> FloatArray:
        """Return the frames of the keys (K)."""
        return self.points[0, :, 0]

    def kept(self, which: Any) -> CurveKeys:
        """Return the chosen keys."""
        return CurveKeys(self.points[:, which], self.kinds[:, which])

    def joined(self, *others: CurveKeys) -> CurveKeys:
        """Return these keys and others after them."""
        every = (self, *others)
        return CurveKeys(
            np.concatenate([keys.points for keys in every], axis=1),
            np.concatenate([keys.kinds for keys in every], axis=1),
        )

    def free(self, index: int) -> CurveKeys:
        """Return the same keys; one of them is linear, and its handles no longer follow its neighbours."""
        if not len(self.frame):
            return self
        kinds = self.kinds.copy()
        kinds[1:, index] = FREE
        if index == -1:
            kinds[0, index] = LINEAR
        return CurveKeys(self.points, kinds)

    def write(self, curve: FCurve) -> None:
        """Put the keys on a curve that has none."""
        keys = curve.keyframe_points
        keys.add(len(self.frame))
        for name, kinds in zip(_KINDS, self.kinds, strict=True):
            keys.foreach_set(name, np.ascontiguousarray(kinds, dtype=np.int32))
        for name, row in zip(_POINTS, self.points, strict=True):
            keys.foreach_set(name, row.astype(np.float32).ravel())
        curve.update()


NO_KEYS = CurveKeys(np.zeros((3, 0, 2)), np.zeros((3, 0), dtype=np.int64))


@dataclass(frozen=True)
class Span:
    """The frames that an action covers."""

    start: float
    end: float


def around(inner: CurveKeys, new: Span, old: FCurve | None, span: Span | None, unkeyed: float) -> CurveKeys:
    """Return new keys, which hold in the frames `new`, together with the old ones before and after them.

    Where the old curve has no key beside the new ones, its own values are sampled, so that the motion
    outside stays what it was. span: of the action; without one nothing is outside.
    unkeyed: the channel's value where there is no old curve
    """
    if span is None:
        return inner
    first, last = new.start, new.end
    keys = NO_KEYS if old is None else CurveKeys.of(old)

    def sampled(frame: IntArray) -> CurveKeys:
        return CurveKeys.linear(frame, np.array([unkeyed if old is None else old.evaluate(f) for f in frame]))

    before = after = NO_KEYS
    if span.start < first - 0.5:
        kept = keys.kept(keys.frame < first - 0.5)
        nearest = np.floor(kept.frame[-1]) if len(kept.frame) else first - 2.0
        before = kept.free(-1).joined(sampled(np.arange(int(nearest) + 1, int(first))))
    if span.end > last + 0.5:
        kept = keys.kept(keys.frame > last + 0.5)
        nearest = np.ceil(kept.frame[0]) if len(kept.frame) else last + 2.0
        after = sampled(np.arange(int(last) + 1, int(nearest))).joined(kept.free(0))
        if inner.frame[-1] < last - 0.5:  # a constant has one key
            inner = inner.joined(CurveKeys.linear(np.array([last]), inner.points[0, -1:, 1]))
        inner = inner.free(-1)
    return before.joined(inner, after)
