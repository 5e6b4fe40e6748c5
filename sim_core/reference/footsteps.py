"""Footsteps of a motion on a flat floor, placed on the ground of the scene.

Each contact of a foot is one footstep: a rigid displacement of the floor under the sole onto the surface,
which then moves with that surface. A moving surface that the body stands on displaces all later steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray, IntArray
from ..base.errors import InputError
from ..base.intervals import true_intervals
from ..world.ground import NOTHING, Ground, ObjectState, Surface
from .contacts import HEEL

MAX_CLIMB = 0.5
"""Largest height of a step [m]; surfaces that are higher are overhead."""
MARGIN = 0.04
"""Distance that heel and toes should keep from edges, because steps are not exact [m]."""
GRID = np.linspace(-0.5, 0.5, 5)
"""Positions along and across a sole at which the ground is sampled, as shares of its length and width."""
SHIFTS = np.array([0.025 * n * sign for n in range(7) for sign in (1, -1)][1:])
"""Distances by which a footstep may be shifted forwards to stand better, nearest first [m]."""
EVENNESS = 0.008
"""Deviation from a plane below which the ground under a sole counts as even [m]."""
MIN_SWING_S = 0.15
"""A swing before the first step or after the last one that is shorter gets no step of its own [s]."""
EDGE_COST = 0.3
"""Cost of a footstep that is nearer to an edge than MARGIN."""
SHIFT_SCALE, TILT_SCALE = 0.2, 0.5
"""Shift [m] and tilt [rad] of unit cost, which is the cost of a deviation that is larger by EVENNESS."""


@dataclass(frozen=True, eq=False)
class SourceStep:
    """A footstep on the source's floor: samples start to end (past the last), foot 0 or 1.

    A step without samples is the position of a foot that swings as the clip starts or ends.

    corners (P, 3): corners of the sole on the floor [m], heel first; ahead (3): direction of the toes
    """

    start: int
    end: int
    foot: int
    corners: FloatArray
    ahead: FloatArray

    @property
    def stands(self) -> bool:
        """Return whether the foot is on the ground at any sample."""
        return self.end > self.start

    def middle(self, samples: int) -> int:
        """Return its middle sample, of so many that the motion has."""
        return min((self.start + self.end) // 2, samples - 1)

    @property
    def centre(self) -> FloatArray:
        """Return the centre of the sole (3) [m]."""
        return self.corners.mean(axis=0)


@dataclass(frozen=True, eq=False)
class Footstep:
    """A footstep on the ground: floor point x goes to position + rotation (x - source.centre) at touchdown.

    object: index of the object that it stands on
    object_position (3), object_rotation (3, 3): pose of that object at touchdown
    """

    source: SourceStep
    position: FloatArray
    rotation: FloatArray
    object: int
    object_position: FloatArray
    object_rotation: FloatArray

    def at(self, ground: Ground, objects: ObjectState) -> tuple[FloatArray, FloatArray]:
        """Return offset (3) and matrix (3, 3) of x -> matrix x + offset, for these states of the objects."""
        position, rotation = ground.pose(self.object, objects)
        since = rotation @ self.object_rotation.T
        now = position + since @ (self.position - self.object_position)
        matrix = since @ self.rotation
        return now - matrix @ self.source.centre, matrix


def find_source_steps(
    points: FloatArray, touches: BoolArray, foot: IntArray, level: float, dt: float
) -> list[SourceStep]:
    """Return the footsteps of a motion in the order of touchdown.

    points (T, K, 3): sole points [m]; touches (T, K); foot (K): 0 or 1
    """
    source_steps = []
    for f in (0, 1):
        own = np.flatnonzero(foot == f)
        stands = np.asarray(touches[:, own].any(axis=1))
        standing = true_intervals(stands)
        for start, end in standing:
            flat = touches[start:end, own].all(axis=1)
            if not flat.any():  # the foot only rolls: take the sample at which it is flattest
                flat = np.arange(end - start) == np.argmin(np.ptp(points[start:end, own, 2], axis=1))
            source_steps.append(_source_step(start, end, f, points[start:end, own][flat].mean(axis=0), level))
        # A long swing at either end of the clip gets a step without samples to come from or to go to.
        first, last = (standing[0][0], standing[-1][1]) if standing else (len(points), 0)
        if first * dt > MIN_SWING_S:
            source_steps.append(_source_step(0, 0, f, points[0, own], level))
        if (len(points) - last) * dt > MIN_SWING_S:
            source_steps.append(_source_step(len(points), len(points), f, points[-1, own], level))
    return sorted(source_steps, key=lambda step: step.start)


def _source_step(start: int, end: int, foot: int, corners: FloatArray, level: float) -> SourceStep:
    on_floor = corners * [1.0, 1.0, 0.0] + level * Z_UP
    ahead = on_floor[HEEL:].mean(axis=0) - on_floor[:HEEL].mean(axis=0)
    return SourceStep(start, end, foot, on_floor, ahead / max(float(np.linalg.norm(ahead)), 1e-6))


class FootstepPlacement:
    """Footsteps on the ground, and the displacement of the body by moving ground (T, 3) [m]."""

    def __init__(
        self,
        ground: Ground,
        objects: list[ObjectState],
        source_steps: list[SourceStep],
        level: float,
        dt: float,
    ) -> None:
        self.ground, self.objects, self.dt = ground, objects, dt
        self.steps: list[Footstep] = []
        self.ground_displacement = np.zeros((len(objects), 3))
        self._velocity = np.zeros(3)
        done = 0
        for source in source_steps:
            now = min(source.start, len(objects) - 1)
            self._follow_ground(done, now)
            done = now
            step = self._place(source, now, level)
            if step is not None:
                self.steps.append(step)
                level = float(step.position[2])
        self._follow_ground(done, len(objects) - 1)

    def _follow_ground(self, start: int, end: int) -> None:
        """Fill in `ground_displacement` after sample start, up to sample end."""
        for t in range(start, end):
            standing = [step for step in self.steps if step.source.start <= t < step.source.end]
            if standing:  # in flight the velocity stays the same
                displacements = [self._step_displacement(step, t) for step in standing]
                self._velocity = np.mean(displacements, axis=0)
            self.ground_displacement[t + 1] = self.ground_displacement[t] + self._velocity

    def _step_displacement(self, step: Footstep, t: int) -> FloatArray:
        """Return the displacement of a sole's centre from sample t to the next."""
        centre = step.source.centre
        now, later = (step.at(self.ground, self.objects[i]) for i in (t, t + 1))
        return np.asarray(later[1] @ centre + later[0] - now[1] @ centre - now[0])

    def _place(self, source: SourceStep, now: int, level: float) -> Footstep | None:
        """Return the footstep, or None for a swinging foot without ground below it."""
        objects, planned = self.objects[now], source.centre + self.ground_displacement[now]
        best: _GroundPlane | None = None
        least = np.inf
        for shift in SHIFTS if source.stands else SHIFTS[:1]:
            shift_cost = float((shift / SHIFT_SCALE) ** 2)
            if shift_cost >= least:
                break  # larger shifts cost even more
            found = self._plane(source, planned + shift * source.ahead, level, objects)
            if found is not None and shift_cost + found.cost < least:
                best, least = found, shift_cost + found.cost
        if best is None and source.stands:
            raise InputError(
                f"There is no ground where a foot should stand at {now * self.dt:.2f} s "
                f"(x {planned[0]:.2f}, y {planned[1]:.2f}); make the ground larger or the motion shorter."
            )
        if best is None:
            return None
        pose = self.ground.pose(best.object, objects)
        return Footstep(source, best.position, rotations.from_up(best.normal), best.object, *pose)

    def _plane(
        self, source: SourceStep, centre: FloatArray, level: float, objects: ObjectState
    ) -> _GroundPlane | None:
        """Fit a plane to the ground under a sole; return None where ground is missing."""
        aside = np.cross(Z_UP, source.ahead)
        size = np.ptp((source.corners - source.centre) @ np.stack([source.ahead, aside], axis=1), axis=0)
        margin = 0.5 * size[0] + MARGIN
        along, across = np.meshgrid([-margin, *(GRID * size[0]), margin], GRID * size[1])
        along, across = along.reshape(-1), across.reshape(-1)
        points = centre + np.outer(along, source.ahead) + np.outer(across, aside)
        points[:, 2] = level
        found = self.ground.below(points, objects, MAX_CLIMB)
        under = np.abs(along) <= 0.5 * size[0] + 1e-9
        if (found.object == NOTHING)[under].any():
            return None
        height = np.maximum(found.height, found.height.max() - MAX_CLIMB)  # beyond an edge it is far down
        rows = np.column_stack([np.ones(len(points)), points[:, :2] - centre[:2]])
        plane = np.linalg.lstsq(rows[under], height[under], rcond=None)[0]
        normal = np.array([-plane[1], -plane[2], 1.0])
        normal /= np.linalg.norm(normal)
        error = np.abs(rows @ plane - height)
        cost = max(float(error[under].max()) / EVENNESS - 1.0, 0.0) ** 2
        cost += (float(np.arccos(normal[2])) / TILT_SCALE) ** 2
        cost += EDGE_COST if error[~under].max() > 2.0 * EVENNESS else 0.0
        return _GroundPlane(cost, np.array([*centre[:2], plane[0]]), normal, _most_common(found))


@dataclass(frozen=True, eq=False)
class _GroundPlane:
    """The ground under a sole: cost of standing there, centre (3), normal (3), and index of the object."""

    cost: float
    position: FloatArray
    normal: FloatArray
    object: int


def _most_common(found: Surface) -> int:
    values, counts = np.unique(found.object, return_counts=True)
    return int(values[np.argmax(counts)])
