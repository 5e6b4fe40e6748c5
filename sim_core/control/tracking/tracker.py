"""The tracking controller: it follows a plan by torques that one quadratic program finds at each interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray, frozen
from ...simulation.protocol import Command, State
from ...world.world import World
from ..handing_over import HandingOver
from ..hit_reaction import HitReactions
from .inputs import InputGroup, TrackingInputs, capped_assist
from .plan import TrackingPlan
from .plan_clock import PlanClock
from .policy import BalancePolicy
from .prediction import Predictor
from .qp import BoxQP, Solver
from .qp_build import build_qp, input_response
from .task_set import Instant, TaskSet
from .tracker_settings import TrackerSettings

NO_HANDS: BoolArray = frozen(np.zeros(0), np.bool_)


class Tracker:
    """Controller of the tracking QP (da Silva et al. 2008, sections 4 and 5).

    tasks, inputs: make the terms of the QP; reactions: keep track of hits; clock: the plan's time
    """

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
        self.reactions = reactions
        self.predictor = Predictor(world)
        self.clock = PlanClock()
        self.adjust(settings, assist_cap)

    def adjust(self, settings: TrackerSettings, assist_cap: float) -> None:
        """Follow the plan with other weights, gains and limit of the assist from now on."""
        self.settings, self.assist_cap = settings, assist_cap
        self.tasks = TaskSet(self.world, self.plan, settings)
        self.inputs = TrackingInputs(self.world, settings, assist_cap)
        self._assisting = assist_cap > 0.0
        self._last_assist: FloatArray = np.zeros(6)
        self._guess: FloatArray | None = None  # the last solution, valid while the same points are in contact
        self._guess_contacts: list[int] | None = None
        self._stiffness = settings.springs * self.world.index.stiffness

    def continue_from(self, earlier: Tracker, change: HandingOver) -> None:
        """Go on with the hits, the assist and the solution of another tracker; `hand_over` does the rest."""
        self.reactions.continue_from(earlier.reactions, change.moved * self.plan.reference.dt)
        self._guess, self._guess_contacts = earlier._guess, earlier._guess_contacts
        self._last_assist = change.vectors(earlier._last_assist.reshape(2, 3)).ravel()
        self._assisting = earlier._assisting
        moved_s = change.moved * self.plan.reference.dt
        self.clock = replace(earlier.clock, read_s=earlier.clock.read_s - moved_s)

    @property
    def lead(self) -> int:
        """Samples by which the plan is ahead of the run."""
        return round(self.clock.lead_s / self.plan.reference.dt)

    @property
    def fallbacks(self) -> int:
        """Control intervals so far that were solved by the fallback solver."""
        return self.solver.fallbacks

    def command(self, state: State) -> Command:
        """Return the torques and springs of the coming control interval."""
        instant = self.observe(state)
        inputs = self.input_groups(instant)
        response = input_response(instant.prediction, inputs)
        program = build_qp(response, self.tasks.at(instant), inputs)
        x = self._with_capped_assist(self._solve(program, instant.contacts))
        return self._command(instant, x, response.acceleration(x))

    def observe(self, state: State) -> Instant:
        """Register hits, predict the dynamics, and ask the balance policy for its targets."""
        sample = min(round(self.clock.read(state.time) / self.plan.reference.dt), len(self.plan) - 1)
        self._register_hits(state)
        touches = self.balance.touches(sample)
        planned = np.flatnonzero(touches)
        supports = self.plan.schedule.support[planned]
        anchor = self.plan.contact_ground.base[sample, planned]
        carrying = self.plan.schedule.carrying
        load = None if carrying is None else carrying.force[sample]
        prediction = self.predictor.predict(state, supports, self.settings.reach, anchor, load)
        targets = self.balance.targets(sample, state, prediction)
        self.clock.go(targets.rate)
        gain_scale = self.reactions.gain_scale(state.time)
        contacts = planned[prediction.near]
        return Instant(sample, state, touches, contacts, prediction, targets, gain_scale, self.clock.rate)

    def input_groups(self, instant: Instant) -> tuple[InputGroup, ...]:
        """Return the inputs of the QP at the instant that was observed last."""
        planned = self.plan.support_force[instant.sample, instant.contacts]
        groups = (self.inputs.torques, self.inputs.contacts(instant.prediction, planned))
        if not self._assisting:
            return groups
        return *groups, self.inputs.assist(self.predictor.pelvis_jacobian(), self._last_assist)

    def _register_hits(self, state: State) -> None:
        """Take note of hits; for a while after one no assist acts."""
        self.reactions.observe(state.time, state.impacts)
        assisting = self.assist_cap > 0.0 and self.reactions.allows_assist(state.time)
        if assisting != self._assisting:
            self._assisting, self._guess, self._last_assist = assisting, None, np.zeros(6)

    def _solve(self, program: BoxQP, contacts: IntArray) -> FloatArray:
        """Return the QP's solution, starting from the last one where that has the same inputs."""
        same = contacts.tolist() == self._guess_contacts
        x = self.solver.solve(program, self._guess if same else None)
        self._guess, self._guess_contacts = x, contacts.tolist()
        return x

    def _with_capped_assist(self, x: FloatArray) -> FloatArray:
        """Return a solution whose assist is within the cap; the QP bounds each axis, not the length."""
        if not self._assisting:
            return x
        return np.concatenate([x[:-6], capped_assist(x[-6:], self.assist_cap)])

    def _command(self, instant: Instant, x: FloatArray, acceleration: FloatArray) -> Command:
        """Return the torques of a solution x, with springs about the motion that it predicts."""
        index = self.world.index
        dofs, limit = index.actuated_dof, index.torque_limit
        if self._assisting:
            self._last_assist = x[-6:]
        inertia, stiffness = instant.prediction.mass_matrix[dofs, dofs], self._stiffness
        if instant.gain_scale is not None:
            stiffness = stiffness * instant.gain_scale
        return Command(
            torque=np.minimum(np.maximum(x[: len(dofs)], -limit), limit),
            target_offset=np.zeros(len(dofs)),
            target_velocity=instant.state.qvel[dofs],
            target_acceleration=acceleration[dofs],
            kp=stiffness * inertia,
            kd=2.0 * np.sqrt(stiffness) * inertia,
            assist=self._last_assist,
            holds=self._holds(instant),
        )

    def _holds(self, instant: Instant) -> BoolArray:
        """Return which grips (K) should hold: planned ones that are near bars, or on carried objects."""
        index, schedule = self.world.index, self.plan.schedule
        if index.grips == 0:
            return NO_HANDS
        bars = np.isin(index.palms, schedule.support[instant.contacts])
        if schedule.carrying is None:
            return np.concatenate([bars, np.zeros(len(self.world.engine.grips.turn), dtype=bool)])
        return np.concatenate([bars, schedule.carrying.holds[instant.sample]])
