"""Carrying out a take: prepare it, simulate it, and try another way when the character falls."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from .aiming.aiming import Aiming, make_aiming
from .aiming.correction import Correction
from .aiming.landing import Landing
from .attempts import USUAL, Attempt, attempts_for
from .character.posing import pose_from_motion, segment_poses
from .character.take import Take
from .control.hit_reaction import Hit, HitSettings
from .control.limp import UntilFall
from .control.protocol import State
from .control.tracking.make import make_tracker
from .conventions import FloatArray
from .diagnosis import Failure, fell_at, find_causes, least_assist
from .errors import SimulationError
from .metrics import LOST_DEG, joint_error_deg
from .motion import Motion
from .progress import Progress, Report
from .reference.filter import FilterSettings
from .reference.prepare import Prepared, Standing, make_possible, put_on_ground
from .reference.smoothing import low_pass
from .settings import BakeSettings
from .simulation.flights import plan_flights
from .simulation.overlaps import refuse_overlaps
from .simulation.simulator import Simulator
from .simulation.trace import Trace
from .simulation.world import World, build_world, clear_of_ground

CONTROL_DT = 0.01
"""The controller's interval [s]; samples of the result file lie this far apart."""
TIMESTEP = {"draft": 0.002, "standard": 0.001, "best": 0.001}
"""Of the engine by quality [s]."""
HOLD = {"draft": 2, "standard": 1, "best": 1}
"""Control intervals for which a command is kept: drafts are controlled fifty times a second."""
ROUNDS = {"draft": 2, "standard": 6, "best": 6}
"""How often a motion with aims is simulated at most, each time corrected by what was missed."""
SIMULATED_FROM = 0.2
"""Share of the progress bar before the simulation starts."""


class Stages:
    """Wall time by phase; a phase that comes again adds up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        started = clock.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + clock.perf_counter() - started


@dataclass(frozen=True, eq=False)
class Run:
    """A reference and what the simulation made of it; failure: why it fell, if it did.

    way: the name of the attempt that was kept; tried: of all that were made
    hits: what hit the character, until it fell
    landings: how its own strikes came out; rounds: how often it was simulated for them
    """

    prepared: Prepared
    trace: Trace
    hits: tuple[Hit, ...]
    failure: Failure | None
    way: str
    tried: tuple[str, ...]
    landings: tuple[Landing, ...] = ()
    rounds: int = 1


@dataclass(frozen=True, eq=False)
class _Try:
    """What one attempt came to; fell: when [s], or None.

    landings: of its strikes; off_target: how bad the worst of them is, zero without any; rounds: made so far
    """

    attempt: Attempt
    prepared: Prepared
    trace: Trace
    hits: tuple[Hit, ...]
    fell: float | None
    error_deg: float
    landings: tuple[Landing, ...] = ()
    off_target: float = 0.0
    rounds: int = 1

    @property
    def succeeded(self) -> bool:
        return self.fell is None and self.error_deg < LOST_DEG

    @property
    def rank(self) -> tuple[bool, float, float]:
        """Smaller is better: standing before fallen, then later falls, or strikes that hit, small errors."""
        if self.fell is not None:
            return True, -self.fell, self.off_target
        return False, self.off_target, self.error_deg


class Director:
    """Carries out one take under one set of settings."""

    def __init__(self, take: Take, settings: BakeSettings, report: Report, stages: Stages) -> None:
        self.take, self.settings, self.report, self.stages = take, settings, report, stages
        self.world = make_world(take, settings.quality)
        self._prepared: dict[tuple[float, float, FilterSettings], Prepared] = {}
        self.aiming = self._make_aiming() if take.aims else None

    def carry_out(self) -> Run:
        """The best of the attempts that the quality allows; only the best quality goes on after a success."""
        tries: list[_Try] = []
        for attempt in attempts_for(self.settings.quality, self.settings.correction):
            tries.append(self._try(attempt))
            if tries[-1].succeeded and self.settings.quality != "best":
                break
        best = min(tries, key=lambda t: t.rank)
        with self.stages.timed("diagnosis"):
            failure = None if best.fell is None else self._explain(best, best.fell)
        tried = tuple(t.attempt.name for t in tries)
        return Run(
            best.prepared,
            best.trace,
            best.hits,
            failure,
            best.attempt.name,
            tried,
            best.landings,
            best.rounds,
        )

    def _make_aiming(self) -> Aiming:
        source = on_control_grid(self.take.motion)
        return make_aiming(self.take, self.world, source, self._motion(USUAL), CONTROL_DT)

    def _try(self, attempt: Attempt) -> _Try:
        """With aims, the best of several rounds, each corrected by what the one before missed."""
        aiming = self.aiming
        if aiming is None:
            return self._carry(attempt, self._prepare(attempt))
        correction = aiming.first(lambda c: self._stand(attempt, c).grounded.qpos)
        tries: list[_Try] = []
        for number in range(1, ROUNDS[self.settings.quality] + 1):
            prepared = self._possible(attempt, self._stand(attempt, correction))
            tried = self._carry(attempt, prepared)
            contacts = aiming.contacts(tried.trace.qpos)
            tried = replace(
                tried,
                landings=aiming.landings(contacts, correction),
                off_target=aiming.badness(contacts),
                rounds=number,
            )
            tries.append(tried)
            if tried.fell is not None or tried.off_target < 1.0:
                break
            correction = correction.after(aiming.strikes, contacts)
        return replace(min(tries, key=lambda t: t.rank), rounds=len(tries))

    def _carry(self, attempt: Attempt, prepared: Prepared) -> _Try:
        with self.stages.timed("simulation"):
            trace, hits = self._simulate(self.world, prepared, attempt, self.settings.assist_cap)
        fell = fell_at(self.take, prepared.reference, trace)
        error_deg = self._error_deg(prepared, trace)
        return _Try(attempt, prepared, trace, hits, fell, error_deg)

    def _error_deg(self, prepared: Prepared, trace: Trace) -> float:
        """Mean angle between simulated and planned joint rotations [deg]."""
        spec = self.take.spec
        new = segment_poses(spec, trace.qpos)[1]
        planned = segment_poses(spec, prepared.reference.qpos[: len(trace.qpos)])[1]
        return float(joint_error_deg(new, planned, spec.parents).mean())

    def _prepare(self, attempt: Attempt) -> Prepared:
        if attempt.preparation not in self._prepared:
            self._prepared[attempt.preparation] = self._possible(attempt, self._stand(attempt))
        return self._prepared[attempt.preparation]

    def _motion(self, attempt: Attempt) -> Motion:
        return on_control_grid(low_pass(self.take.sound, attempt.cutoff_hz))

    def _stand(self, attempt: Attempt, correction: Correction | None = None) -> Standing:
        """The motion on its ground; with a correction, faster or slower at its strikes, and aimed."""
        self.report(Progress("Preparing the motion", 0.05))
        aiming, leg = self.aiming, self.take.leg_length
        with self.stages.timed("reference"):
            sound = self._motion(attempt)
            if aiming is not None and correction is not None:
                sound = aiming.warped(sound, correction)
            qpos = pose_from_motion(self.take.spec, self.take.binding, sound)
            standing = put_on_ground(self.world, qpos, CONTROL_DT, leg, attempt.point_speed)
            if aiming is not None and correction is not None:
                standing = standing.moved(aiming.moved(standing.grounded.qpos, correction))
        return standing

    def _possible(self, attempt: Attempt, standing: Standing) -> Prepared:
        with self.stages.timed("reference"):
            return make_possible(self.world, standing, CONTROL_DT, self.take.leg_length, attempt.filter)

    def _simulate(
        self,
        world: World,
        prepared: Prepared,
        attempt: Attempt,
        assist_cap: float,
        stage: str = "Simulating",
        to_the_end: bool = True,
    ) -> tuple[Trace, tuple[Hit, ...]]:
        """to_the_end: go on, limp, when the character has fallen."""
        reference, settings = prepared.reference, self.settings
        tracker = make_tracker(
            world,
            prepared,
            self.take.leg_length,
            assist_cap,
            settings.balance,
            attempt.tuning,
            attempt.balance,
            settings.solver,
            settings.balance_weight,
            HitSettings(settings.softness, settings.recovery_s),
        )
        controller = UntilFall(tracker, world, reference, self.take.leg_length)
        ticks = len(reference) - 1

        def on_tick(tick: int, _: State) -> bool:
            self.report(Progress(stage, SIMULATED_FROM + (0.97 - SIMULATED_FROM) * tick / ticks))
            return to_the_end or not controller.fallen

        qvel = reference.qvel[0] + start_noise(settings, reference.qvel.shape[1])
        qpos = clear_of_ground(world, reference.qpos[0])
        refuse_overlaps(world, qpos)
        simulator = Simulator(world, CONTROL_DT, HOLD[settings.quality])
        flights = plan_flights(world, reference, self.take.binding.parts)
        trace = simulator.run(controller, qpos, qvel, ticks, on_tick, flights)
        return trace, tracker.reactions.hits

    def _explain(self, fallen: _Try, fell: float) -> Failure:
        causes = find_causes(self.world, fallen.prepared, fallen.trace, fell)
        if not self.settings.find_assist:
            return Failure(fell, causes, None, ())
        draft = make_world(self.take, "draft")
        stage = "Looking for the least help that carries it"

        def stays_up(cap: float) -> bool:
            try:
                way = fallen.attempt
                trace, _ = self._simulate(draft, fallen.prepared, way, cap, stage, to_the_end=False)
            except SimulationError:
                return False
            whole = len(trace.time) == len(fallen.prepared.reference)
            return whole and fell_at(self.take, fallen.prepared.reference, trace) is None

        return Failure(fell, causes, *least_assist(stays_up, self.settings.assist_cap))


def make_world(take: Take, quality: str) -> World:
    start_s = float(take.motion.time[0])
    return build_world(take.spec, take.ground_height, TIMESTEP[quality], take.scene, start_s)


def on_control_grid(motion: Motion) -> Motion:
    """The motion at the control rate, from its first sample on."""
    samples = int(motion.duration / CONTROL_DT + 1e-6) + 1
    return motion.at(motion.time[0] + np.arange(max(samples, 2)) * CONTROL_DT)


def start_noise(settings: BakeSettings, dofs: int) -> FloatArray:
    """Random starting velocities [m/s, rad/s]."""
    return settings.noise * np.random.default_rng(settings.seed).standard_normal(dofs)
