"""Feet that stand while two motions are blended stay where they are.

A blend of positions moves a sole at (1 - w) vA + w vB + w' (pB - pA). The last term is no step of
either motion: it is the slide, and it turns the foot in the same way. It is taken out while the foot
stands and given back while it swings.
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
"""A foot that was held returns to its motion within this time, in the air [s]."""
SAME_PLACE = 1e-9
"""Rounding [m, rad]."""


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot of a motion at n samples.

    soles (n, 4, 3) [m], touches (n, 4), turn (n, 4): of its bone
    """

    soles: FloatArray
    touches: BoolArray
    turn: FloatArray

    @staticmethod
    def of(motion: Motion, touches: BoolArray, body: Body, side: int, at: IntArray) -> Foot:
        turn = motion.quaternion_world[at, body.legs[side].foot]
        return Foot(body.soles(motion)[at, side], touches[at, side], turn)


@dataclass(frozen=True, eq=False)
class Blend:
    """What was blended: samples (n) of the joined motion, share (n) of the second one, their feet by side."""

    samples: IntArray
    share: FloatArray
    before: tuple[Foot, ...]
    after: tuple[Foot, ...]


def keep_feet(joined: Clip, body: Body, blend: Blend) -> Clip:
    """The clip with its feet put right, in the blend and until they have left the ground after it."""
    motion = joined.motion
    position, quaternion = motion.position_world.copy(), motion.quaternion_world.copy()
    targets = [_target(joined, body, blend, side) for side in range(len(body.legs))]
    position[..., 2] -= lowering(position, body.legs, [t.ankle for t in targets], motion.rate_hz)[:, None]
    for leg, target in zip(body.legs, targets, strict=True):
        moved = np.abs(target.ankle - position[:, leg.foot]).max(axis=1)
        at = np.flatnonzero(moved + np.abs(target.yaw) > SAME_PLACE)
        reach(motion.skeleton, leg, position, quaternion, at, target.ankle[at], target.turn[at])
    return replace(joined, motion=replace(motion, position_world=position, quaternion_world=quaternion))


@dataclass(frozen=True, eq=False)
class _Target:
    """Where a foot shall be: ankle (T, 3) [m], turn (T, 4) of its bone, yaw (T) by which it is held back."""

    ankle: FloatArray
    turn: FloatArray
    yaw: FloatArray


def _target(joined: Clip, body: Body, blend: Blend, side: int) -> _Target:
    motion, a, b = joined.motion, blend.before[side], blend.after[side]
    window = slice(int(blend.samples[0]), int(blend.samples[-1]) + 1)
    release = round(RELEASE_SECONDS * motion.rate_hz)
    stands = np.any(joined.touches[:, side], axis=1)
    yaw = _held(_turned_too_far(a, b, blend.share), stands, window, release)[:, 0]
    turn = rotations.multiply(rotations.about_vertical(yaw), motion.quaternion_world[:, body.legs[side].foot])
    hangs = rotations.rotate(turn[:, None], body.sole_in_foot[side])
    # Feet turn about the middle of the sole.
    ankle = (body.soles(motion)[:, side] - hangs).mean(axis=1)
    # Where the soles would be without the bones in between: legs that reach in both motions reach it.
    weight = blend.share[:, None, None]
    ankle[window] = ((1.0 - weight) * a.soles + weight * b.soles - hangs[window]).mean(axis=1)
    slide = _slide((ankle[:, None] + hangs)[window], a, b, blend.share)
    ankle[:, :2] += _held(slide, stands, window, release)
    return _Target(ankle, turn, yaw)


def _turned_too_far(a: Foot, b: Foot, share: FloatArray) -> FloatArray:
    """Turn about the vertical that is due to the blend alone, from the first sample to each (n, 1) [rad]."""
    between = rotations.to_vector(rotations.multiply(b.turn, rotations.conjugate(a.turn)))[:, 2]
    return _summed((np.diff(share) * 0.5 * (between[1:] + between[:-1]))[:, None])


def _slide(soles: FloatArray, a: Foot, b: Foot, share: FloatArray) -> FloatArray:
    """Way over the ground of the soles (n, 4, 3) that is due to the blend alone (n, 2) [m].

    Only a motion in which a point touches says how it should move.
    """
    later = 0.5 * (share[1:] + share[:-1])[:, None]
    weight_a, weight_b = (1.0 - later) * _stays(a.touches), later * _stays(b.touches)
    total = weight_a + weight_b
    known = np.maximum(total, 1e-12)[..., None]
    wanted = (
        weight_a[..., None] * np.diff(a.soles, axis=0) + weight_b[..., None] * np.diff(b.soles, axis=0)
    ) / known
    too_far = (np.diff(soles, axis=0) - wanted)[..., :2] * total[..., None]
    return _summed(too_far.sum(axis=1) / np.maximum(total.sum(axis=1), 1e-12)[:, None])


def _stays(touches: BoolArray) -> FloatArray:
    """1 where a point touches from one sample to the next (n - 1, 4)."""
    return (touches[1:] & touches[:-1]).astype(float)


def _summed(steps: FloatArray) -> FloatArray:
    """The sums of all steps up to each sample; nothing at the first one."""
    return np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])


def _held(slide: FloatArray, stands: BoolArray, window: slice, release: int) -> FloatArray:
    """What to add to all samples (T, k), so that no spell of standing has a part of the slide (n, k)."""
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
        _let_go(result, end, min(end + release, until), result[end - 1])
        _let_go(result[::-1], len(stands) - first, len(stands) - max(first - release, since), result[first])
    return result


def _anchor(first: int, end: int, window: slice) -> int:
    """The sample of a spell whose place is right: outside of the blend if the spell reaches there."""
    if first < window.start:
        return window.start
    return window.stop - 1 if end > window.stop else (first + end) // 2


def _let_go(offsets: FloatArray, start: int, stop: int, held: FloatArray) -> None:
    """Let an offset fade to nothing between two samples."""
    fade = np.arange(1, stop - start + 1) / (stop - start + 1)
    offsets[start:stop] += (0.5 + 0.5 * np.cos(np.pi * fade))[:, None] * held
