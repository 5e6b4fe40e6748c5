"""The path of a motion over the floor, and changes of it along which the same steps are walked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base import rotations
from ..base.conventions import Y_LEFT, FloatArray, IntArray
from ..base.intervals import smooth_step, smoother_step
from ..world.world import World
from .footsteps import SourceStep
from .leg_ik import LegSolver, solve_legs
from .passing_legs import WalkingFeet, keep_legs_apart

SWAY_S = 0.3
"""Time over which the sway of the pelvis from step to step is averaged [s]."""
TURNING_SPEED = 0.25
"""Speed above which a body turns into the direction in which it walks; slower ones turn less [m/s]."""

Strides = dict[int, FloatArray]
"""Displacements of single steps (2) [m], by the index of the step."""
Bend = Callable[[FloatArray, IntArray], FloatArray]
"""From poses (T, nq) of samples (T) to others."""


@dataclass(frozen=True, eq=False)
class WalkedPath:
    """The path of the pelvis over the floor at T samples, dt [s] apart.

    centre (T, 2) [m]; length (T): distance walked until then [m]
    """

    centre: FloatArray
    length: FloatArray
    dt: float

    def direction(self, sample: int) -> FloatArray:
        """Return the direction of the path (2) at a sample."""
        velocity = self.velocity[sample]
        return np.asarray(velocity / max(float(np.linalg.norm(velocity)), 1e-9))

    @property
    def velocity(self) -> FloatArray:
        """Return the velocity along the path (T, 2) [m/s]."""
        return np.gradient(self.centre, self.dt, axis=0)


def walked_path(qpos: FloatArray, dt: float) -> WalkedPath:
    """Return the path of a motion, poses (T, nq), without the sway of its steps."""
    centre: FloatArray = gaussian_filter1d(qpos[:, :2], SWAY_S / dt, axis=0, mode="nearest")
    stride = np.linalg.norm(np.diff(centre, axis=0), axis=1)
    return WalkedPath(centre, np.concatenate([[0.0], np.cumsum(stride)]), dt)


@dataclass(frozen=True, eq=False)
class Detour:
    """A displacement (2) [m] of the path between two lengths of it.

    rise, fall: lengths over which it comes before the first and goes after the last [m]; fall may be
    infinite: the motion then goes on beside its path
    """

    displacement: FloatArray
    first: float
    last: float
    rise: float
    fall: float

    def at(self, length: FloatArray) -> FloatArray:
        """Return the displacement (T, 2) at lengths of the path (T)."""
        before = smoother_step(np.clip((length - self.first) / self.rise + 1.0, 0.0, 1.0))
        after = smoother_step(np.clip((length - self.last) / self.fall, 0.0, 1.0))
        return np.outer(before - after, self.displacement)


@dataclass(frozen=True, eq=False)
class ChangedPath:
    """A path with detours: displacement (T, 2) [m] and turn about the vertical (T) [rad].

    strides: by the index of a step, how much further than the body it is displaced (2) [m]
    """

    path: WalkedPath
    displacement: FloatArray
    turn: FloatArray
    strides: Strides

    def moved(self, samples: int | IntArray, points: FloatArray) -> FloatArray:
        """Return where points (..., 3) that go along with the body at samples (...) come to."""
        centre, displacement = (_on_floor(own[samples]) for own in (self.path.centre, self.displacement))
        turn = rotations.about_vertical(self.turn[samples])
        return rotations.rotate(turn, points - centre) + centre + displacement

    def poses(self, samples: IntArray, qpos: FloatArray) -> FloatArray:
        """Return poses (N, nq), those of samples (N), carried along as wholes."""
        moved = qpos.copy()
        moved[:, :3] = self.moved(samples, qpos[:, :3])
        moved[:, 3:7] = rotations.multiply(rotations.about_vertical(self.turn[samples]), qpos[:, 3:7])
        return moved

    def stepped(self, index: int, middle: int, points: FloatArray) -> FloatArray:
        """Return where points (..., 3) come to that go along with a step; middle: its middle sample."""
        return self.moved(middle, points) + _on_floor(self.strides.get(index, np.zeros(2)))


def _on_floor(points: FloatArray) -> FloatArray:
    """Return points (..., 2) with a height of zero (..., 3)."""
    return np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)


def change_path(path: WalkedPath, detours: Sequence[Detour], strides: Strides | None = None) -> ChangedPath:
    """Return a path with detours, on which the body turns into the direction in which it walks."""
    displacement = sum((own.at(path.length) for own in detours), np.zeros_like(path.centre))
    old = path.velocity
    new = old + np.gradient(displacement, path.dt, axis=0)
    angle = np.arctan2(old[:, 0] * new[:, 1] - old[:, 1] * new[:, 0], (old * new).sum(axis=1))
    turn = angle * smooth_step(np.linalg.norm(old, axis=1) / TURNING_SPEED)
    smooth = gaussian_filter1d(turn, 0.1 / path.dt, mode="nearest")
    return ChangedPath(path, displacement, smooth, strides or {})


def walk_along(
    world: World,
    qpos: FloatArray,
    steps: Sequence[SourceStep],
    changed: ChangedPath,
    size: float,
    bend: Bend | None = None,
) -> FloatArray:
    """Return the poses (T, nq) of a motion along a changed path; feet stay where they stand.

    size: that of the body, 1 is a usual one
    bend: what is done to the poses (T, nq) of samples (T) before the legs follow
    """
    legs = LegSolver(world)
    feet = [
        _FootAlong(changed, {k: own for k, own in enumerate(steps) if own.foot == side}) for side in (0, 1)
    ]
    samples = np.arange(len(qpos))
    desired = changed.poses(samples, qpos)
    desired = desired if bend is None else bend(desired, samples)
    source = [legs.feet_of(pose) for pose in qpos]
    position, matrix = (np.array([each[part] for each in source]) for part in (0, 1))
    moved, turned = position.copy(), matrix.copy()
    for t, (side, foot) in product(samples.tolist(), enumerate(feet)):
        moved[t, side], turned[t, side] = foot.moved(t, position[t, side], matrix[t, side])
    if changed.turn.any():
        feet_before, feet_now = WalkingFeet(position, _left_of(qpos)), WalkingFeet(moved, _left_of(desired))
        moved = keep_legs_apart(steps, feet_before, feet_now, size)
    return solve_legs(legs, qpos, desired, list(zip(moved, turned, strict=True)), changed.path.dt)


def _left_of(qpos: FloatArray) -> FloatArray:
    """Return the directions (T, 3) to the left of bodies in poses (T, nq)."""
    return rotations.rotate(rotations.about_vertical(rotations.heading(qpos[:, 3:7])), Y_LEFT)


class _FootAlong:
    """How one foot goes along: as the body does in the middle of each of its steps, and between them."""

    def __init__(self, changed: ChangedPath, steps: Mapping[int, SourceStep]) -> None:
        self.changed = changed
        self.steps = list(steps.items())

    def moved(self, t: int, position: FloatArray, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return where a foot's position (3) and rotation matrix (3, 3) of the source come to."""
        if not self.steps:
            return self.changed.moved(t, position), self._turned(float(self.changed.turn[t]), matrix)
        first, second, share = self._between(t)
        ends, turns = zip(*(self._in_step(own, position) for own in (first, second)), strict=True)
        turn = (1.0 - share) * turns[0] + share * turns[1]
        return (1.0 - share) * ends[0] + share * ends[1], self._turned(turn, matrix)

    def _turned(self, turn: float, matrix: FloatArray) -> FloatArray:
        return np.asarray(rotations.to_matrix(rotations.about_vertical(turn)) @ matrix)

    def _in_step(self, which: int, position: FloatArray) -> tuple[FloatArray, float]:
        """Return where a position (3) comes to that goes along with a step, and the turn there."""
        index, step = self.steps[which]
        middle = step.middle(len(self.changed.turn))
        return self.changed.stepped(index, middle, position), float(self.changed.turn[middle])

    def _between(self, t: int) -> tuple[int, int, float]:
        """Return the steps that say how the foot moves at t, and the share of the second."""
        after = next((k for k, (_, own) in enumerate(self.steps) if t < own.end), len(self.steps) - 1)
        if self.steps[after][1].start <= t or after == 0:
            return after, after, 0.0
        start, end = self.steps[after - 1][1].end, self.steps[after][1].start
        return after - 1, after, float(smooth_step((t + 0.5 - start) / max(end - start, 1)))
