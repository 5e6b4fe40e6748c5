"""A motion on a flat floor, projected on the ground that is there.

Feet keep their steps, each put onto the surface under it; the body goes up and down with a smooth
profile of the steps, and along with what carries it; swinging feet clear what lies between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from ..base.conventions import Z_UP, FloatArray
from ..dynamics.centroidal import support_points_over_time
from ..world.ground import FlatGround
from ..world.world import World
from .boards import foresee_objects
from .contacts import ContactSchedule
from .foot_tracks import BEFORE_EDGE_S, FootTracks
from .footing import Footing, flat_footing
from .footsteps import CLIMB, Footstep, find_soles
from .leg_ik import LegSolver

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
        self.points = support_points_over_time(world, qpos, schedule.support)
        soles = find_soles(
            self.points[:, feet], schedule.touches[:, feet], schedule.foot[feet], self.level, dt
        )
        self.objects = foresee_objects(world, qpos, soles, dt)
        self.tracks = FootTracks(
            world.ground, self.objects, soles, self.points[:, feet], schedule.foot[feet], self.level, dt
        )
        self.legs = LegSolver(world)
        self.poses = self._poses(qpos)

    def _poses(self, qpos: FloatArray) -> FloatArray:
        wish = qpos.copy()
        wish[:, :3] += self.tracks.body_offset()
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
        for foot, track in enumerate(self.tracks.feet):
            places[foot] = track.moved(t, places[foot])
            turns[foot] = track.turn[t] @ turns[foot]
        return places, turns

    def footing(self) -> Footing:
        """Under touching soles the planes of their steps, under all else what the ground is there."""
        points = support_points_over_time(self.world, self.poses, self.schedule.support)
        found = [self.tracks.below(points[t], t) for t in range(len(points))]
        base, normal = points.copy(), np.array([surface.normal for surface in found])
        base[..., 2] = [surface.height for surface in found]
        width = 2 * round(BEFORE_EDGE_S / self.dt) + 1
        soles = self.schedule.foot >= 0
        base[:, soles, 2] = maximum_filter1d(base[:, soles, 2], width, axis=0)
        base[..., 2] = np.where(np.isfinite(base[..., 2]), base[..., 2], points[..., 2] - CLIMB)
        acceleration = np.zeros_like(base)
        for step in self.tracks.placement.steps:
            self._stand(step, base, normal, acceleration)
        return Footing(base, normal, acceleration, np.array([surface.friction_scale for surface in found]))

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
