"""The simulation of a character that falls, lies, gets up and goes on with its motion.

It is one simulation from the first sample to the last. A tracker follows the motion until the body has fallen
and gone limp. Where it rests, a way back to the motion is planned from the pose that it has come to; controls
for the plan are searched in rehearsals, because no tracker rises from the ground; and a tracker takes over
when it can.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import mujoco

from ..base.conventions import BoolArray
from ..getup.guide import Guide
from ..getup.plan import GetUpPlan, plan_get_up
from ..getup.rest import RestDetector
from ..motion.motion import CONTROL_DT
from ..reference.prepare import Prepared, make_feasible, put_on_ground
from ..result.records import Hit
from ..search.problem import SearchProblem
from ..search.rollouts import EngineRollouts
from ..search.search import SearchSettings, WindowSearch
from ..simulation.preview import PREVIEW_TICKS, preview_of
from ..simulation.protocol import Command, Controller, State
from ..simulation.simulation import Simulation
from ..simulation.trace import Trace
from ..world.world import with_timestep
from .attempt import Outcome, mean_joint_error_deg
from .diagnosis import lying
from .get_up_rehearsal import VARIANTS, Rehearsed, Repeated, Variant, rehearse
from .make_controller import ControlledCharacter, make_controller
from .methods import Method
from .search_budget import SearchBudget
from .search_run import TAKE_OVER_DEG, TAKE_OVER_S, TIMESTEP
from .setup import CharacterSetup
from .simulate import flights_of

MOST_TRIES = 3
"""How often a character tries to get up after a fall, or falls again, before it stays where it is."""
LONGEST_TRY_S = 15.0
"""Time for one fall and getting up that is set aside, besides the motion itself [s]."""


@dataclass(eq=False)
class GetUpTry:
    """One fall and what followed.

    fell, rests: ticks at which the body fell and came to rest
    plan, prepared: the way back to the motion from there, as planned, and as forces can produce it
    should_lie (T): where the plan lies
    """

    fell: int
    rests: int
    plan: GetUpPlan
    prepared: Prepared
    should_lie: BoolArray

    @property
    def end(self) -> int:
        """Return the tick at which the motion ends."""
        return self.rests + len(self.prepared.reference) - 1


@dataclass(frozen=True, eq=False)
class GetUpRun:
    """What was simulated: the trace, all falls with what followed, and the last fall if it stays down [tick].

    trackers: all that took turns; simulated_s: time that was simulated on trial [s]
    """

    trace: Trace
    tries: tuple[GetUpTry, ...]
    stays_down: int | None
    trackers: tuple[ControlledCharacter, ...]
    simulated_s: float

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Return what hit the character."""
        return tuple(hit for own in self.trackers for hit in own.tracker.reactions.hits)


def run_with_get_ups(
    setup: CharacterSetup, kept: Outcome, guide: Guide, last_tick: Callable[[int], int], budget: SearchBudget
) -> GetUpRun:
    """Simulate a character that gets up wherever it falls.

    setup: at the time step of searched simulations; kept: the outcome whose method is tracked
    last_tick: of a motion that may end at a tick, the tick at which it ends at a whole frame
    """
    most = len(kept.prepared.reference) - 1 + MOST_TRIES * round(LONGEST_TRY_S / CONTROL_DT)
    flights = flights_of([setup], [setup.world], [kept.prepared.reference])
    rollouts = EngineRollouts([setup.world], flights, most, CONTROL_DT, os.cpu_count() or 1)
    try:
        return _Run(setup, kept, guide, last_tick, budget, rollouts).run(most)
    finally:
        rollouts.close()


class _Run:
    """The simulation and who controls it: a tracker, limp joints, found controls, a tracker again."""

    def __init__(
        self,
        setup: CharacterSetup,
        kept: Outcome,
        guide: Guide,
        last_tick: Callable[[int], int],
        budget: SearchBudget,
        rollouts: EngineRollouts,
    ) -> None:
        self.setup, self.kept, self.guide, self.last_tick = setup, kept, guide, last_tick
        self.budget, self.rollouts, self.world = budget, rollouts, setup.world
        self.method: Method = kept.attempt.method
        self.simulation = Simulation([self.world], CONTROL_DT, [1])
        self.flights = flights_of([setup], [self.world], [kept.prepared.reference])
        self.trial_world, self.rehearsal_world = (with_timestep([self.world], TIMESTEP)[0] for _ in range(2))
        first = make_controller(setup, self.world, kept.prepared, self.method, setup.settings.assist_cap)
        self.trackers = [first]
        self.tracker: ControlledCharacter | None = first
        self.active: Controller = first.controller
        self.tries: list[GetUpTry] = []
        self.begins = 0  # tick at which the reference of the active controller begins
        self.ends = last_tick(len(kept.prepared.reference) - 1)
        self.rest: RestDetector | None = None
        self.stays_down: int | None = None

    def run(self, most: int) -> GetUpRun:
        """Simulate until the motion ends, or until the character stays down."""
        start = replace(self.trackers[0].start, controller=self)
        trace = self.simulation.run([start], most, self._on_tick, self.flights)[0]
        simulated_s = self.rollouts.steps_rolled_out * self.rollouts.timestep
        return GetUpRun(trace, tuple(self.tries), self.stays_down, tuple(self.trackers), simulated_s)

    def _on_tick(self, tick: int) -> bool:
        preview = None
        if tick % PREVIEW_TICKS == 0:
            scenario = self.setup.scenario
            preview = preview_of(self.simulation.data, [self.world], [scenario], tick * CONTROL_DT)
        self.budget.report(tick / max(self.ends, 1), preview)
        return tick < self.ends or self._falls(tick) or self.last_tick(tick) != tick

    def _falls(self, tick: int) -> bool:
        """Return whether a body is about to fall at the end of its motion, or lies there and will get up."""
        if self.tracker is None or self.stays_down is not None:
            return False
        controller = self.tracker.controller
        return controller.fallen or tick - self.begins - controller.upright_at / CONTROL_DT > 1.5

    def command(self, state: State) -> Command:
        """Return the command of the active controller; where a fallen body rests, begin to get up."""
        tick = round(state.time / CONTROL_DT)
        command = self.active.command(self._own(state))
        if self.tracker is None or not self.tracker.controller.fallen:
            return command
        if self.rest is None:
            self.rest = RestDetector(state.time)
        if self.stays_down is None and self.rest.rests(state):
            fell = self.begins + round(self.tracker.controller.upright_at / CONTROL_DT)
            if len(self.tries) >= MOST_TRIES or self.budget.ended:
                self.stays_down, self.ends = fell, self.last_tick(tick + 1)
            else:
                self._begin(tick, fell, state)
                return self.active.command(self._own(state))
        return command

    def _own(self, state: State) -> State:
        """Return the state with the time since the active reference began."""
        return replace(state, time=state.time - self.begins * CONTROL_DT)

    def _begin(self, tick: int, fell: int, state: State) -> None:
        """Plan from the present state on; repeat what stands in a rehearsal, or else what came furthest."""
        best: tuple[GetUpTry, Rehearsed] | None = None
        for variant in VARIANTS:
            found = self._rehearsed(tick, fell, state, variant)
            if best is None or len(found[1].commands) > len(best[1].commands) or found[1].stands:
                best = found
            if found[1].stands or self.budget.ended:
                break
        assert best is not None
        made, rehearsed = best
        self.tries.append(made)
        self.tracker, self.rest = None, None
        self.begins, self.ends = tick, self.last_tick(made.end)
        reactions = self.trackers[0].tracker.reactions
        self.active = Repeated(
            rehearsed.commands,
            take_over=self._take_over,
            observe=lambda own: reactions.observe(own.time + tick * CONTROL_DT, own.impacts),
        )

    def _rehearsed(
        self, tick: int, fell: int, state: State, variant: Variant
    ) -> tuple[GetUpTry, Rehearsed]:
        """Return a try of getting up from the present state on, and what came of its rehearsal."""
        left_at = self._left_at(fell)
        guide = self.guide.stretched(variant.stretch)
        plan = plan_get_up(self.world, state.qpos, self.kept.prepared, left_at, guide)
        prepared = self._prepared(plan)
        made = GetUpTry(fell, tick, plan, prepared, lying(self.setup.scenario, prepared.reference.qpos))
        problem = SearchProblem(self.world, prepared, self.rollouts, tick * self.rollouts.steps_per_tick)
        settings = SearchSettings(seed=self.setup.settings.seed, horizon_s=variant.horizon_s)
        rehearsed = rehearse(
            WindowSearch(problem, self.setup.scenario.leg_length, settings),
            self.rehearsal_world,
            self.simulation.data,
            tick,
            self.last_tick(made.end),
            self.flights,
            lambda own_tick, data: self._carries_on(made, own_tick, data),
            self._on_rehearsed_tick,
        )
        return made, rehearsed

    def _on_rehearsed_tick(self, tick: int) -> bool:
        """Report a rehearsal like the simulation itself; it ends with the time that searches may take."""
        self.budget.report(tick / max(self.ends, 1))
        return not self.budget.ended

    def _left_at(self, fell: int) -> int:
        """Return the sample of the motion at which the body fell, from where on it may go on."""
        if not self.tries:
            return min(fell, len(self.kept.prepared.reference) - 1)
        last = self.tries[-1]
        sample = last.plan.clip_sample[min(max(fell - last.rests, 0), len(last.plan.clip_sample) - 1)]
        return int(sample) if sample >= 0.0 else int(last.plan.clip_sample[last.plan.stands])

    def _prepared(self, plan: GetUpPlan) -> Prepared:
        """Return the plan as forces can produce it."""
        leg_length = self.setup.scenario.leg_length
        on_ground = put_on_ground(self.world, plan.qpos, CONTROL_DT, leg_length, self.method.point_speed)
        return make_feasible(self.world, on_ground, CONTROL_DT, leg_length, self.method.filter)

    def _take_over(self, own_tick: int) -> Controller:
        """Return a tracker where the rehearsal ended: because it can carry on, or because it must."""
        made = self.tries[-1]
        self.tracker = self._tracker(made, on_trial=False)
        self.tracker.controller.upright_at = own_tick * CONTROL_DT  # whatever it was before
        self.trackers.append(self.tracker)
        return self.tracker.controller

    def _tracker(self, made: GetUpTry, on_trial: bool) -> ControlledCharacter:
        world, cap = self.trial_world if on_trial else self.world, self.setup.settings.assist_cap
        return make_controller(self.setup, world, made.prepared, self.method, cap, made.should_lie)

    def _carries_on(self, made: GetUpTry, own_tick: int, data: mujoco.MjData) -> bool:
        """Return whether the plan stands, and a tracker can carry it from an engine's state to its end."""
        if own_tick < made.plan.stands or own_tick % round(TAKE_OVER_S / CONTROL_DT) != 0:
            return False
        tried = self._tracker(made, on_trial=True)
        shifted = _Since(tried.controller, made.rests * CONTROL_DT)
        simulation, first = Simulation([self.trial_world], CONTROL_DT, [1]), made.rests + own_tick
        trace = simulation.run(
            [replace(tried.start, controller=shifted)],
            made.end,
            lambda _: not tried.controller.fallen,
            self.flights,
            first_tick=first,
            data=data,
            records_inputs=False,
        )[0]
        if tried.controller.fallen:
            return False
        planned = made.prepared.reference.qpos[own_tick:]
        return mean_joint_error_deg(self.setup, planned, trace) <= TAKE_OVER_DEG


class _Since:
    """A controller whose time begins later than the simulation's [s]."""

    def __init__(self, controller: Controller, begins_s: float) -> None:
        self.controller, self.begins_s = controller, begins_s

    def command(self, state: State) -> Command:
        """Return the controller's command at its own time."""
        return self.controller.command(replace(state, time=state.time - self.begins_s))
