"""Centroidal quantities of a motion: centre of mass, angular momentum, support points and their Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..world.world import World
from .kinematics import Kinematics, cross_matrix, moving_dofs


@dataclass(frozen=True, eq=False)
class BodyFrames:
    """Where the B bodies of the engine's model are in T poses of a motion.

    com (T, 3): centre of mass of the character [m]; axes (T, nv, 6): angular velocity, and
    linear velocity at the com, per unit velocity of each dof
    origin (T, B, 3) [m] and rotation (T, B, 9): of the bodies' frames
    """

    com: FloatArray
    axes: FloatArray
    origin: FloatArray
    rotation: FloatArray

    @classmethod
    def unmeasured(cls, model: mujoco.MjModel, samples: int) -> BodyFrames:
        """Return frames for a number of samples, to be recorded."""
        shapes = ((3,), (model.nv, 6), (model.nbody, 3), (model.nbody, 9))
        return cls(*(np.zeros((samples, *shape)) for shape in shapes))

    def record(self, data: mujoco.MjData, t: int, root: int) -> None:
        """Take over the pose in the engine's data as a sample; root: the body of the pelvis."""
        self.com[t], self.axes[t] = data.subtree_com[root], data.cdof
        self.origin[t], self.rotation[t] = data.xpos, data.xmat


@dataclass(frozen=True, eq=False)
class SupportFrames:
    """Centre of mass and support points in T frames of a motion.

    com (T, 3): centre of mass [m]
    points (T, K, 3): lowest points of the chosen supports [m]; moved (K, nv): which dofs move them
    axes (T, nv, 6): as in BodyFrames
    """

    com: FloatArray
    points: FloatArray
    moved: BoolArray
    axes: FloatArray

    def part(self, window: slice) -> SupportFrames:
        """Return some of the frames, without what else is known of them."""
        return SupportFrames(self.com[window], self.points[window], self.moved, self.axes[window])

    @cached_property
    def point_jacobian(self) -> FloatArray:
        """Return the Jacobians (T, K, 3, nv) of the points."""
        angular, linear = self.axes[:, None, :, :3].swapaxes(2, 3), self.axes[:, None, :, 3:].swapaxes(2, 3)
        arms = self.points - self.com[:, None]
        jacobian = cross_matrix(arms) @ angular  # large, so the rest is done in place
        np.subtract(linear, jacobian, out=jacobian)
        np.copyto(jacobian, 0.0, where=~self.moved[:, None])
        return jacobian

    def generalised_force(self, forces: FloatArray) -> FloatArray:
        """Return the generalised forces (T, nv) of forces at the points (T, K, 3), without Jacobians."""
        moments = rotations.cross(self.points - self.com[:, None], forces)
        wrenches = self.moved.T.astype(np.float64) @ np.concatenate([moments, forces], axis=2)
        return np.asarray((self.axes * wrenches).sum(axis=2))


@dataclass(frozen=True, eq=False)
class CentroidalFrames(SupportFrames):
    """The same frames with what their momentum needs.

    com_jacobian (T, 3, nv)
    momentum_matrix (T, 3, nv): from generalised velocity to angular momentum about the com
    """

    com_jacobian: FloatArray
    momentum_matrix: FloatArray


def measure_supports(world: World, qpos: FloatArray, supports: IntArray) -> SupportFrames:
    """Measure the poses (T, nq) of a motion; supports (K): indices of support points of the character."""
    return supports_of(world, measure_bodies(world, qpos), supports)


def measure_centroidal(world: World, qpos: FloatArray, supports: IntArray) -> CentroidalFrames:
    """Measure the poses (T, nq) of a motion and what their momentum needs."""
    model, root = world.model, int(world.index.body[0])
    com_jacobian = np.zeros((len(qpos), 3, model.nv))
    momentum_matrix = np.zeros((len(qpos), 3, model.nv))

    def also(data: mujoco.MjData, t: int) -> None:
        mujoco.mj_jacSubtreeCom(model, data, com_jacobian[t], root)
        mujoco.mj_angmomMat(model, data, momentum_matrix[t], root)

    found = supports_of(world, measure_bodies(world, qpos, also), supports)
    return CentroidalFrames(found.com, found.points, found.moved, found.axes, com_jacobian, momentum_matrix)


def measure_bodies(
    world: World, qpos: FloatArray, also: Callable[[mujoco.MjData, int], None] = lambda *_: None
) -> BodyFrames:
    """Measure the poses (T, nq) of a motion; also: what else is measured in each of them."""
    kinematics, root = Kinematics(world), int(world.index.body[0])
    frames = BodyFrames.unmeasured(world.model, len(qpos))
    for t in range(len(qpos)):
        kinematics.set_position(qpos[t])
        also(kinematics.data, t)
        frames.record(kinematics.data, t, root)
    return frames


def supports_of(world: World, bodies: BodyFrames, supports: IntArray) -> SupportFrames:
    """Return the lowest points of supports (K) in poses that were measured."""
    model, index = world.model, world.index
    body = index.support_body[supports]
    matrices = bodies.rotation[:, body].reshape(len(bodies.com), -1, 3, 3)
    points = bodies.origin[:, body] + (matrices @ index.support_point[supports, :, None])[..., 0]
    points[..., 2] -= index.support_radius[supports]
    moved = np.array([moving_dofs(model, int(own)) for own in body], dtype=bool).reshape(-1, model.nv)
    return SupportFrames(bodies.com, points, moved, bodies.axes)


def support_points_over_time(world: World, qpos: FloatArray, supports: IntArray) -> FloatArray:
    """Return the lowest points (T, K, 3) of supports in the poses (T, nq) of a motion [m]."""
    kinematics, points = Kinematics(world), np.zeros((len(qpos), len(supports), 3))
    for t in range(len(qpos)):
        kinematics.set_position(qpos[t])
        points[t] = kinematics.support_points(supports)
    return points


@dataclass(frozen=True, eq=False)
class Momenta:
    """Angular momentum about the com (T, 3) [kg m^2/s], and kinetic plus potential energy (T) [J]."""

    angular: FloatArray
    energy: FloatArray


def measure_momenta(world: World, qpos: FloatArray, qvel: FloatArray) -> Momenta:
    """Measure states (T, nq), (T, nv); the energy includes that of the joints' rotors."""
    return _momenta(world, qpos, qvel, lambda *_: None)


def measure_motion(
    world: World, qpos: FloatArray, qvel: FloatArray, qacc: FloatArray
) -> tuple[BodyFrames, Momenta, FloatArray]:
    """Measure states, and return the generalised forces (T, nv) that accelerations (T, nv) need."""
    model, root, force = world.model, int(world.index.body[0]), np.zeros_like(qacc)
    frames = BodyFrames.unmeasured(model, len(qpos))

    def also(data: mujoco.MjData, t: int) -> None:
        frames.record(data, t, root)
        data.qacc[:] = qacc[t]
        mujoco.mj_rne(model, data, 1, force[t])

    return frames, _momenta(world, qpos, qvel, also), force + model.dof_armature * qacc


def _momenta(
    world: World, qpos: FloatArray, qvel: FloatArray, also: Callable[[mujoco.MjData, int], None]
) -> Momenta:
    """Measure states; also: what else is measured in each of them."""
    kinematics, model, root = Kinematics(world), world.model, int(world.index.body[0])
    data = kinematics.data
    angular, energies = np.zeros((len(qpos), 3)), np.zeros((len(qpos), 2))
    for t in range(len(qpos)):
        kinematics.set(qpos[t], qvel[t])
        mujoco.mj_subtreeVel(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        angular[t], energies[t] = data.subtree_angmom[root], data.energy
        also(data, t)
    return Momenta(angular, energies.sum(axis=1))
