"""Trajectories of the feet of a motion on a flat floor over the ground of the scene.

Footsteps are put onto the surfaces under them, and swinging feet clear the obstacles between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial.transform import Rotation, Slerp

from ..base.conventions import Z_UP, FloatArray, IntArray
from ..base.intervals import smooth_step
from ..world.ground import Ground, ObjectState, Surface
from .footsteps import MAX_CLIMB, Footstep, FootstepPlacement, SourceStep

PROFILE_S = 0.2
"""Time over which the footsteps are averaged for the displacement of the body [s]."""
TRANSPORT_S = 0.08
"""Time over which the displacement by moving ground is averaged: boards stop at once, bodies do not [s]."""
CLEARANCE = 0.03
"""Height of a swinging foot above edges, unless it was lower above the source's floor [m]."""
HIGH, CROSSING = 0.13, 0.04
"""Over objects that are to be stepped over and are higher than this, feet swing so much higher [m]."""
AROUND_FOOT = 0.03 * np.array([[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
"""Where around points of a sole such an object is looked for, because feet are wider than soles [m]."""
BEFORE_EDGE_S = 0.02
"""Time before and after an edge at which the foot has this height [s]."""
RAMP = 0.3
"""Share of a swing in which a lift rises, and in which it falls."""
CROSSING_RAMPS = (0.2, 0.25, 0.3, 0.35, 0.4)
"""The same where a foot crosses an object that is stepped over; those are taken that jerk the foot least."""
WAITS, HURRY = 0.1, 0.8
"""Share of such a swing at both ends in which the foot hardly moves ahead, and how much that counts."""
MIN_BUMP = 0.25
"""Share of the lift below which the foot is about to stand, so that clearance does not matter."""
SWING_S = 0.4
"""Assumed duration of a swing that the clip does not show as a whole [s]."""


class FootTrajectories:
    """The trajectories of both feet.

    points (T, K, 3): sole points on the source's floor [m]; foot (K): 0 or 1
    level: height of that floor [m]; objects: states of the objects at T samples, dt [s] apart
    stepped_over: indices of objects on the ground that swinging feet must not touch
    """

    def __init__(
        self,
        ground: Ground,
        objects: list[ObjectState],
        source_steps: list[SourceStep],
        points: FloatArray,
        foot: IntArray,
        level: float,
        dt: float,
        stepped_over: Sequence[int] = (),
    ) -> None:
        self.ground, self.objects, self.level, self.dt = ground, objects, level, dt
        self.stepped_over = np.array(stepped_over, dtype=np.int64)
        self.placement = FootstepPlacement(ground, objects, source_steps, level, dt)
        self.feet = tuple(self._trajectory(points[:, foot == side], side) for side in (0, 1))

    def _trajectory(self, points: FloatArray, foot: int) -> _FootTrajectory:
        own = [step for step in self.placement.steps if step.source.foot == foot]
        return _FootTrajectory(self, points, own or self.placement.steps)

    def below(self, points: FloatArray, t: int) -> Surface:
        """Return the surface below points (N, 3) at a sample."""
        return self.ground.below(points, self.objects[t])

    def to_clear(self, points: FloatArray, t: int) -> tuple[FloatArray, bool]:
        """Return the height (N) that points (N, 3) of a swinging foot must clear at a sample [m].

        Around objects that are stepped over it is that of the object, and more; also returns whether one is.
        """
        crossed = self.crossed(points, t)
        height = np.maximum(self.below(points, t).height, crossed + CROSSING)
        return height, bool(np.isfinite(crossed).any())

    def crossed(self, points: FloatArray, t: int) -> FloatArray:
        """Return the height (N) of objects that are stepped over about points (N, 3) [m]; elsewhere -inf."""
        height = np.full(len(points), -np.inf)
        for aside in AROUND_FOOT if len(self.stepped_over) else ():
            found = self.below(points + aside, t)
            over = np.isin(found.object, self.stepped_over) & (found.height > self.level + HIGH)
            height = np.where(over, np.maximum(height, found.height), height)
        return height

    def body_offset(self) -> FloatArray:
        """Return the offset of the pelvis (T, 3) [m]: that of moving ground plus a profile of the steps."""
        transport = self.placement.ground_displacement
        steps = np.mean([foot.displacement for foot in self.feet], axis=0) - transport
        return _smooth(transport, TRANSPORT_S / self.dt) + _smooth(steps, PROFILE_S / self.dt)


class _FootTrajectory:
    """How one foot is moved: its point x goes to sole + displacement + rotation (x - sole) + lift.

    sole (T, 3): centre of the sole on the source's floor [m]; displacement (T, 3) [m]
    rotation (T, 3, 3); lift (T): height that is added to clear edges [m]
    """

    def __init__(self, feet: FootTrajectories, points: FloatArray, steps: list[Footstep]) -> None:
        samples = len(points)
        self.sole = points.mean(axis=1)
        self.sole[:, 2] = feet.level
        self.displacement, self.rotation = (
            feet.placement.ground_displacement.copy(),
            np.tile(np.eye(3), (samples, 1, 1)),
        )
        self.lift = np.zeros(samples)
        for step in steps:
            self._stand(feet, step)
        for before, after in pairwise([None, *steps, None]):
            self._swing(feet, points, before, after)

    def moved(self, t: int, point: FloatArray) -> FloatArray:
        """Return where a point (3) of the source's foot goes at a sample."""
        return (
            self.sole[t]
            + self.displacement[t]
            + self.rotation[t] @ (point - self.sole[t])
            + self.lift[t] * Z_UP
        )

    def _stand(self, feet: FootTrajectories, step: Footstep) -> None:
        for t in range(step.source.start, step.source.end):
            self.displacement[t], self.rotation[t] = _move(feet, step, t, self.sole[t])

    def _swing(
        self, feet: FootTrajectories, points: FloatArray, before: Footstep | None, after: Footstep | None
    ) -> None:
        """Fill in a swing between two steps; a clip may start or end in the middle of a swing."""
        ends = [step for step in (before, after) if step is not None]
        start = 0 if before is None else before.source.end
        end = len(points) if after is None else after.source.start
        if not ends or start >= end:
            return
        since, until = np.arange(end - start) + 0.5, np.arange(end - start, 0, -1) - 0.5
        phase = since / (end - start)
        usual = SWING_S / feet.dt
        for t, part in zip(range(start, end), phase, strict=True):
            # As given by the step that the foot leaves, and by the one on which it lands.
            positions = [self._position_in_step(s, t) for s in ends]
            moves = [_move(feet, s, t, position) for s, position in zip(ends, positions, strict=True)]
            share = float(smooth_step(part)) if len(ends) == 2 else 0.0
            self.displacement[t] = (1.0 - share) * moves[0][0] + share * moves[-1][0]
            end_rotations = Rotation.from_matrix(np.array([moves[0][1], moves[-1][1]]))
            self.rotation[t] = Slerp([0.0, 1.0], end_rotations)(share).as_matrix()
        # A lift rises and falls within a part of the swing; a swing cut off by the clip has the usual length.
        rises, falls = before is not None and before.source.stands, after is not None and after.source.stands
        length = end - start if rises and falls else usual
        near = np.stack([since if rises else np.full_like(since, np.inf), until if falls else np.inf + until])
        self._clear(feet, points, start, end, near / length)

    def _position_in_step(self, step: Footstep, t: int) -> FloatArray:
        """Return the position of the sole at the sample of a step that is nearest to t."""
        last = len(self.sole) - 1
        return np.asarray(self.sole[min(max(min(t, step.source.end - 1), step.source.start), last)])

    def _clear(
        self, feet: FootTrajectories, points: FloatArray, start: int, end: int, phase: FloatArray
    ) -> None:
        """Lift a swing by a bump that is just high enough.

        phase (2, N): since the foot was lifted and until it stands, as shares of the swing
        """
        need, crosses = self._needed(feet, points, start, end)
        if crosses:
            self._hurry(start, end, phase)
            need, _ = self._needed(feet, points, start, end)
        ramps = product(CROSSING_RAMPS, repeat=2) if crosses else [(RAMP, RAMP)]
        bumps = [smooth_step(np.minimum(phase[0] / rise, phase[1] / fall)) for rise, fall in ramps]
        lifts = [bump * bump_height(need, bump, MAX_CLIMB) for bump in bumps]
        self.lift[start:end] = min(lifts, key=lambda lift: float(np.abs(np.diff(lift, 2)).max(initial=0.0)))

    def _needed(
        self, feet: FootTrajectories, points: FloatArray, start: int, end: int
    ) -> tuple[FloatArray, bool]:
        """Return by how much a foot must be lifted at the samples of a swing (N), and whether it crosses."""
        ground, height = np.zeros((2, end - start, points.shape[1]))
        crosses = False
        for row, t in enumerate(range(start, end)):
            moved = np.array([self.moved(t, point) for point in points[t]])
            ground[row], over = feet.to_clear(moved, t)
            height[row], crosses = moved[:, 2], crosses or over
        ground = maximum_filter1d(ground, 2 * round(BEFORE_EDGE_S / feet.dt) + 1, axis=0)
        wanted = ground + np.minimum(points[start:end, :, 2] - feet.level, CLEARANCE)
        return np.asarray((wanted - height).max(axis=1)), crosses

    def _hurry(self, start: int, end: int, phase: FloatArray) -> None:
        """Let a foot that crosses an object wait until it is lifted, and be across before it comes down."""
        if not np.isfinite(phase).all():
            return  # the clip does not show the whole swing
        samples = np.arange(start, end)
        quick = smooth_step((phase[0] - WAITS) / (1.0 - 2.0 * WAITS))
        share = (1.0 - HURRY) * phase[0] + HURRY * quick
        at = start + share * (end - start) - 0.5
        moved = [np.interp(at, samples, self.sole[start:end, axis]) for axis in (0, 1)]
        self.displacement[start:end, :2] += np.stack(moved, axis=1) - self.sole[start:end, :2]


def bump_height(need: FloatArray, bump: FloatArray, most: float) -> float:
    """Return the height [m], at most `most`, of a bump (N) that moves a foot as far as it needs (N)."""
    counts = bump > MIN_BUMP
    return float(np.clip((need / np.maximum(bump, MIN_BUMP))[counts].max(initial=0.0), 0.0, most))


def _smooth(values: FloatArray, width: float) -> FloatArray:
    """Smooth values (T, 3) by a Gaussian of this width [samples]; slopes at the ends are kept."""
    pad = min(round(4.0 * width), len(values) - 1)
    padded = np.pad(values, ((pad, pad), (0, 0)), mode="reflect", reflect_type="odd")
    result: FloatArray = gaussian_filter1d(padded, width, axis=0)[pad : len(padded) - pad]
    return result


def _move(
    feet: FootTrajectories, step: Footstep, t: int, position: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the displacement (3) of a point of the source's floor by a step, and the rotation (3, 3)."""
    offset, matrix = step.at(feet.ground, feet.objects[t])
    return matrix @ position + offset - position, matrix
