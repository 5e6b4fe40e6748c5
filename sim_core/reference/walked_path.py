"""The path of a motion over the floor, and changes of it along which the same steps are walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.intervals import smooth_step, smoother_step
from ..world.world import World
from .footsteps import SourceStep
from .leg_ik import LegSolver, solve_legs

SWAY_S = 0.3
"""Time over which the sway of the pelvis from step to step is averaged [s]."""
TURNING_SPEED = 0.25
"""Speed above which a body turns into the direction in which it walks; slower ones turn less [m/s]."""


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
    """A path with detours: displacement (T, 2) [m] and turn about the vertical (T) [rad]."""

    path: WalkedPath
    displacement: FloatArray
    turn: FloatArray

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


def _on_floor(points: FloatArray) -> FloatArray:
    """Return points (..., 2) with a height of zero (..., 3)."""
    return np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)


def change_path(path: WalkedPath, detours: Sequence[Detour]) -> ChangedPath:
    """Return a path with detours, on which the body turns into the direction in which it walks."""
    displacement = sum((own.at(path.length) for own in detours), np.zeros_like(path.centre))
    old = path.velocity
    new = old + np.gradient(displacement, path.dt, axis=0)
    angle = np.arctan2(old[:, 0] * new[:, 1] - old[:, 1] * new[:, 0], (old * new).sum(axis=1))
    turn = angle * smooth_step(np.linalg.norm(old, axis=1) / TURNING_SPEED)
    return ChangedPath(path, displacement, gaussian_filter1d(turn, 0.1 / path.dt, mode="nearest"))


def walk_along(
    world: World, qpos: FloatArray, steps: Sequence[SourceStep], changed: ChangedPath
) -> FloatArray:
    """Return the poses (T, nq) of a motion along a changed path; feet stay where they stand."""
    legs = LegSolver(world)
    feet = [_FootAlong(changed, [own for own in steps if own.foot == side]) for side in (0, 1)]
    desired = changed.poses(np.arange(len(qpos)), qpos)
    wanted = []
    for t, pose in enumerate(qpos):
        positions, matrices = legs.feet_of(pose)
        for side, foot in enumerate(feet):
            positions[side], matrices[side] = foot.moved(t, positions[side], matrices[side])
        wanted.append((positions, matrices))
    return solve_legs(legs, qpos, desired, wanted, changed.path.dt)


class _FootAlong:
    """How one foot goes along: as the body does in the middle of each of its steps, and between them."""

    def __init__(self, changed: ChangedPath, steps: Sequence[SourceStep]) -> None:
        last = len(changed.turn) - 1
        self.changed = changed
        self.middle = [min((own.start + own.end) // 2, last) for own in steps]
        self.bounds = [(own.start, own.end) for own in steps]

    def moved(self, t: int, position: FloatArray, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return where a foot's position (3) and rotation matrix (3, 3) of the source come to."""
        first, second, share = self._between(t)
        start, end = (self.changed.moved(sample, position) for sample in (first, second))
        turn = (1.0 - share) * self.changed.turn[first] + share * self.changed.turn[second]
        turned = rotations.to_matrix(rotations.about_vertical(turn)) @ matrix
        return (1.0 - share) * start + share * end, turned

    def _between(self, t: int) -> tuple[int, int, float]:
        """Return the samples that say how the foot moves at t, and the share of the second."""
        if not self.bounds:
            return t, t, 0.0
        after = next((k for k, (_, end) in enumerate(self.bounds) if t < end), len(self.bounds) - 1)
        if self.bounds[after][0] <= t or after == 0:
            return self.middle[after], self.middle[after], 0.0
        start, end = self.bounds[after - 1][1], self.bounds[after][0]
        share = float(smooth_step((t + 0.5 - start) / max(end - start, 1)))
        return self.middle[after - 1], self.middle[after], share
