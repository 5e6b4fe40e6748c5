"""The tracking controller: desired accelerations, one QP, and springs about its plan."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...conventions import FloatArray, IntArray
from ...dynamics.friction import pyramids
from ...simulation.world import World
from ..protocol import Command, State
from .balance import BalancePolicy, BalanceTargets
from .plan import TrackingPlan
from .prediction import Prediction, Predictor
from .qp import Problem, Solver


@dataclass(frozen=True)
class TrackerSettings:
    """Weights of squared errors, and gains.

    stiffness: k_os of eq. 4 [1/s^2]; springs: k of table 1, share of the intrinsic stiffness
    joint, root_turn: of accelerations [rad/s^2]; com, swing, no_slip [m/s^2]; momentum [Nm]
    stance_knee: share of `joint` for the knee of a standing leg: a nearly straight knee that insists
    on its angle takes the leg's push away
    flight_swing, flight_root_turn: in place of `swing` and `root_turn` while nothing touches
    force: of departures from planned ground forces [N]; torque: of effort, as a share of the limit
    assist, assist_change: of the helping hand and of its change from one command to the next, as a
    share of its cap
    friction: that the plan counts on; reach: how near the ground a planned contact must be [m]
    """

    stiffness: float = 600.0
    springs: float = 0.3
    joint: float = 1.0
    root_turn: float = 12.0
    com: float = 300.0
    swing: float = 10.0
    stance_knee: float = 1.0
    flight_swing: float = 10.0
    flight_root_turn: float = 12.0
    no_slip: float = 300.0
    momentum: float = 0.03
    force: float = 1e-4
    torque: float = 1.0
    assist: float = 100.0
    assist_change: float = 400.0
    friction: float = 0.7
    reach: float = 0.02


@dataclass(frozen=True, eq=False)
class Contacts:
    """Points (N) that can push: which of the schedule's, the edges of their pyramids (N, 4, 3), and the
    ground's velocity and planned acceleration (N, 3) there.
    """

    which: IntArray
    edges: FloatArray
    velocity: FloatArray
    acceleration: FloatArray


class Tracker:
    """Controller of the tracking QP (da Silva et al. 2008, sections 4 and 5)."""

    def __init__(
        self,
        world: World,
        plan: TrackingPlan,
        balance: BalancePolicy,
        solver: Solver,
        settings: TrackerSettings,
        assist_cap: float,
    ) -> None:
        self.world, self.plan, self.balance, self.solver = world, plan, balance, solver
        self.settings, self.assist_cap = settings, assist_cap
        self.predictor = Predictor(world)
        self.damping = 2.0 * np.sqrt(settings.stiffness)
        self.posture = self._posture_weights()
        self.eye = np.eye(world.model.nv)
        self.last_assist: FloatArray = np.zeros(6)
        self.guess: FloatArray | None = None  # the last solution, while the same points push
        self.pushing: IntArray | None = None
        self.solve_seconds: list[float] = []

    def _posture_weights(self) -> dict[tuple[bool, bool], FloatArray]:
        """Weights of the joints (nv - 6), by which of the two feet stand."""
        model, index, names = self.world.model, self.world.index, self.world.spec.names
        feet = [names[int(np.flatnonzero(index.body == b)[0])] for b in index.feet]
        knees = [int(index.joint[names.index(foot.replace("foot", "shin"))]) for foot in feet]
        weights = {}
        for stands in ((False, False), (False, True), (True, False), (True, True)):
            weight = np.full(model.nv - 6, self.settings.joint)
            for knee, standing in zip(knees, stands, strict=True):
                if standing:
                    weight[model.dof_jntid[6:] == knee] *= self.settings.stance_knee
            weights[stands] = weight
        return weights

    def command(self, state: State) -> Command:
        sample = min(round(state.time / self.plan.reference.dt), len(self.plan) - 1)
        prediction, contacts = self._predict(sample, state)
        targets = self.balance.targets(sample, state, prediction)
        problem, response, free = self._build(sample, state, prediction, targets, contacts)
        same = self.pushing is not None and np.array_equal(contacts.which, self.pushing)
        solution = self.solver.solve(problem, self.guess if same else None)
        self.guess, self.pushing = solution.x, contacts.which
        self.solve_seconds.append(solution.seconds)
        acceleration = response @ solution.x + free
        return self._command(state, prediction, solution.x, acceleration)

    def _predict(self, sample: int, state: State) -> tuple[Prediction, Contacts]:
        """The dynamics with the points that can push: planned to touch, and there or nearly there."""
        planned = np.flatnonzero(self.plan.schedule.touches[sample])
        prediction = self.predictor.predict(state, self.plan.schedule.support[planned])
        ground = self.world.ground.below(prediction.points, state.objects)
        near = prediction.points[:, 2] < ground.height + self.settings.reach
        contacts = Contacts(
            which=planned[near],
            edges=pyramids(self.settings.friction, ground.normal[near]),
            velocity=ground.velocity[near],
            acceleration=self.plan.footing.acceleration[sample, planned[near]],
        )
        return prediction.pushing(near), contacts

    def _build(
        self,
        sample: int,
        state: State,
        prediction: Prediction,
        targets: BalanceTargets,
        contacts: Contacts,
    ) -> tuple[Problem, FloatArray, FloatArray]:
        """The QP over torques, pyramid weights and assist; qdd = response x + free."""
        columns = self._columns(prediction, contacts)
        solved = prediction.inverse(np.column_stack([columns, prediction.bias]))
        response, free = solved[:, :-1], -solved[:, -1]
        rows, wanted, weight = self._tasks(sample, state, prediction, targets, contacts)
        matrix = rows @ response
        weighted = matrix * weight[:, None]
        hessian = matrix.T @ weighted
        gradient = weighted.T @ (rows @ free - wanted)
        low, high = self._add_costs(sample, hessian, gradient, contacts)
        return Problem(hessian, gradient, low, high), response, free

    def _columns(self, prediction: Prediction, contacts: Contacts) -> FloatArray:
        """Generalised forces of unit inputs (nv, n)."""
        nv, dofs = self.world.model.nv, self.world.index.actuated_dof
        torque = np.zeros((nv, len(dofs)))
        torque[dofs, np.arange(len(dofs))] = 1.0
        ground = (contacts.edges @ prediction.point_jacobian).reshape(-1, nv).T
        parts = [torque, ground]
        if self.assist_cap > 0.0:
            parts.append(self._assist_columns())
        return np.hstack(parts)

    def _assist_columns(self) -> FloatArray:
        """World force and torque at the pelvis's centre of mass, as generalised forces (nv, 6)."""
        model, data = self.world.model, self.predictor.kinematics.data
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, linear, angular, int(self.world.index.body[0]))
        return np.vstack([linear, angular]).T

    def _tasks(
        self,
        sample: int,
        state: State,
        prediction: Prediction,
        targets: BalanceTargets,
        contacts: Contacts,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows over qdd, wanted values, weights."""
        s, plan, nv, eye = self.settings, self.plan, self.world.model.nv, self.eye
        desired = self._desired(sample, state, targets)
        swing = np.flatnonzero(~plan.schedule.stands[sample])
        foot_wanted = self._foot_acceleration(sample, prediction, targets)
        slip = prediction.point_velocity - contacts.velocity
        point_wanted = contacts.acceleration - self.damping * slip - prediction.point_drift
        flying = not plan.schedule.touches[sample].any()
        rest = (
            (eye[3:6], desired[3:6], s.flight_root_turn if flying else s.root_turn),
            (prediction.com_rows, targets.com_acceleration - prediction.com_drift, s.com),
            (prediction.momentum_rows, targets.momentum_rate - prediction.momentum_drift, s.momentum),
            (prediction.point_jacobian.reshape(-1, nv), point_wanted.reshape(-1), s.no_slip),
            (
                prediction.foot_jacobian[swing].reshape(-1, nv),
                foot_wanted[swing].reshape(-1),
                s.flight_swing if flying else s.swing,
            ),
        )
        rows = np.concatenate([eye[6:], *(task[0] for task in rest)])
        wanted = np.concatenate([desired[6:], *(task[1] for task in rest)])
        shares = np.repeat([task[2] for task in rest], [len(task[1]) for task in rest])
        return rows, wanted, np.concatenate([self.posture[tuple(plan.schedule.stands[sample])], shares])

    def _desired(self, sample: int, state: State, targets: BalanceTargets) -> FloatArray:
        """Reference acceleration with feedback; root position has no spring (eq. 4)."""
        reference = self.plan.reference
        offset = np.zeros(self.world.model.nv)
        mujoco.mj_differentiatePos(self.world.model, offset, 1.0, state.qpos, reference.qpos[sample])
        offset += targets.joint_offset
        slip = reference.qvel[sample] - state.qvel
        return reference.qacc[sample] + self.settings.stiffness * offset + self.damping * slip

    def _foot_acceleration(self, sample: int, prediction: Prediction, targets: BalanceTargets) -> FloatArray:
        plan = self.plan
        offset = plan.foot[sample] + targets.foot_shift - prediction.foot
        slip = plan.foot_velocity[sample] - prediction.foot_velocity
        feedback = self.settings.stiffness * offset + self.damping * slip
        return plan.foot_acceleration[sample] + feedback - prediction.foot_drift

    def _add_costs(
        self, sample: int, hessian: FloatArray, gradient: FloatArray, contacts: Contacts
    ) -> tuple[FloatArray, FloatArray]:
        """Costs on the inputs themselves, added in place, and their bounds."""
        s, limit = self.settings, self.world.index.torque_limit
        torques, weights = len(limit), 4 * len(contacts.which)
        diagonal = np.arange(torques)
        hessian[diagonal, diagonal] += s.torque / limit**2
        planned = self.plan.support_force[sample, contacts.which]
        for i, edges in enumerate(contacts.edges):
            at = slice(torques + 4 * i, torques + 4 * i + 4)
            hessian[at, at] += s.force * edges @ edges.T + 1e-6 * np.eye(4)
            gradient[at] -= s.force * edges @ planned[i]
        low = np.concatenate([-limit, np.zeros(weights)])
        high = np.concatenate([limit, np.full(weights, 1e5)])
        if self.assist_cap > 0.0:
            hand = np.arange(torques + weights, torques + weights + 6)
            hessian[hand, hand] += (s.assist + s.assist_change) / self.assist_cap**2
            gradient[hand] -= s.assist_change / self.assist_cap**2 * self.last_assist
            low = np.concatenate([low, np.full(6, -self.assist_cap)])
            high = np.concatenate([high, np.full(6, self.assist_cap)])
        return low, high

    def _command(
        self, state: State, prediction: Prediction, x: FloatArray, acceleration: FloatArray
    ) -> Command:
        index = self.world.index
        dofs = index.actuated_dof
        if self.assist_cap > 0.0:
            self.last_assist = x[-6:]
        inertia = np.diag(prediction.mass_matrix)[dofs]
        stiffness = self.settings.springs * index.stiffness
        return Command(
            torque=x[: len(dofs)],
            target_offset=np.zeros(len(dofs)),
            target_velocity=state.qvel[dofs],
            target_acceleration=acceleration[dofs],
            kp=stiffness * inertia,
            kd=2.0 * np.sqrt(stiffness) * inertia,
            assist=self.last_assist,
        )
