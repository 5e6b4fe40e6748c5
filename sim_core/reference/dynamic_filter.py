"""The dynamic filter: the smallest change of a motion after which ground forces can produce it.

A motion captured on another body violates Newton's laws. Gauss-Newton iterations over small joint
corrections at every frame minimise a sum of four terms: the force and moment that no ground force inside
the friction pyramids can explain, the errors of resting sole points, the size of the change, and its
acceleration. Ground forces are found per frame by non-negative least squares and eliminated from the
equations of the correction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy.linalg import solveh_banded
from scipy.ndimage import distance_transform_edt

from ..base.conventions import GRAVITY, FloatArray
from ..base.intervals import true_intervals
from ..dynamics.centroidal import CentroidalFrames, measure_centroidal
from ..dynamics.contact_forces import friction_pyramids
from ..dynamics.kinematics import cross_matrix
from ..dynamics.nonnegative_least_squares import solve_nonnegative
from ..world.world import World
from .contacts import REFERENCE_LEG_LENGTH, ContactGround, ContactSchedule
from .reference import pose_changes

STEP_SHARES = (1.0, 0.5, 0.25, 0.1)
"""Shares of a Gauss-Newton step that are tried until the cost decreases."""


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
        self.floor = _clearance(schedule, settings, dt) * (leg_length / REFERENCE_LEG_LENGTH)
        self.contact_ground = contact_ground
        self.edges = friction_pyramids(
            settings.friction * contact_ground.friction_scale, contact_ground.normal
        )
        self.point = 1.0 / np.where(schedule.foot >= 0, settings.point, settings.rest)
        self.held = 0  # samples at the start that keep their poses
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
        current = qpos if start is None else start
        system = self._system(current, qpos)
        before = system.residual
        for _ in range(self.settings.iterations):
            found = self._improved(current, system, qpos)
            if found is None:
                break
            current, system = found
        return Filtered(current, system.support_force, system.residual, before)

    def _improved(
        self, current: FloatArray, system: _System, source: FloatArray
    ) -> tuple[FloatArray, _System] | None:
        """Return cheaper poses and their equations, or None: the step is halved until the cost decreases.

        Where a body lies or rolls, contacts open and close with small changes, and whole steps may diverge.
        """
        step = system.solve()
        for share in STEP_SHARES:
            moved = current.copy()
            for t in range(len(moved)):
                mujoco.mj_integratePos(self.world.model, moved[t], step[t], share)
            other = self._system(moved, source)
            if other.cost < system.cost:
                return moved, other
        return None

    def _system(self, qpos: FloatArray, source: FloatArray) -> _System:
        frames = measure_centroidal(self.world, qpos, self.schedule.support)
        system = _System(len(qpos), self.world.model.nv, frames.points.shape[1])
        self._add_prior(system, qpos, source)
        self._add_points(system, frames)
        self._add_dynamics(system, qpos, frames)
        system.hold(self.held)
        return system

    def _add_prior(self, system: _System, qpos: FloatArray, source: FloatArray) -> None:
        change = pose_changes(self.world.model, source, qpos)
        system.add_diagonal(self.prior**2)
        system.gradient += self.prior**2 * change
        system.cost += float(((self.prior * change) ** 2).sum())
        sharp = (self.prior / (self.settings.acceleration * self.dt**2)) ** 2
        system.add_second_difference(sharp, change)

    def _add_points(self, system: _System, frames: CentroidalFrames) -> None:
        """Add rows that keep resting soles at their mean position on the ground, and swinging ones above it.

        Other parts may roll and slide: only their height counts.
        """
        touches, floor = self.schedule.touches, self.contact_ground.base[..., 2] + self.floor
        wanted = _resting_positions(frames.points, touches, self.contact_ground, self.held)
        low = ~touches & (frames.points[..., 2] < floor)
        wanted[..., 2] = np.where(low, floor, wanted[..., 2])
        counts = np.repeat((touches & (self.schedule.foot >= 0))[..., None], 3, axis=-1)
        counts[..., 2] = touches | low
        weight = (counts * self.point[:, None]).reshape(len(touches), -1, 1)
        rows = weight * frames.point_jacobian.reshape(len(touches), -1, system.nv)
        error = weight * (frames.points - wanted).reshape(len(touches), -1, 1)
        transposed = rows.transpose(0, 2, 1)
        system.blocks[0] += transposed @ rows
        system.gradient += (transposed @ error)[..., 0]
        system.cost += float((error**2).sum())

    def _add_dynamics(self, system: _System, qpos: FloatArray, frames: CentroidalFrames) -> None:
        """Add rows of the force and moment about the com that ground forces cannot explain."""
        dt, mass = self.dt, self.mass
        between = pose_changes(self.world.model, qpos[:-1], qpos[1:]) / dt
        matrix = 0.5 * (frames.momentum_matrix[:-1] + frames.momentum_matrix[1:])
        momentum = (matrix @ between[..., None])[..., 0]
        acceleration = (frames.com[2:] - 2.0 * frames.com[1:-1] + frames.com[:-2]) / dt**2
        force = mass * (acceleration + [0.0, 0.0, GRAVITY])
        needed = np.hstack([force, np.diff(momentum, axis=0) / dt])
        residual, sensitivity = self._fit_ground_forces(system, frames, needed)
        moving = mass * frames.com_jacobian / dt**2
        turning = matrix / dt**2
        arms = self._arm_rows(system, frames)
        rows = [
            np.concatenate([moving[:-2], turning[:-1]], axis=1),
            np.concatenate([-2.0 * moving[1:-1], arms - turning[:-1] - turning[1:]], axis=1),
            np.concatenate([moving[2:], turning[1:]], axis=1),
        ]
        system.add_rows([sensitivity @ (self.scale[:, None] * r) for r in rows], residual)

    def _arm_rows(self, system: _System, frames: CentroidalFrames) -> FloatArray:
        """Return how the moment of the ground forces decreases with the pose (T - 2, 3, nv)."""
        force, count = system.support_force[1:-1], system.support_force.shape[1]
        by_point = cross_matrix(force).transpose(0, 2, 1, 3).reshape(-1, 3, 3 * count)
        points = frames.point_jacobian[1:-1].reshape(-1, 3 * count, system.nv)
        return by_point @ points - cross_matrix(force.sum(axis=1)) @ frames.com_jacobian[1:-1]

    def _fit_ground_forces(
        self, system: _System, frames: CentroidalFrames, needed: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scaled residual (T - 2, 6), and its derivative by the needed wrench (T - 2, 6, 6)."""
        edges, touches = self.edges[1:-1], self.schedule.touches[1:-1]
        columns = self._columns(frames, edges) * np.repeat(touches, 4, axis=1)[:, None, :]
        found = solve_nonnegative(columns, self.scale * needed, self.settings.ridge, self.last_residual)
        self.last_residual = found.residual
        weights = found.weights.reshape(*touches.shape, 1, 4)
        system.support_force[1:-1] = (weights @ edges)[..., 0, :]
        system.residual[1:-1] = found.residual / self.scale
        return found.residual, found.sensitivity

    def _columns(self, frames: CentroidalFrames, edges: FloatArray) -> FloatArray:
        """Return scaled force and moment about the com of each pyramid edge (T - 2, 6, 4 K)."""
        arms = frames.points[1:-1] - frames.com[1:-1, None]
        forces = edges.swapaxes(-1, -2)
        moments = cross_matrix(arms) @ forces
        stacked = np.concatenate([forces, moments], axis=2)
        return self.scale[:, None] * stacked.transpose(0, 2, 1, 3).reshape(len(arms), 6, 4 * arms.shape[1])


class _System:
    """Normal equations over all frames, and the cost that they come from.

    blocks (3, T, nv, nv) hold H[t, t + d] for d = 0, 1, 2
    """

    def __init__(self, samples: int, nv: int, points: int) -> None:
        self.samples, self.nv = samples, nv
        self.blocks = np.zeros((3, samples, nv, nv))
        self.gradient = np.zeros((samples, nv))
        self.cost = 0.0
        self.residual = np.zeros((samples, 6))
        self.support_force = np.zeros((samples, points, 3))

    def add_diagonal(self, values: FloatArray) -> None:
        """Add values (nv) to the diagonal of each frame."""
        diagonal = np.arange(self.nv)
        self.blocks[0][:, diagonal, diagonal] += values

    def add_second_difference(self, weight: FloatArray, change: FloatArray) -> None:
        """Add weight |change[t-1] - 2 change[t] + change[t+1]|^2 for each inner frame."""
        diagonal = np.arange(self.nv)
        second = change[:-2] - 2.0 * change[1:-1] + change[2:]
        self.cost += float((weight * second**2).sum())
        for offset, factor in ((0, 1.0), (1, -2.0), (2, 1.0)):
            stop = self.samples - 2 + offset
            self.blocks[0][offset:stop, diagonal, diagonal] += factor**2 * weight
            self.gradient[offset:stop] += factor * weight * second
        self.blocks[1][: self.samples - 2, diagonal, diagonal] += -2.0 * weight
        self.blocks[1][1 : self.samples - 1, diagonal, diagonal] += -2.0 * weight
        self.blocks[2][: self.samples - 2, diagonal, diagonal] += weight

    def add_rows(self, rows: list[FloatArray], error: FloatArray) -> None:
        """Add rows (T - 2, 6, nv) over each inner frame's predecessor, itself and its successor."""
        inner, depth = self.samples - 2, rows[0].shape[1]
        self.cost += float((error**2).sum())
        # By frame: the rows in which it is the predecessor, the frame itself, the successor.
        stacked = np.zeros((self.samples, 3 * depth, self.nv))
        errors = np.zeros((self.samples, 3 * depth, 1))
        for i in range(3):
            stacked[i : inner + i, i * depth : (i + 1) * depth] = rows[i]
            errors[i : inner + i, i * depth : (i + 1) * depth, 0] = error
        transposed = stacked.swapaxes(1, 2)
        self.gradient += (transposed @ errors)[..., 0]
        self.blocks[0] += transposed @ stacked
        self.blocks[1, :-1] += transposed[:-1, :, : 2 * depth] @ stacked[1:, depth:]
        self.blocks[2, :-2] += transposed[:-2, :, :depth] @ stacked[2:, 2 * depth :]

    def hold(self, samples: int) -> None:
        """Let the first samples keep their poses."""
        self.gradient[:samples] = 0.0
        self.blocks[0, :samples] = np.eye(self.nv)
        self.blocks[1, :samples] = 0.0
        self.blocks[2, :samples] = 0.0

    def solve(self) -> FloatArray:
        """Return the step (T, nv)."""
        nv, samples = self.nv, self.samples
        width = 3 * nv
        # Column j of the band holds H[j : j + width, j]: H[i, j] is element j (width - 1) + i of the array.
        band = np.zeros((samples * nv, width))
        item = band.itemsize
        for distance in range(3):
            block = np.triu(self.blocks[0]) if distance == 0 else self.blocks[distance, : samples - distance]
            target = band.reshape(-1)[distance * nv :]
            as_strided(target, block.shape, (nv * width * item, (width - 1) * item, item))[:] = block
        step = solveh_banded(
            band.T, -self.gradient.reshape(-1), lower=True, overwrite_ab=True, check_finite=False
        )
        return np.asarray(step).reshape(samples, nv)


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
