"""The dynamic filter: the smallest change of a motion after which ground forces can produce it.

A motion captured on another body violates Newton's laws. Gauss-Newton iterations over small joint
corrections at every frame minimise a sum of four terms: the force and moment that no ground force inside
the friction pyramids can explain, the errors of resting sole points, the size of the change, and its
acceleration. Ground forces are found per frame by non-negative least squares and eliminated from the
equations of the correction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from scipy.ndimage import distance_transform_edt

from ..base.conventions import GRAVITY, FloatArray
from ..base.intervals import true_intervals
from ..dynamics.centroidal import CentroidalFrames, SupportFrames, measure_centroidal
from ..dynamics.contact_forces import GRIP_EDGES, friction_pyramids
from ..dynamics.kinematics import cross_matrix
from ..dynamics.nonnegative_least_squares import NonnegativeSolution, solve_nonnegative
from ..world.world import World
from .carrying import load_wrench
from .contacts import REFERENCE_LEG_LENGTH, ContactGround, ContactSchedule
from .filter_equations import NormalEquations
from .reference import pose_changes

STEP_SHARES = (1.0, 0.5, 0.25, 0.1)
"""Shares of a Gauss-Newton step that are tried until the cost decreases."""
SETTLED = 1e-3
"""Share of the cost by which an iteration must lower it for another one to be worth its time."""


@dataclass(frozen=True)
class FilterSettings:
    """Standard deviations of the terms, and the number of iterations.

    force: of the unexplained force, as a share of body weight
    moment: of the unexplained moment, as a share of weight times leg length
    point: of a resting sole point [m]; rest: of the height of other resting parts [m]
    clearance: height of swinging feet [m], reached within ramp_s [s]
    root_shift [m], root_turn, legs, trunk, arms, hands [rad]: of the change
    acceleration: of the change's acceleration, in units of the change's own deviation [1/s^2]
    """

    force: float = 0.01
    moment: float = 0.004
    point: float = 0.004
    rest: float = 0.01
    clearance: float = 0.015
    ramp_s: float = 0.06
    root_shift: float = 0.05
    root_turn: float = 0.10
    legs: float = 0.135
    trunk: float = 0.10
    arms: float = 0.15
    hands: float = 0.5
    acceleration: float = 100.0
    friction: float = 0.6
    iterations: int = 8
    ridge: float = 1e-2

    @property
    def changes(self) -> bool:
        """Whether the motion is changed at all."""
        return self.iterations > 0

    def scaled(self, share: float) -> FilterSettings:
        """Return settings that allow this share of the change; 0 leaves the motion unchanged."""
        if share == 0.0:
            return replace(self, iterations=0)
        names = ("root_shift", "root_turn", "legs", "trunk", "arms", "hands")
        return replace(self, **{name: share * getattr(self, name) for name in names})


@dataclass(frozen=True, eq=False)
class Filtered:
    """The filtered poses (T, nq), with their ground forces (T, K, 3) [N].

    residual, residual_before (T, 6): unexplained force and moment after and before filtering [N, Nm]
    """

    qpos: FloatArray
    support_force: FloatArray
    residual: FloatArray
    residual_before: FloatArray


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """Poses (T, nq) with the errors whose squares they cost.

    change (T, nv): from the source; point_weight, point_error (T, 3 K, 1): of resting and swinging points
    momentum_matrix (T - 1, 3, nv): between the frames; ground: scaled residuals of the ground forces
    support_force (T, K, 3): the ground forces [N]
    """

    qpos: FloatArray
    frames: CentroidalFrames
    change: FloatArray
    point_weight: FloatArray
    point_error: FloatArray
    momentum_matrix: FloatArray
    ground: NonnegativeSolution
    support_force: FloatArray
    cost: float


class DynamicFilter:
    """Filters one motion; contact_ground: the ground under the points of the schedule."""

    def __init__(
        self,
        world: World,
        schedule: ContactSchedule,
        dt: float,
        leg_length: float,
        settings: FilterSettings,
        contact_ground: ContactGround,
    ) -> None:
        self.world, self.schedule, self.dt, self.settings = world, schedule, dt, settings
        self.mass = world.spec.mass
        weight = self.mass * GRAVITY
        self.scale = 1.0 / np.repeat([settings.force * weight, settings.moment * weight * leg_length], 3)
        self.prior = 1.0 / self._deviations()
        self.sharpness = self.prior / (settings.acceleration * dt**2)
        self.floor = _clearance(schedule, settings, dt) * (leg_length / REFERENCE_LEG_LENGTH)
        self.contact_ground = contact_ground
        self.edges = friction_pyramids(
            settings.friction * contact_ground.friction_scale, contact_ground.normal
        )
        held = world.index.holds(schedule.support)
        self.edges[:, held] = GRIP_EDGES
        self.stays = (schedule.foot >= 0) | held
        self.point = 1.0 / np.where(self.stays, settings.point, settings.rest)
        self.held = 0  # samples at the start that keep their poses
        self.load: FloatArray = np.zeros((len(schedule.touches) - 2, 6))  # what hands carry pulls so
        # The residual of the last iteration, scaled: a good first guess for the next one.
        self.last_residual: FloatArray = np.zeros((len(schedule.touches) - 2, 6))

    def _deviations(self) -> FloatArray:
        """Return the standard deviations of the change, per degree of freedom (nv)."""
        s, parts = self.settings, []
        for segment in self.world.spec:
            kind, name = segment.joint.kind.value, segment.name.split(".")[0]
            if kind == "free":
                parts += [s.root_shift] * 3 + [s.root_turn] * 3
                continue
            legs, trunk = ("thigh", "shin", "foot", "toe"), ("abdomen", "chest")
            own = {"hand": s.hands} | dict.fromkeys(legs, s.legs) | dict.fromkeys(trunk, s.trunk)
            parts += [own.get(name, s.arms)] * segment.joint.kind.torque_axes
        return np.array(parts)

    def run(self, qpos: FloatArray, start: FloatArray | None = None, held: int = 0) -> Filtered:
        """Filter the poses (T, nq) of a motion.

        start (T, nq): poses to begin with, from an earlier run over a part of the motion; None begins with
        the motion itself; held: samples at the start that keep these poses, because they were followed
        """
        self.held = held
        if self.schedule.carrying is not None:
            self.load = load_wrench(self.world, qpos, self.schedule.carrying)[1:-1]
        current = self._evaluate(qpos, qpos)
        before = self._unexplained(current)
        if start is not None:
            current = self._evaluate(start, qpos)
        for _ in range(self.settings.iterations):
            better = self._improved(current, qpos)
            if better is None:
                break
            settled = current.cost - better.cost < SETTLED * current.cost
            current = better
            if settled:
                break
        return Filtered(current.qpos, current.support_force, self._unexplained(current), before)

    def _improved(self, current: _Evaluation, source: FloatArray) -> _Evaluation | None:
        """Return cheaper poses, or None: the step is halved until the cost decreases.

        Where a body lies or rolls, contacts open and close with small changes, and whole steps may diverge.
        """
        step = self._equations(current).solve()
        for share in STEP_SHARES:
            moved = current.qpos.copy()
            for t in range(len(moved)):
                mujoco.mj_integratePos(self.world.model, moved[t], step[t], share)
            other = self._evaluate(moved, source)
            if other.cost < current.cost:
                return other
        return None

    def _evaluate(self, qpos: FloatArray, source: FloatArray) -> _Evaluation:
        """Return the errors of poses, whose squares are the cost."""
        frames = measure_centroidal(self.world, qpos, self.schedule.support)
        change = pose_changes(self.world.model, source, qpos)
        weight, off = self._point_errors(frames)
        matrix, needed = self._needed_wrench(qpos, frames)
        columns = self._columns(frames, self.edges[1:-1])
        columns *= np.repeat(self.schedule.touches[1:-1], 4, axis=1)[:, None, :]
        found = solve_nonnegative(columns, self.scale * needed, self.settings.ridge, self.last_residual)
        self.last_residual = found.residual
        prior, second = self.prior * change, np.diff(change, n=2, axis=0)
        squares = (prior, self.sharpness * second, weight * off, found.residual)
        return _Evaluation(
            qpos,
            frames,
            change,
            weight,
            off,
            matrix,
            found,
            self._support_force(found.weights),
            cost=float(sum((one**2).sum() for one in squares)),
        )

    def _equations(self, at: _Evaluation) -> NormalEquations:
        """Return the Gauss-Newton equations of a change about evaluated poses."""
        equations = NormalEquations(*at.change.shape)
        equations.add_diagonal(self.prior**2, at.change)
        equations.add_second_difference(self.sharpness**2, at.change)
        supports = at.frames.part(slice(None))  # whose Jacobians are large, and go with it
        rows = at.point_weight * supports.point_jacobian.reshape(*at.point_weight.shape[:2], -1)
        equations.add_rows_of_frames(rows, (at.point_weight * at.point_error)[..., 0])
        sensitivity = at.ground.sensitivity
        wrench = (sensitivity @ (self.scale[:, None] * rows) for rows in self._wrench_rows(at, supports))
        equations.add_rows(list(wrench), at.ground.residual)
        equations.hold(self.held)
        return equations

    def _point_errors(self, frames: CentroidalFrames) -> tuple[FloatArray, FloatArray]:
        """Return weights and errors (T, 3 K, 1) of points.

        Resting soles keep their mean position on the ground, swinging ones stay above it. Other parts may
        roll and slide: only their height counts.
        """
        touches, floor = self.schedule.touches, self.contact_ground.base[..., 2] + self.floor
        wanted = _resting_positions(frames.points, touches, self.contact_ground, self.held)
        low = ~touches & (frames.points[..., 2] < floor)
        wanted[..., 2] = np.where(low, floor, wanted[..., 2])
        counts = np.repeat((touches & self.stays)[..., None], 3, axis=-1)
        counts[..., 2] = touches | low
        shape = (len(touches), -1, 1)
        return (counts * self.point[:, None]).reshape(shape), (frames.points - wanted).reshape(shape)

    def _needed_wrench(self, qpos: FloatArray, frames: CentroidalFrames) -> tuple[FloatArray, FloatArray]:
        """Return the force and moment about the com that the motion needs from its supports (T - 2, 6).

        Before it come the momentum matrices between the frames (T - 1, 3, nv), from which the moment follows.
        """
        dt = self.dt
        between = pose_changes(self.world.model, qpos[:-1], qpos[1:]) / dt
        matrix = 0.5 * (frames.momentum_matrix[:-1] + frames.momentum_matrix[1:])
        momentum = (matrix @ between[..., None])[..., 0]
        acceleration = (frames.com[2:] - 2.0 * frames.com[1:-1] + frames.com[:-2]) / dt**2
        force = self.mass * (acceleration + [0.0, 0.0, GRAVITY])
        return matrix, np.hstack([force, np.diff(momentum, axis=0) / dt]) - self.load

    def _wrench_rows(self, at: _Evaluation, supports: SupportFrames) -> Iterator[FloatArray]:
        """Yield how the wrench that forces lack changes (T - 2, 6, nv).

        First with the pose of a frame's predecessor, then with its own, then with that of its successor.
        """
        moving, turning = self.mass * at.frames.com_jacobian / self.dt**2, at.momentum_matrix / self.dt**2
        yield np.concatenate([moving[:-2], turning[:-1]], axis=1)
        arms = self._arm_rows(at, supports)
        yield np.concatenate([-2.0 * moving[1:-1], arms - turning[:-1] - turning[1:]], axis=1)
        yield np.concatenate([moving[2:], turning[1:]], axis=1)

    def _arm_rows(self, at: _Evaluation, supports: SupportFrames) -> FloatArray:
        """Return how the moment of the ground forces decreases with the pose (T - 2, 3, nv)."""
        force = at.support_force[1:-1]
        by_point = cross_matrix(force).transpose(0, 2, 1, 3).reshape(len(force), 3, -1)
        points = supports.point_jacobian[1:-1].reshape(len(force), by_point.shape[2], -1)
        return by_point @ points - cross_matrix(force.sum(axis=1)) @ at.frames.com_jacobian[1:-1]

    def _support_force(self, weights: FloatArray) -> FloatArray:
        """Return the ground forces (T, K, 3) of weights of the edges (T - 2, 4 K); none at the ends."""
        force = np.zeros((*self.schedule.touches.shape, 3))
        force[1:-1] = (weights.reshape(len(weights), -1, 1, 4) @ self.edges[1:-1])[..., 0, :]
        return force

    def _unexplained(self, at: _Evaluation) -> FloatArray:
        """Return the force and moment that no ground force explains (T, 6) [N, Nm]; none at the ends."""
        return np.pad(at.ground.residual / self.scale, ((1, 1), (0, 0)))

    def _columns(self, frames: CentroidalFrames, edges: FloatArray) -> FloatArray:
        """Return scaled force and moment about the com of each pyramid edge (T - 2, 6, 4 K)."""
        arms = frames.points[1:-1] - frames.com[1:-1, None]
        forces = edges.swapaxes(-1, -2)
        moments = cross_matrix(arms) @ forces
        stacked = np.concatenate([forces, moments], axis=2)
        return self.scale[:, None] * stacked.transpose(0, 2, 1, 3).reshape(len(arms), 6, 4 * arms.shape[1])


def _resting_positions(
    points: FloatArray, touches: np.ndarray, contact_ground: ContactGround, held: int = 0
) -> FloatArray:
    """Return where touching points should rest (T, K, 3): at their mean position in the contact.

    A contact that has begun in the first `held` samples stays where it is there.
    """
    wanted, away = points.copy(), (points - contact_ground.base)[..., :2]
    for k in range(points.shape[1]):
        for start, end in true_intervals(touches[:, k]):
            known = held if start < held < end else end
            away[start:end, k] = away[start:known, k].mean(axis=0)
            wanted[start:end, k, :2] = contact_ground.base[start:end, k, :2] + away[start:end, k]
    wanted[..., 2] = np.where(touches, contact_ground.height(away), wanted[..., 2])
    return wanted


def _clearance(schedule: ContactSchedule, settings: FilterSettings, dt: float) -> FloatArray:
    """Return the least height of points that do not touch (T, K) [m], rising from zero at contacts."""
    result: FloatArray = np.zeros(schedule.touches.shape)
    for k in np.flatnonzero(schedule.foot >= 0):
        if not schedule.touches[:, k].any():
            result[:, k] = settings.clearance
            continue
        distance = distance_transform_edt(~schedule.touches[:, k]) * dt
        result[:, k] = settings.clearance * np.clip(distance / settings.ramp_s - 0.5, 0.0, 1.0)
    return result
