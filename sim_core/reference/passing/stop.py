"""To a stand: the walk stops before an object, and goes on when it has gone out of the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BPoly

from ...base import rotations
from ...base.conventions import FloatArray
from ...base.intervals import smooth_step, smoother_step
from ...dynamics.centroidal import measure_supports
from ...scene.scene import Passing
from ...world.world import World
from ..footsteps import SourceStep
from ..leg_ik import Feet, LegSolver, solve_legs
from ..reference import moved_pose, pose_changes
from ..walked_path import walked_path
from .walk import Meeting, Plan, Walk

DISTANCE = 0.12
"""Distance from an object at which a walk comes to a stand, at the least [m]."""
STOPPING_S = (0.5, 1.2)
"""Least and largest time in which the body stops, or walks off [s]."""
STEADY = 1.9
"""Time to a stop in multiples of that at a steady speed."""
STRIDE_S = 1.1
"""Duration of a stride, over which the posture of a walk is averaged [s]."""
FEET_APART = (0.12, 0.3)
"""Least and largest distance of the ankles in a stand [m]."""
POSTURE_S = 0.9
"""Time in which the posture of a stand is taken on [s]."""
SWING_S, SWING_HEIGHT = 0.45, 0.05
"""Duration of the last step [s], and the height of its foot [m]."""
WAIT_STEP_S = 0.1
"""Time between two moments at which walking on is tried [s]."""
FLATTENED = 0.6
"""Share of the last step after which its foot is flat."""


def stop(walk: Walk, met: Meeting) -> Plan | None:
    """Plan a stand before an object: as near as steps allow, and until it is out of the way."""
    planned = walk.planned()
    source = walk.qpos if planned is None else planned
    for last, other in _last_steps(walk, met):
        halt = Halt(walk.world, source, walk.steps[last], walk.steps[other], walk.dt, walk.size)
        stopped = halt.poses()
        if not walk.is_clear(stopped[: halt.still], met.object, DISTANCE * walk.size):
            continue
        onwards = None if walk.object(met).keys is None else _onwards(walk, met, halt, last)
        if onwards is not None:
            return onwards
        if walk.is_clear(stopped, met.object, DISTANCE * walk.size):
            return Plan(Passing.STOP, qpos=stopped, start_s=halt.still * walk.dt)
    return None


def _last_steps(walk: Walk, met: Meeting) -> Iterator[tuple[int, int]]:
    """Yield the steps with which a walk may end, latest first, each with the other foot's one before."""
    for last in reversed(range(len(walk.steps))):
        own = walk.steps[last]
        before = [k for k, step in enumerate(walk.steps[:last]) if step.stands and step.foot != own.foot]
        if own.stands and before and own.start <= met.last:
            yield last, before[-1]


def _onwards(walk: Walk, met: Meeting, halt: Halt, last: int) -> Plan | None:
    """Return a plan that goes on as soon as the object is out of the way; None if it does not go."""
    after = (step for step in walk.steps[last + 1 :] if step.stands and step.foot != walk.steps[last].foot)
    following = next(after, None)
    if following is None:
        return None
    for sample in range(halt.still, len(walk.qpos), round(WAIT_STEP_S / walk.dt)):
        went = halt.poses(Restart(sample, following))
        if walk.is_clear(went, met.object, DISTANCE * walk.size):
            return Plan(Passing.STOP, qpos=went, start_s=halt.still * walk.dt, end_s=sample * walk.dt)
    return None


@dataclass(frozen=True, eq=False)
class Restart:
    """When a stand ends, and the step with which the walk goes on."""

    sample: int
    step: SourceStep


class Halt:
    """A motion (T, nq) that comes to a stand with its last step, beside which the other foot is put.

    still: the sample from which on it stands
    """

    def __init__(
        self, world: World, qpos: FloatArray, last: SourceStep, other: SourceStep, dt: float, size: float
    ) -> None:
        self.world, self.qpos, self.dt, self.size = world, qpos, dt, size
        self.legs, self.own, self.beside = LegSolver(world), last.foot, 1 - last.foot
        self.feet: list[Feet] = [self.legs.feet_of(pose) for pose in qpos]
        self.start, self.flat, self.lifted = last.start, last.middle(len(qpos)), other.end
        self.path = walked_path(qpos, dt)
        self.standing = self._standing_feet(other.middle(len(qpos)))
        self.stand = self._stand()
        self.stopping = self._duration(self.start)
        landed = self.lifted + round(SWING_S / dt)
        self.still = max(landed, self.start + round(max(self.stopping, POSTURE_S) / dt))

    def poses(self, restart: Restart | None = None) -> FloatArray:
        """Return the motion (T, nq) to its stand, which lasts to the end or until the walk goes on."""
        samples = range(self.start, len(self.qpos))
        wanted = [self._stopping(t) for t in samples]
        if restart is not None:
            wanted[restart.sample - self.start :] = self._going(restart)
        desired, feet = (list(part) for part in zip(*wanted, strict=True))
        legs = solve_legs(self.legs, self.qpos[self.start :], np.array(desired), feet, self.dt)
        return np.concatenate([self.qpos[: self.start], legs])

    def _duration(self, sample: int) -> float:
        """Return the time in which the body gets to the stand from where it is at a sample, or back [s]."""
        way, speed = np.linalg.norm(self.qpos[sample, :2] - self.stand[:2]), self._velocity(sample)
        return float(np.clip(STEADY * way / max(float(np.linalg.norm(speed)), 1e-6), *STOPPING_S))

    def _velocity(self, sample: int) -> FloatArray:
        return np.asarray(self.path.velocity[sample])

    def _standing_feet(self, middle: int) -> Feet:
        """Return where the feet of the stand are; middle: a sample at which the other foot is flat."""
        positions, matrices = (part.copy() for part in self.feet[self.flat])
        ahead = self.path.direction(self.start)
        left = np.array([-ahead[1], ahead[0]])
        apart = float((self.feet[middle][0][self.beside, :2] - positions[self.own, :2]) @ left)
        side = np.sign(self._hips_apart(left))
        apart = float(side * np.clip(side * apart, *(self.size * np.array(FEET_APART))))
        positions[self.beside] = self.feet[middle][0][self.beside]
        positions[self.beside, :2] = positions[self.own, :2] + apart * left
        matrices[self.beside] = self.feet[middle][1][self.beside]
        return positions, matrices

    def _hips_apart(self, left: FloatArray) -> float:
        """Return how far the hip of the other leg is to the left of that of the last one [m]."""
        self.legs.feet_of(self.qpos[self.start])
        hips = self.legs.solver.kinematics.data.xpos[self.legs.hips, :2]
        return float((hips[self.beside] - hips[self.own]) @ left)

    def _stand(self) -> FloatArray:
        """Return the pose (nq) of the stand: the mean one of a stride, with the weight over the soles."""
        model, before = self.world.model, max(self.start - round(STRIDE_S / self.dt), 0)
        stride = self.qpos[before : self.start + 1]
        changes = pose_changes(model, np.tile(stride[0], (len(stride), 1)), stride)
        pose = moved_pose(model, stride[0], changes.mean(axis=0))
        soles = np.arange(self.world.index.soles)
        for _ in range(2):
            frames = measure_supports(self.world, self.legs.solve(pose, *self.standing)[None], soles)
            pose[:2] += frames.points[0].mean(axis=0)[:2] - frames.com[0, :2]
        return self.legs.solve(pose, *self.standing)

    def _stopping(self, t: int) -> tuple[FloatArray, Feet]:
        """Return the pose (nq) before the legs follow, and the feet, on the way to the stand."""
        since = (t - self.start) * self.dt
        pose = self._blend(self.qpos[t], self.stand, since / POSTURE_S)
        at, velocity = self.qpos[self.start, :2], self._velocity(self.start)
        pose[:2] = _glide((at, velocity), (self.stand[:2], np.zeros(2)), self.stopping, since)
        positions, matrices = (part.copy() for part in self.feet[min(t, self.flat)])
        left = self.feet[min(t, self.lifted)]
        share = (t - self.lifted) * self.dt / SWING_S
        self._swing(left, self.standing, share, positions, matrices)
        return pose, (positions, matrices)

    def _going(self, restart: Restart) -> list[tuple[FloatArray, Feet]]:
        """Return poses and feet from the end of the stand on."""
        landing = restart.step.start
        duration = self._duration(landing)
        delay = restart.sample + round(duration / self.dt) - landing
        end = (self.qpos[landing, :2], self._velocity(landing))
        result = []
        for t in range(restart.sample, len(self.qpos)):
            since, source = (t - restart.sample) * self.dt, t - delay
            if source >= landing:
                result.append((self.qpos[source], self.feet[source]))
                continue
            pose = self._blend(self.stand, self.qpos[max(source, 0)], since / duration)
            pose[:2] = _glide((self.stand[:2], np.zeros(2)), end, duration, since)
            positions, matrices = (part.copy() for part in self.feet[max(source, self.flat)])
            share = 1.0 - (landing - source) * self.dt / min(SWING_S, duration)
            self._swing(self.standing, self.feet[landing], share, positions, matrices)
            result.append((pose, (positions, matrices)))
        return result

    def _blend(self, start: FloatArray, end: FloatArray, share: float) -> FloatArray:
        """Return a pose (nq) between two."""
        change = pose_changes(self.world.model, start[None], end[None])[0]
        return moved_pose(self.world.model, start, change * smoother_step(np.clip(share, 0.0, 1.0)))

    def _swing(
        self, start: Feet, end: Feet, share: float, positions: FloatArray, matrices: FloatArray
    ) -> None:
        """Enter the foot that is put beside the other one, or taken off from there."""
        foot, inside = self.beside, float(np.clip(share, 0.0, 1.0))
        along = float(smoother_step(np.array(inside)))
        positions[foot] = (1.0 - along) * start[0][foot] + along * end[0][foot]
        positions[foot, 2] += SWING_HEIGHT * self.size * float(np.sin(np.pi * inside) ** 2)
        ends = rotations.from_matrix(np.stack([start[1][foot], end[1][foot]]))
        turned = smooth_step(inside / FLATTENED)
        matrices[foot] = rotations.to_matrix(rotations.slerp(ends[0], ends[1], np.asarray(turned)))


def _glide(
    start: tuple[FloatArray, FloatArray], end: tuple[FloatArray, FloatArray], duration: float, time: float
) -> FloatArray:
    """Return where a body is (2) that gets from a place and velocity to others without jerks."""
    ends = [[*own, np.zeros(2)] for own in (start, end)]
    return np.asarray(BPoly.from_derivatives([0.0, duration], ends)(min(time, duration)))
