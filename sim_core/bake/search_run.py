"""Simulations of all characters in which the controls of those that fall are searched.

The run that is searched is the run that is kept: found controls are played in the simulation itself, and the
next ones are searched from the state that it has come to. So whatever acts there is there to the last digit,
although the trials in between only estimate what other characters will do. Now and then the tracker tries on
a copy of the engine whether it can take over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..motion.motion import CONTROL_DT
from ..reference.prepare import Prepared
from ..result.records import SearchRecord
from ..search.features import measure_features
from ..search.problem import SearchProblem
from ..search.residuals import Residuals, ResidualScales
from ..search.rollouts import EngineRollouts, spring_controls
from ..search.search import SearchSettings, WindowSearch
from ..search.searched_control import SearchedControl
from ..simulation.preview import PREVIEW_TICKS, preview_of
from ..simulation.protocol import Controller, State
from ..simulation.simulation import CharacterStart, Simulation
from ..simulation.trace import Trace
from ..world.world import World, with_timestep
from .attempt import Attempt, Outcome, judge, mean_joint_error_deg
from .make_controller import ControlledCharacter, make_controller
from .search_budget import SearchBudget
from .setup import CharacterSetup
from .simulate import flights_of

TIMESTEP = 0.0025
"""Time step of searched simulations [s]: a plan holds only at the step that it was found at."""
NEAR_COST = 0.5
"""Cost of a single state below which the tracker was still near its reference."""
LEAD_S = 0.2
"""How long before that the search starts [s]."""
TAKE_OVER_S = 0.5
"""Time between two tries of the tracker to take over [s]."""
TAKE_OVER_DEG = 2.5
"""Joint error of the tracker up to which it may take over [deg]."""
FELL = "the body fell"
"""Why a search ends at a fall."""


@dataclass(frozen=True, eq=False)
class SearchedCharacter:
    """A character of a searched simulation.

    setup: at the time step of searched simulations; kept: the outcome of its attempts
    prepared: the reference that is followed; may_search: whether controls may be searched for it
    """

    setup: CharacterSetup
    kept: Outcome
    prepared: Prepared
    may_search: bool

    def controlled(self, world: World) -> ControlledCharacter:
        """Return a new tracker; nothing helps a character from outside whose controls may be searched."""
        assist_cap = 0.0 if self.may_search else self.setup.settings.assist_cap
        return make_controller(self.setup, world, self.prepared, self.kept.attempt.method, assist_cap)

    def judged(self, trace: Trace, trackers: Sequence[ControlledCharacter]) -> Outcome:
        """Judge a run in which several trackers took turns."""
        hits = tuple(hit for own in trackers for hit in own.tracker.reactions.hits)
        attempt = Attempt(self.kept.attempt.method, self.kept.attempt.correction)
        outcome = judge(self.setup, attempt, self.prepared, trace, hits)
        fallbacks = sum(own.tracker.fallbacks for own in trackers)
        return replace(outcome.after_rounds(self.kept, self.kept.rounds), fallbacks=fallbacks)

    def costs(self, trace: Trace) -> FloatArray:
        """Return how far each sample of a trace is from the reference (T), as the search sees it."""
        scenario, planned = self.setup.scenario, self.prepared.reference
        samples = len(trace.qpos)
        actual = measure_features(scenario.spec, trace.qpos, trace.qvel)
        wanted = measure_features(scenario.spec, planned.qpos[:samples], planned.qvel[:samples])
        residuals = Residuals(scenario.spec, scenario.leg_length, ResidualScales())
        return np.asarray((residuals(actual, wanted) ** 2).sum(axis=1))

    def search_tick(self, trace: Trace, outcome: Outcome) -> int | None:
        """Return the control tick from which on a tracked run should be searched; None if it is good.

        After a fall that is shortly before the last moment at which it was near its reference, otherwise
        before the first at which it was not.
        """
        near = self.costs(trace) < NEAR_COST
        if outcome.fell_s is not None:
            last = int(np.flatnonzero(near)[-1]) if near.any() else 0
        elif (outcome.satisfies and self.setup.settings.quality != "best") or near.all():
            return None
        else:
            last = int(np.flatnonzero(~near)[0])
        return max(last - round(LEAD_S / CONTROL_DT), 0)


class SearchRuns:
    """The tracked simulation, and the searched ones that follow from it."""

    def __init__(self, characters: Sequence[SearchedCharacter], budget: SearchBudget) -> None:
        self.characters, self.budget = tuple(characters), budget
        self.setups = [own.setup for own in characters]
        self.worlds = [own.setup.world for own in characters]
        references = [own.kept.prepared.reference for own in characters]
        self.flights = flights_of(self.setups, self.worlds, references)
        self.ticks = len(references[0]) - 1
        self.trial_worlds = with_timestep(self.worlds, TIMESTEP)

    def run(self) -> tuple[Outcome, ...]:
        """Track; search those that fall; and search again with those that fall only then."""
        outcomes = self.tracked()
        first_ticks = self._search_ticks(outcomes, {})
        while first_ticks:
            outcomes = self.searched(first_ticks, [own.trace for own in outcomes])
            fallen = self._search_ticks(outcomes, first_ticks)
            if len(fallen) == len(first_ticks) or self.budget.ended:
                break
            first_ticks = fallen
        return outcomes

    def _search_ticks(self, outcomes: Sequence[Outcome], known: Mapping[int, int]) -> dict[int, int]:
        """Return from when on each character is searched: those that are known, and new ones."""
        ticks = dict(known)
        for index, (own, outcome) in enumerate(zip(self.characters, outcomes, strict=True)):
            tick = own.search_tick(outcome.trace, outcome) if own.may_search else None
            if tick is not None:
                ticks.setdefault(index, tick)
        return ticks

    def tracked(self) -> tuple[Outcome, ...]:
        """Simulate all trackers, until the end or until all have fallen."""
        controlled = [own.controlled(own.setup.world) for own in self.characters]

        def on_tick(_: int) -> bool:
            self.budget.report()
            return not all(own.controller.fallen for own in controlled)

        simulation = Simulation(self.worlds, CONTROL_DT, [1] * len(self.worlds))
        traces = simulation.run([own.start for own in controlled], self.ticks, on_tick, self.flights)
        return tuple(
            character.judged(trace, [tracker])
            for character, trace, tracker in zip(self.characters, traces, controlled, strict=True)
        )

    def searched(self, first_ticks: Mapping[int, int], before: Sequence[Trace]) -> tuple[Outcome, ...]:
        """Simulate with searched controls; before: an earlier run, which tells what trackers will do."""
        threads = os.cpu_count() or 1
        rollouts = EngineRollouts(self.worlds, self.flights, self.ticks, CONTROL_DT, threads)
        try:
            return _SearchedRun(self, first_ticks, before, rollouts).outcomes()
        finally:
            rollouts.close()

    def carries_on(self, index: int, tick: int, data: mujoco.MjData) -> bool:
        """Return whether a character's tracker can take over from the engine's state at a control tick."""
        controlled = [
            own.controlled(world) for own, world in zip(self.characters, self.trial_worlds, strict=True)
        ]
        tried = controlled[index].controller

        def on_tick(_: int) -> bool:
            self.budget.report()
            return not tried.fallen and not self.budget.ended

        simulation = Simulation(self.trial_worlds, CONTROL_DT, [1] * len(self.worlds))
        starts = [own.start for own in controlled]
        traces = simulation.run(
            starts, self.ticks, on_tick, self.flights, first_tick=tick, data=data, records_inputs=False
        )
        trace = traces[index]
        if len(trace.time) <= self.ticks - tick or tried.fallen:
            return False
        planned = self.characters[index].prepared.reference.qpos[tick:]
        return mean_joint_error_deg(self.setups[index], planned, trace) <= TAKE_OVER_DEG


class _SearchedRun:
    """One simulation in which the controls of some characters are searched."""

    def __init__(
        self,
        runs: SearchRuns,
        first_ticks: Mapping[int, int],
        before: Sequence[Trace],
        rollouts: EngineRollouts,
    ) -> None:
        self.runs, self.rollouts, self.budget = runs, rollouts, runs.budget
        self.simulation = Simulation(runs.worlds, CONTROL_DT, [1] * len(runs.worlds))
        self.trackers = [[own.controlled(own.setup.world)] for own in runs.characters]
        self.controls: dict[int, SearchedControl] = {}
        self.gave_up: dict[int, str] = {}
        self.first_tick = min(first_ticks.values())
        for index, trace in enumerate(before):
            self._expect(index, trace)
            if index in first_ticks:
                self.controls[index] = self._control(index, first_ticks[index])

    def _expect(self, index: int, trace: Trace) -> None:
        """Let trials expect that a character does as it did before."""
        own, per_tick = self.runs.worlds[index], self.rollouts.steps_per_tick
        expected = spring_controls(own, trace.qpos, trace.qvel, trace.torque, per_tick)
        self.rollouts.expected[: len(expected), own.engine.index.actuator] = expected

    def _control(self, index: int, first_tick: int) -> SearchedControl:
        """Return the controller of a searched character; trials expect its reference until it is planned."""
        character, tracker = self.runs.characters[index], self.trackers[index][0]
        setup = character.setup
        problem = SearchProblem(setup.world, character.prepared, self.rollouts)
        first_step = first_tick * self.rollouts.steps_per_tick
        problem.expect(first_step, problem.base[first_step:])
        settings = SearchSettings(seed=setup.settings.seed)
        search = WindowSearch(problem, setup.scenario.leg_length, settings)

        def observe(state: State) -> None:
            tracker.tracker.reactions.observe(state.time, state.impacts)
            tracker.controller.observe(state)

        return SearchedControl(
            tracker.controller,
            search,
            first_tick,
            engine_state=lambda: self.rollouts.state_of(self.simulation.data),
            take_over=lambda tick: self._take_over(index, tick),
            observe=observe,
        )

    def _take_over(self, index: int, tick: int) -> Controller | None:
        """Return a new tracker where the search ends: because it can carry on, or because it must."""
        control = self.controls[index]
        # A run that falls is judged as fallen, whatever comes after it.
        fell = FELL if self.trackers[index][0].controller.fallen else ""
        reason = fell or control.search.gave_up or self.budget.ended
        searched = tick - control.first_tick
        tries = searched > 0 and searched % round(TAKE_OVER_S / CONTROL_DT) == 0
        if not reason and not (tries and self.runs.carries_on(index, tick, self.simulation.data)):
            return None
        self.gave_up[index] = reason
        self.trackers[index].append(self.runs.characters[index].controlled(self.runs.worlds[index]))
        return self.trackers[index][-1].controller

    def outcomes(self) -> tuple[Outcome, ...]:
        """Simulate to the end, and judge."""
        starts = [
            CharacterStart(self.controls.get(index, own.controller), own.start.qpos, own.start.qvel)
            for index, (own, *_) in enumerate(self.trackers)
        ]
        traces = self.simulation.run(starts, self.runs.ticks, self._on_tick, self.runs.flights)
        judged = [
            character.judged(trace, trackers)
            for character, trace, trackers in zip(self.runs.characters, traces, self.trackers, strict=True)
        ]
        return tuple(replace(own, search=self._record(index)) for index, own in enumerate(judged))

    def _on_tick(self, tick: int) -> bool:
        preview = None
        if tick % PREVIEW_TICKS == 0:
            scenarios = [own.scenario for own in self.runs.setups]
            preview = preview_of(self.simulation.data, self.runs.worlds, scenarios, tick * CONTROL_DT)
        share = (tick - self.first_tick) / max(self.runs.ticks - self.first_tick, 1)
        self.budget.report(share, preview)
        return True

    def _record(self, index: int) -> SearchRecord | None:
        """Return from when to when a character was searched, and what the whole search cost."""
        control = self.controls.get(index)
        if control is None:
            return None
        simulated_s = self.rollouts.steps_rolled_out * self.rollouts.timestep
        start_s, end_s = control.first_tick * CONTROL_DT, control.end_tick * CONTROL_DT
        return SearchRecord(start_s, end_s, simulated_s, self.budget.elapsed_s, self.gave_up.get(index, ""))
