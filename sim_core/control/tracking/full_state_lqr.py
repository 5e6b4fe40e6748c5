"""Gains for the whole character along a plan (da Silva 2008, thesis, sections 5.1 and 5.2).

The character's own equations of motion are linearised at each sample. The thesis takes every
coordinate, the root's too, for driven; here torques act at the joints only and the points that
touch are held, so that the root moves by what the ground can give. Where a foot will stand is then
part of the state: gains of a swing already know that the foot will carry the body after it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...conventions import GRAVITY, FloatArray
from ...dynamics.kinematics import Kinematics
from ...simulation.world import World
from .plan import TrackingPlan

HOLD = 1.0
"""Gains are computed as if the last sample went on for this long; else balance would end before it [s]."""


SOFTNESS = 1e-3
"""Of the hold on the points, as a share of how easily they move; four points of a stiff foot are too many."""


@dataclass(frozen=True)
class FullStateScales:
    """Errors that cost as much as each other.

    angle [rad] and rate [rad/s] of joints and trunk; torque: share of the joint's limit;
    force: of one point, share of weight
    """

    angle: float = 0.02
    rate: float = 0.2
    torque: float = 0.3
    force: float = 0.3


@dataclass(frozen=True, eq=False)
class FullSystem:
    """One interval of the linearised character; errors are of coordinates, then of velocities (2 nv).

    next error = a error + b torque; change of acceleration = by_error error + by_torque torque (nv);
    change of ground forces = force_by_error error + force_by_torque torque (3 k)
    """

    a: FloatArray
    b: FloatArray
    by_error: FloatArray
    by_torque: FloatArray
    force_by_error: FloatArray
    force_by_torque: FloatArray


class Linearisation:
    """Linearises a character along a plan, with the points that touch held in place."""

    def __init__(self, world: World, plan: TrackingPlan) -> None:
        self.world, self.plan, self.dt = world, plan, plan.reference.dt
        self.kinematics = Kinematics(world)
        # Free of contacts, joint limits and springs: the plan's forces act instead of them.
        self.model = copy.copy(world.model)
        off = mujoco.mjtDisableBit
        self.model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        self.model.opt.timestep = self.dt
        self.data = mujoco.MjData(self.model)
        nv = world.model.nv
        self.torque_columns = np.eye(nv)[:, world.index.actuated_dof]
        self.mass_matrix = np.zeros((nv, nv))

    def at(self, sample: int) -> FullSystem:
        a, inverse = self._free(sample)
        nv, dt = len(inverse), self.dt
        by_error = (a[nv:] - np.eye(nv, 2 * nv, nv)) / dt
        by_torque = inverse @ self.torque_columns
        jacobian = self._held(sample)
        # Held points: their acceleration ends their velocity within the interval.
        mobility = jacobian @ inverse @ jacobian.T
        mobility[np.diag_indices_from(mobility)] += SOFTNESS * np.trace(mobility) / max(len(mobility), 1)
        hold = -np.linalg.solve(mobility, jacobian)
        force_by_error, force_by_torque = hold @ by_error, hold @ by_torque
        stop = np.hstack([np.zeros_like(hold), hold / dt])
        push = inverse @ jacobian.T
        by_error = by_error + push @ (force_by_error + stop)
        by_torque = by_torque + push @ force_by_torque
        a[nv:] = np.eye(nv, 2 * nv, nv) + dt * by_error
        a[:nv] += dt**2 * push @ (force_by_error + stop)
        b = np.vstack([dt**2 * by_torque, dt * by_torque])
        return FullSystem(a, b, by_error, by_torque, force_by_error, force_by_torque)

    def _free(self, sample: int) -> tuple[FloatArray, FloatArray]:
        """How errors go on (2 nv, 2 nv) when the plan's forces stay as they are, and M^-1 (nv, nv)."""
        model, data, reference = self.model, self.data, self.plan.reference
        data.qpos[:], data.qvel[:] = reference.qpos[sample], reference.qvel[sample]
        data.qfrc_applied[:] = 0.0
        self._push(sample)
        mujoco.mj_forward(model, data)
        missing = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, missing, reference.qacc[sample] - data.qacc)
        data.qfrc_applied[:] = missing
        mujoco.mj_fullM(model, data, self.mass_matrix)
        inverse = np.linalg.inv(self.mass_matrix)
        a = np.zeros((2 * model.nv, 2 * model.nv))
        mujoco.mjd_transitionFD(model, data, 1e-6, False, a, None, None, None)
        return a, inverse

    def _push(self, sample: int) -> None:
        """The plan's ground forces act on the parts that touch, at places that move with them."""
        model, data, plan = self.model, self.data, self.plan
        mujoco.mj_kinematics(model, data)
        data.xfrc_applied[:] = 0.0
        bodies = self.world.index.support_body[plan.schedule.support]
        for body, point, force in zip(
            bodies, plan.support_points[sample], plan.support_force[sample], strict=True
        ):
            arm = point - data.xipos[body]
            data.xfrc_applied[body] += np.concatenate([force, np.cross(arm, force)])

    def _held(self, sample: int) -> FloatArray:
        """Velocity Jacobians of the points that touch (3 k, nv)."""
        schedule = self.plan.schedule
        self.kinematics.set_position(self.plan.reference.qpos[sample])
        held = schedule.support[schedule.touches[sample]]
        return self.kinematics.support_jacobians(held).reshape(-1, self.model.nv)


def full_state_gains(world: World, plan: TrackingPlan, scales: FullStateScales) -> FloatArray:
    """How much more the coordinates should accelerate for an error, (T, nv, 2 nv): the best feedback."""
    linear, nv = Linearisation(world, plan), world.model.nv
    state = _state_cost(nv, scales)
    torque = np.diag((scales.torque * world.index.torque_limit) ** -2)
    force = (scales.force * world.spec.mass * GRAVITY) ** -2
    gains = np.zeros((len(plan), nv, 2 * nv))
    value, system = state, linear.at(len(plan) - 1)
    for _ in range(round(HOLD / linear.dt)):
        _, value = riccati_step(system, value, state, torque, force)
    for t in range(len(plan) - 1, -1, -1):
        system = linear.at(t)
        feedback, value = riccati_step(system, value, state, torque, force)
        gains[t] = system.by_error - system.by_torque @ feedback
    return gains


def riccati_step(
    system: FullSystem, value: FloatArray, state: FloatArray, torque: FloatArray, force: float
) -> tuple[FloatArray, FloatArray]:
    """Torques = -feedback error (nu, 2 nv), and the value before the interval (thesis, eq. 5.5 and 5.6)."""
    a, b = system.a, system.b
    after = value @ a
    weighted = force * system.force_by_torque
    hessian = torque + weighted.T @ system.force_by_torque + b.T @ value @ b
    slope = weighted.T @ system.force_by_error + b.T @ after
    feedback = cho_solve(cho_factor(hessian, check_finite=False), slope, check_finite=False)
    before = state + force * system.force_by_error.T @ system.force_by_error + a.T @ after
    before -= slope.T @ feedback
    return feedback, 0.5 * (before + before.T)


def _state_cost(nv: int, scales: FullStateScales) -> FloatArray:
    """Of errors; where the root is costs nothing (thesis, section 5.2)."""
    cost = np.repeat([scales.angle**-2, scales.rate**-2], nv)
    cost[:3] = 0.0
    return np.diag(cost)
