"""Projection of a motion on a flat floor onto the ground of the scene.

Footsteps are put onto the surfaces under them; the body follows a smooth profile of the steps and moves
with moving ground; swinging feet clear the obstacles between steps; the legs follow by inverse kinematics.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import maximum_filter1d

from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.intervals import true_intervals
from ..dynamics.centroidal import support_points_over_time
from ..world.ground import FlatGround
from ..world.world import World
from .body_contacts import CAPTURED_HEADROOM
from .contacts import ContactGround, ContactSchedule, flat_contact_ground
from .foot_trajectories import BEFORE_EDGE_S, FootTrajectories
from .footsteps import MAX_CLIMB, Footstep, SourceStep, find_source_steps
from .holds import held_in_place
from .leg_ik import LegSolver, solve_legs
from .object_prediction import predict_objects

KEPT_ABOVE, KEPT_S = 0.025, 0.05
"""Height of swinging soles above an object that is stepped over [m], and time before and after it [s], for
which the ground counts as high as the object, so that the dynamic filter does not lower the feet onto it."""


@dataclass(frozen=True, eq=False)
class ProjectedMotion:
    """Poses (T, nq) on the ground, and the ground under each point of the contact schedule."""

    qpos: FloatArray
    contact_ground: ContactGround


def project_on_ground(
    world: World,
    qpos: FloatArray,
    schedule: ContactSchedule,
    dt: float,
    stepped_over: Collection[str] = (),
) -> ProjectedMotion:
    """Return the motion on the world's ground; on flat ground nothing changes.

    stepped_over: names of objects that swinging feet must not touch
    """
    if isinstance(world.ground, FlatGround):
        ground = flat_contact_ground(len(qpos), len(schedule.foot), world.ground.level)
    elif world.scene.captured.objects:  # it stands where it was captured
        ground = _captured_contact_ground(world, qpos, schedule, dt)
    else:
        projection = _Projector(world, qpos, schedule, dt, stepped_over)
        qpos, ground = projection.poses, projection.contact_ground()
    return ProjectedMotion(qpos, held_in_place(world, qpos, schedule, ground))


def find_steps(world: World, qpos: FloatArray, schedule: ContactSchedule, dt: float) -> list[SourceStep]:
    """Return the footsteps of a motion on the floor of its source."""
    feet = np.flatnonzero(schedule.foot >= 0)
    points = support_points_over_time(world, qpos, schedule.support[feet])
    return find_source_steps(points, schedule.touches[:, feet], schedule.foot[feet], world.ground_height, dt)


def _captured_contact_ground(
    world: World, qpos: FloatArray, schedule: ContactSchedule, dt: float
) -> ContactGround:
    """Return the ground under the points of a motion that rests on the scene already."""
    points = support_points_over_time(world, qpos, schedule.support)
    shape, flat = points.shape[:2], points.reshape(-1, 3)
    found = world.ground.below(flat, headroom=CAPTURED_HEADROOM)
    base, normal = points.copy(), found.normal.reshape(points.shape).copy()
    height = found.height.reshape(shape)
    base[..., 2] = np.where(np.isfinite(height), height, points[..., 2] - MAX_CLIMB)
    width, soles = 2 * round(BEFORE_EDGE_S / dt) + 1, schedule.foot >= 0
    base[:, soles, 2] = maximum_filter1d(base[:, soles, 2], width, axis=0)
    for k in range(shape[1]):
        for start, end in true_intervals(schedule.touches[:, k]):
            middle = start + int(np.argmin(np.abs(height[start:end, k] - np.median(height[start:end, k]))))
            own = points[start:end, k]
            base[start:end, k] = [*own[:, :2].mean(axis=0), height[middle, k]]
            normal[start:end, k] = found.normal.reshape(points.shape)[middle, k]
    _keep_above(points, base, schedule.touches & ~soles)
    return ContactGround(base, normal, np.zeros_like(base), found.friction_scale.reshape(shape))


def _keep_above(points: FloatArray, base: FloatArray, rests: BoolArray) -> None:
    """Raise the ground (T, K, 3) of resting points (T, K) that are higher above it than the lowest of them.

    Of the stiff shapes of somebody who sits, one rests on the seat, and the others stay as far above it.
    """
    above = points[..., 2] - base[..., 2]
    lowest = np.where(rests, above, np.inf).min(axis=1, keepdims=True)
    base[..., 2] += np.where(rests, np.maximum(above - np.where(rests, lowest, 0.0), 0.0), 0.0)


class _Projector:
    """Projects one motion; `poses` and `contact_ground` are its results."""

    def __init__(
        self,
        world: World,
        qpos: FloatArray,
        schedule: ContactSchedule,
        dt: float,
        stepped_over: Collection[str],
    ) -> None:
        self.world, self.schedule, self.dt, self.level = world, schedule, dt, world.ground_height
        feet = schedule.foot >= 0
        self.points = support_points_over_time(world, qpos, schedule.support)
        source_steps = find_steps(world, qpos, schedule, dt)
        self.objects = predict_objects(world, qpos, source_steps, dt)
        self.trajectories = FootTrajectories(
            world.ground,
            self.objects,
            source_steps,
            self.points[:, feet],
            schedule.foot[feet],
            self.level,
            dt,
            [k for k, own in enumerate(world.scene.underfoot.objects) if own.name in stepped_over],
        )
        self.legs = LegSolver(world)
        self.poses = self._poses(qpos)

    def _poses(self, qpos: FloatArray) -> FloatArray:
        desired = qpos.copy()
        desired[:, :3] += self.trajectories.body_offset()
        feet = [self._feet(t, pose) for t, pose in enumerate(qpos)]
        return solve_legs(self.legs, qpos, desired, feet, self.dt)

    def _feet(self, t: int, pose: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return desired positions (2, 3) and rotation matrices (2, 3, 3) of the feet of a source pose."""
        positions, matrices = self.legs.feet_of(pose)
        for foot, trajectory in enumerate(self.trajectories.feet):
            positions[foot] = trajectory.moved(t, positions[foot])
            matrices[foot] = trajectory.rotation[t] @ matrices[foot]
        return positions, matrices

    def contact_ground(self) -> ContactGround:
        """Return the planes of the steps under touching soles, and the surface below all other points."""
        points = support_points_over_time(self.world, self.poses, self.schedule.support)
        found = [self.trajectories.below(points[t], t) for t in range(len(points))]
        base, normal = points.copy(), np.array([surface.normal for surface in found])
        base[..., 2] = [surface.height for surface in found]
        width = 2 * round(BEFORE_EDGE_S / self.dt) + 1
        soles = self.schedule.foot >= 0
        base[:, soles, 2] = maximum_filter1d(base[:, soles, 2], width, axis=0)
        base[..., 2] = np.where(np.isfinite(base[..., 2]), base[..., 2], points[..., 2] - MAX_CLIMB)
        crossed = np.array([self.trajectories.crossed(points[t, soles], t) for t in range(len(points))])
        kept = maximum_filter1d(crossed, 2 * round(KEPT_S / self.dt) + 1, axis=0) + KEPT_ABOVE
        base[:, soles, 2] = np.maximum(base[:, soles, 2], kept)
        acceleration = np.zeros_like(base)
        for step in self.trajectories.placement.steps:
            self._stand(step, base, normal, acceleration)
        return ContactGround(
            base, normal, acceleration, np.array([surface.friction_scale for surface in found])
        )

    def _stand(self, step: Footstep, base: FloatArray, normal: FloatArray, acceleration: FloatArray) -> None:
        """Enter a step's plane where its points touch."""
        source = step.source
        own = np.flatnonzero(self.schedule.foot == source.foot)
        for t in range(source.start, source.end):
            touching = own[self.schedule.touches[t, own]]
            middle = min(max(t, 1), len(base) - 2)
            now, before, at, after = (self._corners(step, i) for i in (t, middle - 1, middle, middle + 1))
            base[t, touching] = now[0][np.isin(own, touching)]
            normal[t, touching] = now[1]
            bend = (after[0] - 2.0 * at[0] + before[0]) / self.dt**2
            acceleration[t, touching] = bend[np.isin(own, touching)]

    def _corners(self, step: Footstep, t: int) -> tuple[FloatArray, FloatArray]:
        """Return the corners of a step's sole (P, 3) at a sample, and the normal of its plane (3)."""
        offset, matrix = step.at(self.world.ground, self.objects[t])
        return step.source.corners @ matrix.T + offset, matrix @ Z_UP
