"""Feet that stand while two motions are blended keep their position.

A blend of positions moves a sole at (1 - w) vA + w vB + w' (pB - pA). The last term belongs to neither
motion: it is the foot skate, and the blend turns the foot in the same way. It is removed while the foot
stands and restored while it swings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..motion.motion import Motion
from .clip import Body, Clip
from .leg_reach import lowering, reach

RELEASE_SECONDS = 0.25
"""A foot that was held returns to its motion within this time in the air [s]."""
SAME_POSITION = 1e-9
"""Tolerance for rounding [m, rad]."""


@dataclass(frozen=True, eq=False)
class BlendedFoot:
    """One foot of a motion at n samples.

    soles (n, 4, 3) [m], touches (n, 4), turn (n, 4): rotation of its bone
    """

    soles: FloatArray
    touches: BoolArray
    turn: FloatArray

    @staticmethod
    def of(motion: Motion, touches: BoolArray, body: Body, side: int, at: IntArray) -> BlendedFoot:
        """Return a foot of a motion at some samples."""
        turn = motion.quaternion_world[at, body.legs[side].foot]
        return BlendedFoot(body.soles(motion)[at, side], touches[at, side], turn)


@dataclass(frozen=True, eq=False)
class Blend:
    """A blend: samples (n) of the joined motion, share (n) of the second one, and the feet by side."""

    samples: IntArray
    share: FloatArray
    before: tuple[BlendedFoot, ...]
    after: tuple[BlendedFoot, ...]


def keep_feet(joined: Clip, body: Body, blend: Blend) -> Clip:
    """Return the clip with corrected feet, in the blend and until they have left the ground after it."""
    motion = joined.motion
    position, quaternion = motion.position_world.copy(), motion.quaternion_world.copy()
    targets = [_target(joined, body, blend, side) for side in range(len(body.legs))]
    position[..., 2] -= lowering(position, body.legs, [t.ankle for t in targets], motion.rate_hz)[:, None]
    for leg, target in zip(body.legs, targets, strict=True):
        moved = np.abs(target.ankle - position[:, leg.foot]).max(axis=1)
        at = np.flatnonzero(moved + np.abs(target.yaw) > SAME_POSITION)
        reach(motion.skeleton, leg, position, quaternion, at, target.ankle[at], target.turn[at])
    return replace(joined, motion=replace(motion, position_world=position, quaternion_world=quaternion))


@dataclass(frozen=True, eq=False)
class _Target:
    """Target of a foot: ankle (T, 3) [m], rotation (T, 4) of its bone, yaw (T) by which it is corrected."""

    ankle: FloatArray
    turn: FloatArray
    yaw: FloatArray


def _target(joined: Clip, body: Body, blend: Blend, side: int) -> _Target:
    motion, a, b = joined.motion, blend.before[side], blend.after[side]
    window = slice(int(blend.samples[0]), int(blend.samples[-1]) + 1)
    release = round(RELEASE_SECONDS * motion.rate_hz)
    stands = np.any(joined.touches[:, side], axis=1)
    yaw = _held(_blend_yaw(a, b, blend.share), stands, window, release)[:, 0]
    turn = rotations.multiply(rotations.about_vertical(yaw), motion.quaternion_world[:, body.legs[side].foot])
    sole_offset = rotations.rotate(turn[:, None], body.sole_in_foot[side])
    # Feet turn about the middle of the sole.
    ankle = (body.soles(motion)[:, side] - sole_offset).mean(axis=1)
    # Where the soles would be without the bones in between: legs that reach in both motions reach it.
    weight = blend.share[:, None, None]
    ankle[window] = ((1.0 - weight) * a.soles + weight * b.soles - sole_offset[window]).mean(axis=1)
    slide = _slide((ankle[:, None] + sole_offset)[window], a, b, blend.share)
    ankle[:, :2] += _held(slide, stands, window, release)
    return _Target(ankle, turn, yaw)


def _blend_yaw(a: BlendedFoot, b: BlendedFoot, share: FloatArray) -> FloatArray:
    """Return the yaw that is due to the blend alone, from the first sample to each (n, 1) [rad]."""
    between = rotations.to_vector(rotations.multiply(b.turn, rotations.conjugate(a.turn)))[:, 2]
    return _summed((np.diff(share) * 0.5 * (between[1:] + between[:-1]))[:, None])


def _slide(soles: FloatArray, a: BlendedFoot, b: BlendedFoot, share: FloatArray) -> FloatArray:
    """Return the displacement (n, 2) [m] of soles (n, 4, 3) over the ground that is due to the blend alone.

    The wanted motion of a point comes only from motions in which it touches the ground.
    """
    later = 0.5 * (share[1:] + share[:-1])[:, None]
    weight_a, weight_b = (1.0 - later) * _stays(a.touches), later * _stays(b.touches)
    total = weight_a + weight_b
    known = np.maximum(total, 1e-12)[..., None]
    wanted = (
        weight_a[..., None] * np.diff(a.soles, axis=0) + weight_b[..., None] * np.diff(b.soles, axis=0)
    ) / known
    excess = (np.diff(soles, axis=0) - wanted)[..., :2] * total[..., None]
    return _summed(excess.sum(axis=1) / np.maximum(total.sum(axis=1), 1e-12)[:, None])


def _stays(touches: BoolArray) -> FloatArray:
    """Return 1 where a point touches the ground at a sample and the next (n - 1, 4)."""
    return (touches[1:] & touches[:-1]).astype(float)


def _summed(steps: FloatArray) -> FloatArray:
    """Return the sums of all steps up to each sample; zero at the first one."""
    return np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])


def _held(slide: FloatArray, stands: BoolArray, window: slice, release: int) -> FloatArray:
    """Return corrections (T, k) that remove the slide (n, k) from every interval of standing."""
    along = np.zeros((len(stands), slide.shape[1]))
    along[window], along[window.stop :] = slide, slide[-1]
    result = np.zeros_like(along)
    standing = true_intervals(stands)
    for n, (first, end) in enumerate(standing):
        if end <= window.start or first >= window.stop:
            continue
        result[first:end] += along[_anchor(first, end, window)] - along[first:end]
        until = standing[n + 1][0] if n + 1 < len(standing) else len(stands)
        since = standing[n - 1][1] if n else 0
        _fade_out(result, end, min(end + release, until), result[end - 1])
        _fade_out(result[::-1], len(stands) - first, len(stands) - max(first - release, since), result[first])
    return result


def _anchor(first: int, end: int, window: slice) -> int:
    """Return the sample of an interval with the right position: outside of the blend if possible."""
    if first < window.start:
        return window.start
    return window.stop - 1 if end > window.stop else (first + end) // 2


def _fade_out(offsets: FloatArray, start: int, stop: int, held: FloatArray) -> None:
    """Let an offset fade to zero between two samples."""
    fade = np.arange(1, stop - start + 1) / (stop - start + 1)
    offsets[start:stop] += (0.5 + 0.5 * np.cos(np.pi * fade))[:, None] * held
