"""Gains for the whole character along a plan (da Silva 2008, thesis, sections 5.1 and 5.2).

The character's own equations of motion are linearised at each sample. In the thesis all coordinates are
actuated, the root's too; here torques act at the joints only and the points that touch are held, so that
only ground forces move the root. Where a foot will stand is then
part of the state: the gains of a swing take into account that the foot will carry the body after it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...base.conventions import GRAVITY, BoolArray, FloatArray
from ...dynamics.kinematics import Kinematics
from ...simulation.protocol import State
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalanceTargets
from ..tracking.prediction import Prediction

HOLD_S = 1.0
"""The last sample is held this long for the gains, so that they do not vanish before the end [s]."""


CONTACT_COMPLIANCE = 1e-3
"""Compliance of held points relative to their mobility: four points of a rigid foot are redundant."""

CONTACT_DAMPING = 30.0
"""Rate at which the ground stops a point that touches [1/s].

The ground is soft. With a model that stops a foot within one interval the ankle would have to do so, too,
and the foot would vibrate at each touchdown.
"""


@dataclass(frozen=True)
class FullStateScales:
    """Errors and inputs of equal cost.

    angle [rad] and rate [rad/s, m/s] of joints and trunk; height: of a sole's point [m];
    torque: share of the joint's limit; force: of one point, share of weight;
    acceleration: of joints and of the trunk's rotation [rad/s^2]; with a cost of torque alone light parts
    would be stopped within one interval, and vibrate
    """

    angle: float = 0.02
    rate: float = 0.2
    height: float = 0.005
    torque: float = 0.6
    force: float = 0.07
    acceleration: float = 20.0


@dataclass(frozen=True, eq=False)
class FullCosts:
    """Weights of squares: state (2 nv, 2 nv), torque (nu, nu), acceleration (nv), height, force."""

    state: FloatArray
    torque: FloatArray
    acceleration: FloatArray
    height: float
    force: float


@dataclass(frozen=True, eq=False)
class FullSystem:
    """One interval of the linearised character; errors are of coordinates, then of velocities (2 nv).

    next error = a error + b torque; change of acceleration = by_error error + by_torque torque (nv);
    change of ground forces = force_by_error error + force_by_torque torque (3 k);
    change of the sole points' heights = height_by_error error of the coordinates (K)
    """

    a: FloatArray
    b: FloatArray
    by_error: FloatArray
    by_torque: FloatArray
    force_by_error: FloatArray
    force_by_torque: FloatArray
    height_by_error: FloatArray


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
        """Return the linear system at a sample of the plan."""
        a, inverse = self._free(sample)
        nv, dt = len(inverse), self.dt
        by_error = (a[nv:] - np.eye(nv, 2 * nv, nv)) / dt
        by_torque = inverse @ self.torque_columns
        soles = self.sole_jacobians(sample)
        jacobian = soles[self.plan.schedule.touches[sample]].reshape(-1, nv)
        # Held points: their acceleration ends their velocity.
        mobility = jacobian @ inverse @ jacobian.T
        mobility[np.diag_indices_from(mobility)] += (
            CONTACT_COMPLIANCE * np.trace(mobility) / max(len(mobility), 1)
        )
        hold = -np.linalg.solve(mobility, jacobian)
        force_by_error, force_by_torque = hold @ by_error, hold @ by_torque
        stop = np.hstack([np.zeros_like(hold), CONTACT_DAMPING * hold])
        push = inverse @ jacobian.T
        by_error = by_error + push @ (force_by_error + stop)
        by_torque = by_torque + push @ force_by_torque
        a[nv:] = np.eye(nv, 2 * nv, nv) + dt * by_error
        a[:nv] += dt**2 * push @ (force_by_error + stop)
        b = np.vstack([dt**2 * by_torque, dt * by_torque])
        return FullSystem(a, b, by_error, by_torque, force_by_error, force_by_torque, soles[:, 2])

    def _free(self, sample: int) -> tuple[FloatArray, FloatArray]:
        """Return the transition of errors (2 nv, 2 nv) under the plan's forces, and M^-1 (nv, nv)."""
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
        """Apply the plan's ground forces at points that move with the bodies that touch."""
        model, data, plan = self.model, self.data, self.plan
        mujoco.mj_kinematics(model, data)
        data.xfrc_applied[:] = 0.0
        bodies = self.world.index.support_body[plan.schedule.support]
        for body, point, force in zip(
            bodies, plan.support_points[sample], plan.support_force[sample], strict=True
        ):
            arm = point - data.xipos[body]
            data.xfrc_applied[body] += np.concatenate([force, np.cross(arm, force)])

    def sole_jacobians(self, sample: int) -> FloatArray:
        """Return the velocity Jacobians of the schedule's points (K, 3, nv)."""
        self.kinematics.set_position(self.plan.reference.qpos[sample])
        return self.kinematics.support_jacobians(self.plan.schedule.support)


def full_state_gains(world: World, plan: TrackingPlan, scales: FullStateScales) -> FloatArray:
    """Return the change of acceleration for an error (T, nv, 2 nv) by the optimal feedback.

    One recursion goes through all contacts, so that the motion of a foot in the air is judged by how it
    carries the body later.
    """
    linear, costs = Linearisation(world, plan), full_costs(world, scales)
    nv = world.model.nv
    gains = np.zeros((len(plan), nv, 2 * nv))
    value, system = costs.state, linear.at(len(plan) - 1)
    for _ in range(round(HOLD_S / linear.dt)):
        _, value = riccati_step(system, value, costs)
    for t in range(len(plan) - 1, -1, -1):
        system = linear.at(t)
        feedback, value = riccati_step(system, value, costs)
        gains[t] = system.by_error - system.by_torque @ feedback
    return gains


def riccati_step(system: FullSystem, value: FloatArray, costs: FullCosts) -> tuple[FloatArray, FloatArray]:
    """Return the feedback (nu, 2 nv), torque = -feedback error, and the value before (eq. 5.5-5.6)."""
    a, b = system.a, system.b
    root = np.sqrt(np.concatenate([np.full(len(system.force_by_error), costs.force), costs.acceleration]))
    by_error = root[:, None] * np.vstack([system.force_by_error, system.by_error])
    by_torque = root[:, None] * np.vstack([system.force_by_torque, system.by_torque])
    after = value @ a
    hessian = costs.torque + by_torque.T @ by_torque + b.T @ value @ b
    slope = by_torque.T @ by_error + b.T @ after
    feedback = cho_solve(cho_factor(hessian, check_finite=False), slope, check_finite=False)
    before = costs.state + by_error.T @ by_error + a.T @ after - slope.T @ feedback
    nv = system.height_by_error.shape[1]
    before[:nv, :nv] += costs.height * system.height_by_error.T @ system.height_by_error
    return feedback, 0.5 * (before + before.T)


def full_costs(world: World, scales: FullStateScales) -> FullCosts:
    """Return the costs: none on the root's position (thesis, section 5.2), but one on the soles' height."""
    nv = world.model.nv
    state = np.repeat([scales.angle**-2, scales.rate**-2], nv)
    acceleration = np.full(nv, scales.acceleration**-2)
    state[:3] = acceleration[:3] = 0.0
    return FullCosts(
        state=np.diag(state),
        torque=np.diag((scales.torque * world.index.torque_limit) ** -2),
        acceleration=acceleration,
        height=scales.height**-2,
        force=(scales.force * world.spec.mass * GRAVITY) ** -2,
    )


class FullStateBalance:
    """Feeds back the whole state (thesis, section 5.2); gains (T, nv, 2 nv): of full_state_gains."""

    def __init__(self, world: World, plan: TrackingPlan, gains: FloatArray) -> None:
        self.model, self.plan, self.gains = world.model, plan, gains
        self.error = np.zeros(2 * world.model.nv)
        self.feet = np.zeros((2, 3))

    def touches(self, sample: int) -> BoolArray:
        """Return which of the plan's points should touch (K): those that are planned."""
        return self.plan.schedule.touches[sample]

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Return the accelerations of all coordinates by feedback of the state's error."""
        plan, reference, nv = self.plan, self.plan.reference, self.model.nv
        mujoco.mj_differentiatePos(self.model, self.error[:nv], 1.0, reference.qpos[sample], state.qpos)
        self.error[nv:] = state.qvel - reference.qvel[sample]
        added = self.gains[sample] @ self.error
        return BalanceTargets(
            com_acceleration=plan.com_acceleration[sample] + prediction.rows[0] @ added,
            momentum_rate=plan.momentum_rate[sample] + prediction.rows[1] @ added,
            foot_shift=self.feet,
            acceleration=reference.qacc[sample] + added,
        )
