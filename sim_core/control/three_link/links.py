"""The three links of a character for its balance: two legs, and all other parts as the trunk."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...base.conventions import FloatArray, IntArray
from ...dynamics.kinematics import Kinematics, cross_matrix
from ...simulation.protocol import State
from ...world.world import World


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """The three links at one instant, in the world.

    joint, joint_velocity (3, 3): pivot of the leg that stands, its hip, the hip of the other leg
    com, com_velocity (3, 3): centres of mass of the links
    com_rows (3, 3, nv): their velocity Jacobians over the character's coordinates
    """

    joint: FloatArray
    joint_velocity: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    com_rows: FloatArray


class CharacterLinks:
    """Measures a character's links; `foot` is the index of the one that stands."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.kinematics = Kinematics(world)
        self.foot = world.index.feet
        self.hip = np.array([_top_of_leg(world, int(foot)) for foot in self.foot])
        legs = [_subtree(world, int(hip)) for hip in self.hip]
        rest = np.setdiff1d(world.index.body, np.concatenate(legs))
        self.bodies: tuple[IntArray, ...] = (*legs, rest)
        self.mass = np.array([world.model.body_mass[bodies].sum() for bodies in self.bodies])
        self.total = float(self.mass.sum())
        self.orders = (np.array([0, 2, 1]), np.array([1, 2, 0]))
        self.share = np.zeros((3, world.model.nbody))
        for link, bodies in enumerate(self.bodies):
            self.share[link, bodies] = world.model.body_mass[bodies] / self.mass[link]
        self.rows = np.zeros((3, 3, world.model.nv))

    def order(self, foot: int) -> IntArray:
        """Return the indices of stance leg, trunk and swing leg among (first leg, second leg, trunk)."""
        return self.orders[foot]

    def set(self, state: State) -> None:
        """Set the state that is measured next."""
        self.kinematics.set(state.qpos, state.qvel)

    def motion(self, foot: int, pivot: FloatArray) -> LinkMotion:
        """Return the links' motion at the state that was set; pivot (3): relative to the ankle [m]."""
        data = self.kinematics.data
        joints = np.array([self.foot[foot], self.hip[foot], self.hip[1 - foot]])
        rows = self._com_rows()[self.order(foot)]
        return LinkMotion(
            joint=data.xpos[joints] + np.outer([1.0, 0.0, 0.0], pivot),
            joint_velocity=self._velocity(joints),
            com=self.coms()[self.order(foot)],
            com_velocity=rows @ data.qvel,
            com_rows=rows,
        )

    def coms(self) -> FloatArray:
        """Return the centres of mass of first leg, second leg and trunk (3, 3) [m]."""
        return self._mean(self.kinematics.data.xipos)

    def _com_rows(self) -> FloatArray:
        """Return the Jacobians of the centres of mass of first leg, second leg and trunk (3, 3, nv)."""
        model, data = self.world.model, self.kinematics.data
        for leg in (0, 1):
            mujoco.mj_jacSubtreeCom(model, data, self.rows[leg], int(self.hip[leg]))
        mujoco.mj_jacSubtreeCom(model, data, self.rows[2], int(self.world.index.body[0]))
        self.rows[2] *= self.total  # of the whole body, from which the legs are subtracted
        self.rows[2] -= self.mass[0] * self.rows[0] + self.mass[1] * self.rows[1]
        self.rows[2] /= self.mass[2]
        return self.rows

    def com_drift(self, foot: int) -> FloatArray:
        """Return the accelerations of the links' centres of mass at qdd = 0, Jdot v (3, 3) [m/s^2]."""
        model, data = self.world.model, self.kinematics.data
        data.qacc[:] = 0.0
        mujoco.mj_rnePostConstraint(model, data)
        arm = data.xipos - data.subtree_com[model.body_rootid]
        turn = data.cvel[:, :3]
        velocity = data.cvel[:, 3:] + _cross(turn, arm)
        drift = data.cacc[:, 3:] + _cross(data.cacc[:, :3], arm) + _cross(turn, velocity)
        return self._mean(drift + model.opt.gravity)[self.order(foot)]

    def inertia(self, foot: int) -> FloatArray:
        """Return each link's inertia about its centre of mass, in the world's axes (3, 3, 3) [kg m^2]."""
        model, data = self.world.model, self.kinematics.data
        com, result = self.coms(), np.zeros((3, 3, 3))
        for link, bodies in enumerate(self.bodies):
            for body in bodies:
                axes = data.ximat[body].reshape(3, 3)
                arm = data.xipos[body] - com[link]
                result[link] += axes @ np.diag(model.body_inertia[body]) @ axes.T
                result[link] += model.body_mass[body] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return result[self.order(foot)]

    def _velocity(self, bodies: IntArray) -> FloatArray:
        """Return the velocities of the bodies' origins (N, 3) [m/s]."""
        model, data = self.world.model, self.kinematics.data
        arm = data.xpos[bodies] - data.subtree_com[model.body_rootid[bodies]]
        return np.asarray(data.cvel[bodies, 3:] + _cross(data.cvel[bodies, :3], arm))

    def _mean(self, of_bodies: FloatArray) -> FloatArray:
        """Return the means of values of bodies (nbody, 3), weighted by mass, for each link (3, 3)."""
        return np.asarray(self.share @ of_bodies)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return (cross_matrix(a) @ b[..., None])[..., 0]


def _top_of_leg(world: World, foot: int) -> int:
    """Return the thigh: the topmost ancestor of this foot that is not one of the other foot's."""
    others = [int(b) for b in world.index.feet if b != foot]
    shared = {body for other in others for body in _ancestors(world, other)}
    return next(body for body in reversed(_ancestors(world, foot)) if body not in shared)


def _ancestors(world: World, body: int) -> list[int]:
    """Return the body, its parent, and so on up to the world."""
    chain = [body]
    while chain[-1] != 0:
        chain.append(int(world.model.body_parentid[chain[-1]]))
    return chain


def _subtree(world: World, body: int) -> IntArray:
    """Return the character's bodies that descend from a body, and itself."""
    return np.array([b for b in world.index.body if body in _ancestors(world, int(b))])
