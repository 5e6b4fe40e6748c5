"""The search after a fall: controls are found from shortly before it, until the tracker can carry on.

The tracker runs at the search's own time step up to the last moment at which it was still near its
reference. From there on controls are searched. Now and then the tracker tries to take over; if it reaches
the end, the search ends there. The whole is simulated once more, as one run, and judged like any other.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from ..motion.motion import CONTROL_DT
from ..reference.prepare import Prepared
from ..result.records import SearchRecord
from ..search.features import measure_features
from ..search.problem import SearchProblem
from ..search.program import OpenLoop, Part, Program
from ..search.residuals import Residuals, ResidualScales
from ..search.search import Found, SearchSettings, WindowSearch
from ..simulation.simulation import CharacterStart, Simulation
from ..simulation.trace import Trace
from ..world.world import with_timestep
from .attempt import Attempt, Outcome, judge, mean_joint_error_deg
from .make_controller import ControlledCharacter, make_controller
from .make_reference import make_reference
from .methods import Method, methods_for
from .monitor import Monitor
from .setup import CharacterSetup

TIMESTEP = 0.002
"""Time step of searched simulations [s]: a plan holds only at the step that it was found at."""
NEAR_COST = 0.5
"""Cost of a single state below which the tracker was still near its reference."""
LEAD_S = 0.2
"""How long before that the search starts [s]."""
TAKE_OVER_S = 0.5
"""Time between two tries of the tracker to take over [s]."""
TAKE_OVER_DEG = 2.5
"""Joint error of the tracker up to which it may take over [deg]."""
MUCH_UNEXPLAINED = 0.1
"""Unexplained share of the weight from which another reference than the usual one may be searched for."""


@dataclass(frozen=True, eq=False)
class Searched:
    """A searched run: the setup at its time step, and its outcome."""

    setup: CharacterSetup
    outcome: Outcome


def can_search(setup: CharacterSetup) -> bool:
    """Return whether the search knows everything that acts on the character."""
    scene, settings = setup.world.scene, setup.settings
    still = not any(o.role.is_free or o.keys is not None or o.hinge is not None for o in scene.objects)
    alone = not setup.world.engine.others
    whole = not setup.kinematic_segments and not settings.only_around_hits and setup.aiming is None
    return settings.search and settings.quality != "draft" and still and alone and whole and not scene.pushes


def search_after_fall(setup: CharacterSetup, method: Method, monitor: Monitor) -> Searched:
    """Return the run of a character with searched controls where its tracker falls."""
    world = with_timestep((setup.world,), TIMESTEP)[0]
    own = replace(setup, world=world)
    prepared = _best_reference(setup)
    problem = SearchProblem(world, prepared, threads=os.cpu_count() or 1)
    try:
        return _Stage(own, prepared, method, problem, monitor).run()
    finally:
        problem.close()


def _best_reference(setup: CharacterSetup) -> Prepared:
    """Return the usual reference, or the best explained one where forces do not explain the usual one."""
    usual = make_reference(setup, Attempt(usual_method(setup)))
    if _residual(usual) < MUCH_UNEXPLAINED:
        return usual
    return min(setup.references.values(), key=_residual)


def _residual(prepared: Prepared) -> float:
    """Return the share of the weight that no force explains."""
    return np.inf if prepared.change is None else prepared.change.residual_after_share


def usual_method(setup: CharacterSetup) -> Method:
    """Return the first method of a character."""
    settings = setup.settings
    return methods_for(settings.quality, settings.correction, setup.dials)[0]


class _Stage:
    """One search of one character."""

    def __init__(
        self,
        setup: CharacterSetup,
        prepared: Prepared,
        method: Method,
        problem: SearchProblem,
        monitor: Monitor,
    ) -> None:
        self.setup, self.prepared, self.method = setup, prepared, method
        self.problem, self.monitor = problem, monitor
        self.ticks = len(prepared.reference) - 1
        settings = SearchSettings(seed=setup.settings.seed)
        self.search = WindowSearch(problem, setup.scenario.leg_length, settings)
        self.takes_over_from: int | None = None

    def run(self) -> Searched:
        """Track, search, hand back, and simulate the whole."""
        first = self._controlled()
        tracked = self._simulate(first.start)
        if not first.controller.fallen:
            return Searched(self.setup, self._judged(tracked, [first]))
        tick = self._last_near(tracked)
        found = self.search.run(tick, tracked.qpos[tick], tracked.qvel[tick], self._on_commit)
        return Searched(self.setup, self._whole(found))

    def _whole(self, found: Found) -> Outcome:
        """Simulate the tracker, the found controls and the tracker again as one run, and judge it."""
        end, trackers = self._end(found), [self._controlled()]
        parts = [Part(0, trackers[0].tracker), Part(found.first_tick, self._open_loop(found))]
        if self.takes_over_from is not None:
            trackers.append(self._controlled())
            parts.append(Part(self.takes_over_from, trackers[1].tracker))
        start = replace(trackers[0].start, controller=Program(parts, CONTROL_DT))
        last = self.ticks if self.takes_over_from is not None else end
        outcome = self._judged(self._simulate(start, ticks=last), trackers)
        start_s, end_s = found.first_tick * CONTROL_DT, end * CONTROL_DT
        simulated_s = self.problem.steps_rolled_out * TIMESTEP
        record = SearchRecord(start_s, end_s, simulated_s, found.seconds, found.gave_up)
        fell_s = end_s if found.gave_up and outcome.fell_s is None else outcome.fell_s
        return replace(outcome, search=record, fell_s=fell_s)

    def _judged(self, trace: Trace, trackers: list[ControlledCharacter]) -> Outcome:
        hits = tuple(hit for own in trackers for hit in own.tracker.reactions.hits)
        outcome = judge(self.setup, Attempt(self.method), self.prepared, trace, hits)
        return replace(outcome, fallbacks=sum(own.tracker.fallbacks for own in trackers))

    def _controlled(self) -> ControlledCharacter:
        return make_controller(self.setup, self.setup.world, self.prepared, self.method, 0.0)

    def _simulate(self, start: CharacterStart, first_tick: int = 0, ticks: int | None = None) -> Trace:
        """Simulate until the end, or until a controller that knows falls has fallen."""
        controller = start.controller

        def on_tick(tick: int) -> bool:
            self.monitor.simulated("Simulating", tick / self.ticks, None)
            return not getattr(controller, "fallen", False)

        simulation = Simulation((self.setup.world,), CONTROL_DT, (1,))
        last = self.ticks if ticks is None else ticks
        return simulation.run((start,), last, on_tick, first_tick=first_tick)[0]

    def _last_near(self, trace: Trace) -> int:
        """Return the last control tick at which the tracker was near its reference, less a lead."""
        spec, samples = self.setup.scenario.spec, len(trace.qpos)
        residuals = Residuals(spec, self.setup.scenario.leg_length, ResidualScales())
        actual = measure_features(spec, trace.qpos, trace.qvel)
        cost = (residuals(actual, self.problem.reference[:samples]) ** 2).sum(axis=1)
        near = np.flatnonzero(cost < NEAR_COST)
        last = int(near[-1]) if len(near) else 0
        return max(last - round(LEAD_S / CONTROL_DT), 0)

    def _end(self, found: Found) -> int:
        return found.first_tick + len(found.controls) // self.problem.steps_per_tick

    def _open_loop(self, found: Found) -> OpenLoop:
        shape = (-1, self.problem.steps_per_tick, self.problem.model.nu)
        block = self.search.commit // self.problem.steps_per_tick
        controls: FloatArray = found.controls.reshape(shape)
        springs = (self.problem.stiffness, self.problem.damping)
        return OpenLoop(found.first_tick, controls, block, CONTROL_DT, *springs)

    def _on_commit(self, found: Found) -> bool:
        """Report progress, and see whether the tracker can take over; False if it can."""
        end = self._end(found)
        left = (self.ticks - end) * found.seconds / max(end - found.first_tick, 1)
        stage = f"This clip is hard: searching, at most {left:.0f} s more"
        self.monitor.simulated(stage, end / self.ticks, None)
        if len(found.cost) * self.search.settings.commit_s % TAKE_OVER_S > 1e-6 or end >= self.ticks:
            return True
        tracker = self._controlled().controller
        trace = self._simulate(CharacterStart(tracker, found.qpos, found.qvel), end)
        if tracker.fallen or self._error_deg(trace, end) > TAKE_OVER_DEG:
            return True
        self.takes_over_from = end
        return False

    def _error_deg(self, trace: Trace, first_tick: int) -> float:
        """Return the mean joint error of a trace that starts at a control tick [deg]."""
        return mean_joint_error_deg(self.setup, self.prepared.reference.qpos[first_tick:], trace)
