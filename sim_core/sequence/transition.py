"""The best transition from one motion to the next: the pair of frames that agree most.

Two frames are compared as clouds of points after the turn about the vertical and the shift over the ground
that bring them closest (Kovar, Gleicher, Pighin 2002, section 3.1), and by the contacts of their feet.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..base.conventions import BoolArray, FloatArray, IntArray
from .clip import Body, Clip

ComplexArray = NDArray[np.complexfloating[Any, Any]]

SEARCHED_SECONDS = 0.8
"""Longest part of a motion's end and of the next one's start that may be dropped [s]: a step and a half."""
FOOT_PRICE = 1.0
"""Cost of one foot that stands in only one of the motions, over the whole blend [m/s]."""
LOSS_PRICE = 0.2
"""Cost of a second of motion that is dropped [m/s per s]."""


@dataclass(frozen=True)
class Transition:
    """Sample `leave` of one motion is sample `enter` of the next.

    half: samples that are blended on each side of it; 0 is a cut
    yaw, shift: turn the next motion about the vertical [rad] and move it over the ground (x, y) [m]
    distance: root mean square over the points at the transition [m]
    speed_difference: of their velocities [m/s]
    feet_differ: number of feet that stand in one motion only, on average over the blend
    cost: the minimum of the search [m/s]
    """

    leave: int
    enter: int
    half: int
    yaw: float
    shift: tuple[float, float]
    distance: float
    speed_difference: float
    feet_differ: float
    cost: float


def find_transition(before: Clip, after: Clip, body: Body, blend_seconds: float) -> Transition:
    """Return the transition with the least cost, which is the change of velocity that it requires.

    The frame after the last one of `before` may be left too: a motion that simply continues is cut there.
    """
    rate = before.motion.rate_hz
    all_before, all_after = Frames.of(before, body, coast=True), Frames.of(after, body)
    leave, enter = _searched(before, after, rate)
    half = _half_blends(before, after, leave, enter, round(0.5 * blend_seconds * rate))
    pairs = compare(all_before, all_after, leave, enter, half, rate)
    lost_s = ((len(before.motion.time) - leave)[:, None] + enter) / rate
    cost = pairs.cost + LOSS_PRICE * lost_s
    row, column = np.unravel_index(np.argmin(cost), cost.shape)
    return replace(pairs.transition(int(row), int(column)), cost=float(cost[row, column]))


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of n samples to leave and m samples to enter.

    half, yaw, distance, speed_difference, feet_differ, cost (n, m): as of a transition
    """

    before: Frames
    after: Frames
    leave: IntArray
    enter: IntArray
    half: IntArray
    yaw: FloatArray
    distance: FloatArray
    speed_difference: FloatArray
    feet_differ: FloatArray
    cost: FloatArray

    @cached_property
    def shift(self) -> ComplexArray:
        """The shifts (n, m) that align the soles that touch in both frames; without any, the centres [m]."""
        a, b = self.before.middle[self.leave], self.after.middle[self.enter]
        over = self.shift_over(slice(None))
        return np.where(np.isnan(over), a[:, None] - np.exp(1j * self.yaw) * b, over)

    def shift_over(self, soles: slice) -> ComplexArray:
        """Return the shifts (n, m) that align those of some soles that touch in both frames [m], or nan."""
        a, b, turn = self.before.at(self.leave), self.after.at(self.enter), np.exp(1j * self.yaw)
        mine, theirs = a.touches[:, soles].astype(float), b.touches[:, soles].T.astype(float)
        both = mine @ theirs
        away = (mine * a.sole[:, soles]) @ theirs - turn * (mine @ (theirs * b.sole[:, soles].T))
        return np.where(both > 0.0, away / np.maximum(both, 1.0), np.nan)

    def transition(self, row: int, column: int) -> Transition:
        """Return the transition of one pair."""
        shift = self.shift[row, column]
        return Transition(
            leave=int(self.leave[row]),
            enter=int(self.enter[column]),
            half=int(self.half[row, column]),
            yaw=float(self.yaw[row, column]),
            shift=(float(shift.real), float(shift.imag)),
            distance=float(self.distance[row, column]),
            speed_difference=float(self.speed_difference[row, column]),
            feet_differ=float(self.feet_differ[row, column]),
            cost=float(self.cost[row, column]),
        )


def compare(
    before: Frames, after: Frames, leave: IntArray, enter: IntArray, half: IntArray, rate_hz: float
) -> Pairs:
    """Compare samples `leave` (n) of one motion with samples `enter` (m) of another; half (n, m)."""
    a, b = before.at(leave), after.at(enter)
    yaw = np.angle(a.flat @ b.flat.conj().T)
    distance = _rms(a.flat, b.flat, a.height, b.height, yaw)
    speed_difference = _rms(a.flat_speed, b.flat_speed, a.rise, b.rise, yaw)
    feet = _feet_differ(before.stands, after.stands, leave, enter, half)
    blend_s = np.maximum(2 * half, 1) / rate_hz
    cost = distance / blend_s + speed_difference + FOOT_PRICE * feet
    return Pairs(before, after, leave, enter, half, yaw, distance, speed_difference, feet, cost)


@dataclass(frozen=True, eq=False)
class Frames:
    """T frames of P points; positions on the ground are complex numbers, x + iy.

    flat, flat_speed (T, P): positions from the centre of the cloud, and their velocities
    height, rise (T, P): z, and its velocity
    middle (T): centre of the cloud
    sole (T, K): positions of sole points; touches (T, K)
    """

    flat: ComplexArray
    flat_speed: ComplexArray
    height: FloatArray
    rise: FloatArray
    middle: ComplexArray
    sole: ComplexArray
    touches: BoolArray

    @staticmethod
    def of(clip: Clip, body: Body, coast: bool = False) -> Frames:
        """Return the frames of a clip; coast appends one frame that is extrapolated."""
        points, touches = clip.cloud(body), clip.touches.reshape(len(clip.touches), -1)
        if coast:
            ahead = 3.0 * (points[-1] - points[-2]) + points[-3]  # with the same acceleration
            points = np.concatenate([points, ahead[None]])
            touches = np.concatenate([touches, touches[-1:]])
        speed = np.gradient(points, 1.0 / clip.motion.rate_hz, axis=0, edge_order=2)
        position = points[..., 0] + 1j * points[..., 1]
        middle = position.mean(axis=1)
        return Frames(
            flat=position - middle[:, None],
            flat_speed=speed[..., 0] + 1j * speed[..., 1],
            height=points[..., 2],
            rise=speed[..., 2],
            middle=middle,
            sole=position[:, -touches.shape[1] :],
            touches=touches,
        )

    def at(self, chosen: IntArray) -> Frames:
        """Return the chosen frames."""
        return Frames(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @property
    def stands(self) -> FloatArray:
        """1 where the foot stands (T, 2)."""
        return self.touches.reshape(len(self.touches), 2, -1).any(axis=2).astype(float)


def _searched(before: Clip, after: Clip, rate: float) -> tuple[IntArray, IntArray]:
    """Return the samples to leave and to enter; at most half of a motion is dropped at either end."""
    most = round(SEARCHED_SECONDS * rate)
    count = len(before.motion.time)
    give_up = min(most, (count - before.part_start) // 2)
    return np.arange(count - give_up, count + 1), np.arange(min(most, len(after.motion.time) // 2) + 1)


def _half_blends(before: Clip, after: Clip, leave: IntArray, enter: IntArray, wanted: int) -> IntArray:
    """Return how many samples can be blended on each side of each pair, in the outer halves of both."""
    count, middle = len(before.motion.time), (len(before.motion.time) + before.part_start) // 2
    room_before = np.minimum(count - 1 - leave, leave - middle)
    room_after = np.minimum(enter, len(after.motion.time) // 2 - enter)
    room = np.minimum(room_before[:, None], room_after)
    return np.clip(room, 0, wanted)


def _rms(
    flat_a: ComplexArray, flat_b: ComplexArray, up_a: FloatArray, up_b: FloatArray, yaw: FloatArray
) -> FloatArray:
    """Return the root mean square over the points of the difference of all pairs, after turning by yaw."""
    square_a, square_b = (np.abs(flat_a) ** 2).sum(axis=1), (np.abs(flat_b) ** 2).sum(axis=1)
    common = (np.exp(-1j * yaw) * (flat_a @ flat_b.conj().T)).real
    flat = square_a[:, None] + square_b - 2.0 * common
    up = cdist(up_a, up_b, "sqeuclidean")
    return np.sqrt(np.maximum(flat + up, 0.0) / flat_a.shape[1])


def _feet_differ(
    stands_a: FloatArray, stands_b: FloatArray, leave: IntArray, enter: IntArray, half: IntArray
) -> FloatArray:
    """Return the number of feet that stand in one motion only, on average over the blend, for all pairs."""
    shares = np.linspace(-1.0, 1.0, 9)
    if np.ptp(half) == 0:  # the same samples around each frame: much faster
        around = np.rint(shares * half.flat[0]).astype(int)
        a, b = (
            stands[np.clip(at[:, None] + around, 0, len(stands) - 1)].reshape(len(at), -1)
            for stands, at in ((stands_a, leave), (stands_b, enter))
        )
        return np.asarray(cdist(a, b, "cityblock") / len(shares))
    total = np.zeros(half.shape)
    for share in shares:
        offset = np.rint(share * half).astype(int)
        a = np.clip(leave[:, None] + offset, 0, len(stands_a) - 1)
        b = np.clip(enter + offset, 0, len(stands_b) - 1)
        total += np.abs(stands_a[a] - stands_b[b]).sum(axis=-1)
    return total / len(shares)
