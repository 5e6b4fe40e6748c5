"""A motion on a flat floor, projected on the ground that is there.

Feet keep their steps, each put onto the surface under it; the body goes up and down with a smooth
profile of the steps, and along with what carries it; swinging feet clear what lies between.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial.transform import Rotation, Slerp

from ..conventions import Z_UP, FloatArray
from ..dynamics.frames import measure_points
from ..easing import smooth_step
from ..scene.ground import FlatGround, Surface
from ..simulation.world import World
from .boards import foresee_objects
from .contacts import ContactSchedule
from .footing import Footing, flat_footing
from .footsteps import CLIMB, Footstep, Placement, find_soles
from .leg_ik import LegSolver

PROFILE_S = 0.2
"""The body's height follows the steps smoothed over about this time [s]."""
CARRIED_S = 0.08
"""It follows what carries it smoothed over about this time: boards stop at once, bodies do not [s]."""
CLEARANCE = 0.03
"""A swinging foot passes this far above edges, or as far as it was above the floor [m]."""
BEFORE_EDGE_S = 0.02
"""It is up there this long before and after [s]."""
RAMP = 0.3
"""A lift is reached within this share of a swing, and left within the same."""
LEAST_LIFT = 0.25
"""Where a swing's lift is smaller than this share of its height, the foot is about to stand."""
SWING_S = 0.4
"""How long a swing takes that the clip does not show as a whole [s]."""
LOWEST = 0.3
"""The body goes down at most this far for legs that are too short [m]."""
REACH_S = 0.2
"""The body goes down for legs that are too short this long before and after [s]."""


@dataclass(frozen=True, eq=False)
class Grounded:
    """Poses (T, nq) on the ground, and what each point of the schedule has under it."""

    qpos: FloatArray
    footing: Footing


def project(world: World, qpos: FloatArray, schedule: ContactSchedule, dt: float) -> Grounded:
    """The motion on the world's ground; on flat ground nothing changes."""
    if isinstance(world.ground, FlatGround):
        return Grounded(qpos, flat_footing(len(qpos), len(schedule.foot), world.ground.level))
    projection = _Projection(world, qpos, schedule, dt)
    return Grounded(projection.poses, projection.footing())


class _Projection:
    def __init__(self, world: World, qpos: FloatArray, schedule: ContactSchedule, dt: float) -> None:
        self.world, self.schedule, self.dt, self.level = world, schedule, dt, world.ground_height
        feet = schedule.foot >= 0
        self.points = measure_points(world, qpos, schedule.support)
        soles = find_soles(
            self.points[:, feet], schedule.touches[:, feet], schedule.foot[feet], self.level, dt
        )
        self.objects = foresee_objects(world, qpos, soles, dt)
        self.placement = Placement(world.ground, self.objects, soles, self.level, dt)
        self.legs = LegSolver(world)
        self.tracks = tuple(self._track(foot) for foot in (0, 1))
        self.poses = self._poses(qpos)

    def _track(self, foot: int) -> _Track:
        mine = self.points[:, self.schedule.foot == foot]
        own = [step for step in self.placement.steps if step.sole.foot == foot]
        return _Track(self, mine, own or self.placement.steps)

    def _poses(self, qpos: FloatArray) -> FloatArray:
        wish = qpos.copy()
        wish[:, :3] += self._root_offset()
        feet = [self._feet(t, pose) for t, pose in enumerate(qpos)]
        down: FloatArray = np.array(
            [self.legs.too_high(wish[t], feet[t][0], qpos[t]) for t in range(len(qpos))]
        )
        down = np.clip(down, 0.0, LOWEST)
        width = REACH_S / self.dt
        down = gaussian_filter1d(maximum_filter1d(down, 4 * round(width) + 1), width, mode="nearest")
        wish[:, 2] -= down
        return np.array([self.legs.solve(pose, *wanted) for pose, wanted in zip(wish, feet, strict=True)])

    def _feet(self, t: int, pose: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where the feet of a pose should be (2, 3), and how turned (2, 3, 3)."""
        places, turns = self.legs.feet_of(pose)
        for foot, track in enumerate(self.tracks):
            places[foot] = track.moved(t, places[foot])
            turns[foot] = track.turn[t] @ turns[foot]
        return places, turns

    def _root_offset(self) -> FloatArray:
        """Of the pelvis (T, 3): with what carries it, and with a smooth profile of the steps."""
        carried = self.placement.carried
        steps = np.mean([track.way for track in self.tracks], axis=0) - carried
        return _smooth(carried, CARRIED_S / self.dt) + _smooth(steps, PROFILE_S / self.dt)

    def footing(self) -> Footing:
        """Under touching soles the planes of their steps, under all else what the ground is there."""
        points = measure_points(self.world, self.poses, self.schedule.support)
        found = [self._below(points[t], t) for t in range(len(points))]
        base, normal = points.copy(), np.array([surface.normal for surface in found])
        base[..., 2] = [surface.height for surface in found]
        width = 2 * round(BEFORE_EDGE_S / self.dt) + 1
        soles = self.schedule.foot >= 0
        base[:, soles, 2] = maximum_filter1d(base[:, soles, 2], width, axis=0)
        base[..., 2] = np.where(np.isfinite(base[..., 2]), base[..., 2], points[..., 2] - CLIMB)
        acceleration = np.zeros_like(base)
        for step in self.placement.steps:
            self._stand(step, base, normal, acceleration)
        return Footing(base, normal, acceleration, np.array([surface.grip for surface in found]))

    def _below(self, points: FloatArray, t: int) -> Surface:
        return self.world.ground.below(points, self.objects[t])

    def _stand(self, step: Footstep, base: FloatArray, normal: FloatArray, acceleration: FloatArray) -> None:
        """Enters a step's plane where its points touch."""
        sole = step.sole
        mine = np.flatnonzero(self.schedule.foot == sole.foot)
        for t in range(sole.start, sole.end):
            touching = mine[self.schedule.touches[t, mine]]
            middle = min(max(t, 1), len(base) - 2)
            now, before, at, after = (self._corners(step, i) for i in (t, middle - 1, middle, middle + 1))
            base[t, touching] = now[0][np.isin(mine, touching)]
            normal[t, touching] = now[1]
            bend = (after[0] - 2.0 * at[0] + before[0]) / self.dt**2
            acceleration[t, touching] = bend[np.isin(mine, touching)]

    def _corners(self, step: Footstep, t: int) -> tuple[FloatArray, FloatArray]:
        """Where the corners of a step's sole stand (P, 3), and the normal of its plane."""
        offset, matrix = step.at(self.world.ground, self.objects[t])
        return step.sole.corners @ matrix.T + offset, matrix @ Z_UP


class _Track:
    """How one foot is moved: point x of it goes to sole + way + turn (x - sole), lifted over edges.

    sole (T, 3): the middle of the sole on the source's floor; way (T, 3); turn (T, 3, 3); lift (T)
    """

    def __init__(self, projection: _Projection, points: FloatArray, steps: list[Footstep]) -> None:
        samples = len(points)
        self.sole = points.mean(axis=1)
        self.sole[:, 2] = projection.level
        self.way, self.turn = projection.placement.carried.copy(), np.tile(np.eye(3), (samples, 1, 1))
        self.lift = np.zeros(samples)
        for step in steps:
            self._stand(projection, step)
        for before, after in pairwise([None, *steps, None]):
            self._swing(projection, points, before, after)

    def moved(self, t: int, point: FloatArray) -> FloatArray:
        return self.sole[t] + self.way[t] + self.turn[t] @ (point - self.sole[t]) + self.lift[t] * Z_UP

    def _stand(self, projection: _Projection, step: Footstep) -> None:
        for t in range(step.sole.start, step.sole.end):
            self.way[t], self.turn[t] = _move(projection, step, t, self.sole[t])

    def _swing(
        self, projection: _Projection, points: FloatArray, before: Footstep | None, after: Footstep | None
    ) -> None:
        """Fills in what lies between two steps; a clip may start or end in the middle of a swing."""
        ends = [step for step in (before, after) if step is not None]
        start = 0 if before is None else before.sole.end
        end = len(points) if after is None else after.sole.start
        if not ends or start >= end:
            return
        since, until = np.arange(end - start) + 0.5, np.arange(end - start, 0, -1) - 0.5
        phase = since / (end - start)
        usual = SWING_S / projection.dt
        for t, part in zip(range(start, end), phase, strict=True):
            # Seen from where the foot left a step and from where it comes down.
            marks = [self._mark(s, t) for s in ends]
            moves = [_move(projection, s, t, mark) for s, mark in zip(ends, marks, strict=True)]
            share = float(smooth_step(part)) if len(ends) == 2 else 0.0
            self.way[t] = (1.0 - share) * moves[0][0] + share * moves[-1][0]
            turns = Rotation.from_matrix(np.array([moves[0][1], moves[-1][1]]))
            self.turn[t] = Slerp([0.0, 1.0], turns)(share).as_matrix()
        # Lifts rise and fall within a part of the swing; a swing that the clip cuts off has the usual length.
        rises, falls = before is not None and before.sole.stands, after is not None and after.sole.stands
        length = end - start if rises and falls else usual
        near = np.minimum(since if rises else np.inf, until if falls else np.inf)
        self._clear(projection, points, start, end, smooth_step(near / (RAMP * length)))

    def _mark(self, step: Footstep, t: int) -> FloatArray:
        """Where the foot is nearest to a step in time."""
        last = len(self.sole) - 1
        return np.asarray(self.sole[min(max(min(t, step.sole.end - 1), step.sole.start), last)])

    def _clear(
        self, projection: _Projection, points: FloatArray, start: int, end: int, bump: FloatArray
    ) -> None:
        """Lifts a swing by a bump that is just high enough."""
        ground, height = np.zeros((2, end - start, points.shape[1]))
        for row, t in enumerate(range(start, end)):
            moved = np.array([self.moved(t, point) for point in points[t]])
            ground[row], height[row] = projection._below(moved, t).height, moved[:, 2]
        ground = maximum_filter1d(ground, 2 * round(BEFORE_EDGE_S / projection.dt) + 1, axis=0)
        wanted = ground + np.minimum(points[start:end, :, 2] - projection.level, CLEARANCE)
        counts = bump > LEAST_LIFT
        if counts.any():
            need = ((wanted - height).max(axis=1) / bump)[counts].max()
            self.lift[start:end] = np.clip(need, 0.0, CLIMB) * bump


def _smooth(values: FloatArray, width: float) -> FloatArray:
    """Values (T, 3) without what is faster than a width [samples]; rates at the ends are kept."""
    pad = min(round(4.0 * width), len(values) - 1)
    padded = np.pad(values, ((pad, pad), (0, 0)), mode="reflect", reflect_type="odd")
    result: FloatArray = gaussian_filter1d(padded, width, axis=0)[pad : len(padded) - pad]
    return result


def _move(projection: _Projection, step: Footstep, t: int, mark: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far a point of the source's floor goes with a step (3), and the step's turn (3, 3)."""
    offset, matrix = step.at(projection.world.ground, projection.objects[t])
    return matrix @ mark + offset - mark, matrix
