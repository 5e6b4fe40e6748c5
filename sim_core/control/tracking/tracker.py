"""The tracking controller: desired accelerations, one QP, and springs about its plan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np
from scipy.linalg import block_diag
from scipy.linalg.lapack import dposv

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...dynamics.contact_forces import friction_pyramid, friction_pyramids
from ...simulation.protocol import Command, State
from ...world.ground import FlatGround
from ...world.world import World
from ..balance.policy import BalancePolicy, BalanceTargets
from ..hit_reaction import HitReactions
from .plan import TrackingPlan
from .prediction import Prediction, Predictor
from .qp import Problem, Solver
from .tracker_settings import TrackerSettings


@dataclass(frozen=True, eq=False)
class Tasks:
    """What accelerations should be.

    rows (m, nv) over qdd; the coordinates themselves, from the trunk's turn on, come before them:
    wanted, root_weight (nv - 3 + m): square roots of the errors' weights
    """

    rows: FloatArray
    wanted: FloatArray
    root_weight: FloatArray

    def and_also(self, rows: FloatArray, wanted: FloatArray, weight: float) -> Tasks:
        """With further rows (k, nv) of one weight."""
        return Tasks(
            np.concatenate([self.rows, rows]),
            np.concatenate([self.wanted, wanted]),
            np.concatenate([self.root_weight, np.full(len(wanted), np.sqrt(weight))]),
        )


@dataclass(frozen=True, eq=False)
class Costs:
    """Of n inputs: hessian (n, n), and their bounds low, high (n)."""

    hessian: FloatArray
    low: FloatArray
    high: FloatArray


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
        reactions: HitReactions,
    ) -> None:
        self.world, self.plan, self.balance, self.solver = world, plan, balance, solver
        self.settings, self.assist_cap, self.reactions = settings, assist_cap, reactions
        self.predictor = Predictor(world)
        self.edges = friction_pyramid(settings.friction)
        self.damping = 2.0 * np.sqrt(settings.stiffness)
        self.posture = self._posture_weights()
        self.costs, self.root_weights = cache(self._costs), cache(self._root_weights)
        self.firmness: FloatArray | None = None  # of joints (nu), after a hit
        self.helps = assist_cap > 0.0
        self.last_assist: FloatArray = np.zeros(6)
        self.guess: FloatArray | None = None  # the last solution, while the same points push
        self.pushing: IntArray | None = None
        self.solve_seconds: list[float] = []

    def _posture_weights(self) -> dict[tuple[bool, bool], FloatArray]:
        """Weights of the joints (nv - 6), by which of the two feet stand."""
        model, index = self.world.model, self.world.index
        knees = [index.dofs_of(self.world.leg_segments(foot)[1]) - 6 for foot in (0, 1)]
        weights = {}
        for stands in ((False, False), (False, True), (True, False), (True, True)):
            weight = np.full(model.nv - 6, self.settings.joint)
            for knee, standing in zip(knees, stands, strict=True):
                if standing:
                    weight[knee] *= self.settings.stance_knee
            weights[stands] = weight
        return weights

    def command(self, state: State) -> Command:
        sample = min(round(state.time / self.plan.reference.dt), len(self.plan) - 1)
        self._feel(state)
        touches = self.balance.touches(sample)
        prediction, contacts = self._predict(state, touches)
        targets = self.balance.targets(sample, state, prediction)
        problem, response, free = self._build(sample, state, prediction, targets, contacts, touches)
        same = self.pushing is not None and np.array_equal(contacts, self.pushing)
        solution = self.solver.solve(problem, self.guess if same else None)
        self.guess, self.pushing = solution.x, contacts
        self.solve_seconds.append(solution.seconds)
        acceleration = response @ solution.x + free
        return self._command(state, prediction, solution.x, acceleration)

    def _feel(self, state: State) -> None:
        """What was hit gives way, and no hand helps for a while."""
        self.reactions.see(state.time, state.impacts)
        self.firmness = self.reactions.share(state.time)
        helps = self.assist_cap > 0.0 and self.reactions.allows_assist(state.time)
        if helps != self.helps:
            self.helps, self.guess, self.last_assist = helps, None, np.zeros(6)

    def _predict(self, state: State, touches: BoolArray) -> tuple[Prediction, IntArray]:
        """The dynamics with the points that can push: meant to touch, and there or nearly there."""
        planned = np.flatnonzero(touches)
        supports = self.plan.schedule.support[planned]
        prediction = self.predictor.predict(state, supports, self.settings.reach)
        return prediction, planned[prediction.near]

    def _build(
        self,
        sample: int,
        state: State,
        prediction: Prediction,
        targets: BalanceTargets,
        contacts: IntArray,
        touches: BoolArray,
    ) -> tuple[Problem, FloatArray, FloatArray]:
        """The QP over torques, pyramid weights and assist; qdd = response x + free."""
        inputs = self._inputs(prediction)
        solved = dposv(prediction.mass_matrix.T, inputs.T, lower=True, overwrite_b=True)[1]
        response, free = solved[:, :-1], -solved[:, -1]
        tasks = self._tasks(sample, state, prediction, targets, contacts, touches)
        root, plain = tasks.root_weight, len(free) - 3
        # Inputs by tasks: rows of the identity need no products, and A A' is found to be symmetric.
        matrix = np.empty((len(inputs) - 1, len(root)))
        np.multiply(response[3:].T, root[:plain], out=matrix[:, :plain])
        np.matmul(response.T, (root[plain:, None] * tasks.rows).T, out=matrix[:, plain:])
        missing = np.concatenate([free[3:], tasks.rows @ free]) - tasks.wanted
        costs = self.costs(len(contacts), self.helps)
        gradient = matrix @ (root * missing)
        self._add_plan(sample, gradient, prediction, contacts)
        return Problem(matrix @ matrix.T + costs.hessian, gradient, costs.low, costs.high), response, free

    def _inputs(self, prediction: Prediction) -> FloatArray:
        """Generalised forces of unit inputs, and of the motion itself (n + 1, nv)."""
        model, dofs = self.world.model, self.world.index.actuated_dof
        ground = len(dofs) + 4 * len(prediction.points)
        inputs = np.zeros((ground + (6 if self.helps else 0) + 1, model.nv))
        inputs[np.arange(len(dofs)), dofs] = 1.0
        pushes = self._edges(prediction) @ prediction.point_jacobian
        inputs[len(dofs) : ground] = pushes.reshape(-1, model.nv)
        if self.helps:
            # World force and torque at the pelvis's centre of mass.
            data, root = self.predictor.kinematics.data, int(self.world.index.body[0])
            mujoco.mj_jacBodyCom(model, data, inputs[ground : ground + 3], inputs[ground + 3 : -1], root)
        inputs[-1] = prediction.bias
        return inputs

    def _edges(self, prediction: Prediction) -> FloatArray:
        """Of the pyramids of all points (P, 4, 3), or of each (4, 3) where the ground is flat."""
        if isinstance(self.world.ground, FlatGround):
            return self.edges
        return friction_pyramids(self.settings.friction * prediction.friction_scale, prediction.normal)

    def _tasks(
        self,
        sample: int,
        state: State,
        prediction: Prediction,
        targets: BalanceTargets,
        contacts: IntArray,
        touches: BoolArray,
    ) -> Tasks:
        """A standing foot is held by its points: it has rows of its own, but they weigh nothing."""
        rows = prediction.rows
        feet, plain = len(prediction.foot), rows.shape[-1] - 3
        wanted = np.empty(plain + 3 * len(rows))
        wanted[:plain] = self._desired(sample, state, targets)[3:]
        places = wanted[plain:].reshape(-1, 3)
        places[0], places[1] = targets.com_acceleration, targets.momentum_rate
        places[2 : 2 + feet] = self._foot_acceleration(sample, prediction, targets)
        slip = prediction.point_velocity - prediction.ground_velocity
        places[2 + feet :] = self.plan.contact_ground.acceleration[sample, contacts] - self.damping * slip
        places -= prediction.drift
        left, right = self.plan.schedule.standing(touches).tolist()
        flying = not touches.any()
        count = len(prediction.points)
        root_weight = self.root_weights(left, right, flying, count, targets.swing, targets.com)
        if self.firmness is not None:
            root_weight = root_weight.copy()
            root_weight[3:plain] *= np.sqrt(self.firmness)
        tasks = Tasks(rows.reshape(-1, rows.shape[-1]), wanted, root_weight)
        for extra in targets.extra:
            tasks = tasks.and_also(*extra)
        return tasks

    def _root_weights(
        self, left: bool, right: bool, flying: bool, points: int, urgency: float, com: float
    ) -> FloatArray:
        """By which feet stand, whether nothing touches, how many points push, what swing and com count."""
        s = self.settings
        swing = s.flight_swing if flying else urgency * s.swing
        trunk = s.flight_root_turn if flying else s.root_turn
        places = [
            com * s.com,
            s.momentum,
            0.0 if left else swing,
            0.0 if right else swing,
            *[s.no_slip] * points,
        ]
        weights = [np.full(3, trunk), self.posture[left, right], np.repeat(places, 3)]
        return np.sqrt(np.concatenate(weights))

    def _desired(self, sample: int, state: State, targets: BalanceTargets) -> FloatArray:
        """Reference acceleration with feedback; root position has no spring (eq. 4)."""
        reference = self.plan.reference
        firm = np.ones(self.world.model.nv)
        if self.firmness is not None:
            firm[6:] = self.firmness
        if targets.acceleration is not None:
            return firm * targets.acceleration + (1.0 - firm) * reference.qacc[sample]
        offset = np.zeros(self.world.model.nv)
        mujoco.mj_differentiatePos(self.world.model, offset, 1.0, state.qpos, reference.qpos[sample])
        offset += targets.joint_offset
        slip = reference.qvel[sample] - state.qvel
        stiffness, damping = self.settings.stiffness * firm, self.damping * np.sqrt(firm)
        springs = reference.qacc[sample] + stiffness * offset + damping * slip
        return springs + targets.joint_acceleration

    def _foot_acceleration(self, sample: int, prediction: Prediction, targets: BalanceTargets) -> FloatArray:
        if targets.acceleration is not None:
            feet = slice(2, 2 + len(prediction.foot))
            return prediction.rows[feet] @ targets.acceleration + prediction.drift[feet]
        plan = self.plan
        offset = plan.foot[sample] + targets.foot_shift - prediction.foot
        slip = plan.foot_velocity[sample] + targets.foot_shift_velocity - prediction.foot_velocity
        feedback = self.settings.stiffness * offset + self.damping * slip
        return plan.foot_acceleration[sample] + feedback

    def _costs(self, contacts: int, helps: bool) -> Costs:
        """Of the inputs themselves, by how many points push; a pyramid that leans costs the same."""
        s, limit, cap = self.settings, self.world.index.torque_limit, self.assist_cap
        pyramid_cost = s.force * self.edges @ self.edges.T + 1e-6 * np.eye(4)
        hand = 6 if helps else 0
        hand_cost = np.eye(hand) * (s.assist + s.assist_change) / max(cap, 1e-9) ** 2
        weights = 4 * contacts
        return Costs(
            block_diag(np.diag(s.torque / limit**2), *[pyramid_cost] * contacts, hand_cost),
            low=np.concatenate([-limit, np.zeros(weights), np.full(hand, -cap)]),
            high=np.concatenate([limit, np.full(weights, 1e5), np.full(hand, cap)]),
        )

    def _add_plan(
        self, sample: int, gradient: FloatArray, prediction: Prediction, contacts: IntArray
    ) -> None:
        """Ground forces keep to the plan, and the helping hand to what it did before."""
        s, torques = self.settings, len(self.world.index.torque_limit)
        planned = self._edges(prediction) @ self.plan.support_force[sample, contacts, :, None]
        gradient[torques : torques + planned.size] -= s.force * planned.ravel()
        if self.helps:
            gradient[-6:] -= s.assist_change / self.assist_cap**2 * self.last_assist

    def _command(
        self,
        state: State,
        prediction: Prediction,
        x: FloatArray,
        acceleration: FloatArray,
    ) -> Command:
        index = self.world.index
        dofs = index.actuated_dof
        if self.helps:
            self.last_assist = x[-6:]
        inertia = np.diag(prediction.mass_matrix)[dofs]
        stiffness = self.settings.springs * index.stiffness
        if self.firmness is not None:
            stiffness = stiffness * self.firmness
        return Command(
            torque=np.clip(x[: len(dofs)], -index.torque_limit, index.torque_limit),
            target_offset=np.zeros(len(dofs)),
            target_velocity=state.qvel[dofs],
            target_acceleration=acceleration[dofs],
            kp=stiffness * inertia,
            kd=2.0 * np.sqrt(stiffness) * inertia,
            assist=self.last_assist,
        )
