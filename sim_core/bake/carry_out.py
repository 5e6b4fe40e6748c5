"""Carrying out takes: prepare them, simulate them together, and try another way for who falls."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ..aiming.correction import Correction
from ..aiming.strike_outcome import StrikeOutcome
from ..base.errors import SimulationError
from ..base.progress import Progress, ProgressCallback
from ..control.hit_reaction import Hit
from ..motion.motion import CONTROL_DT
from ..reference.prepare import Prepared
from ..result.metrics import LOST_DEG
from ..scenario.dials import tuning_of
from ..scenario.scenario import Scenario
from ..scenario.settings import BakeSettings
from ..simulation.overlaps import refuse_overlaps
from ..simulation.preview import PREVIEW_TICKS, preview_of
from ..simulation.projectiles import plan_flights
from ..simulation.simulation import Simulation
from ..simulation.trace import Trace
from ..world.world import World, WorldCharacter, build_worlds
from .around_hits import AroundHits
from .attempts import Attempt, attempts_for
from .diagnosis import Failure, fell_at, find_causes, least_assist
from .rehearsal import Cue, Rehearsal

TIMESTEP = {"draft": 0.002, "standard": 0.001, "best": 0.001}
"""Of the engine by quality [s]."""
HOLD = {"draft": 2, "standard": 1, "best": 1}
"""Control intervals for which a command is kept: drafts are controlled fifty times a second."""
ROUNDS = {"draft": 2, "standard": 6, "best": 6}
"""How often motions with strikes are simulated at most, each time corrected by what was missed."""
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
    gains_read, gains_made: sets of gains that were found in the folder, and that were computed
    """

    prepared: Prepared
    trace: Trace
    hits: tuple[Hit, ...]
    failure: Failure | None
    way: str
    tried: tuple[str, ...]
    landings: tuple[StrikeOutcome, ...] = ()
    rounds: int = 1
    gains_read: int = 0
    gains_made: int = 0


@dataclass(frozen=True, eq=False)
class _Try:
    """What one attempt came to for one character; fell: when [s], or None.

    landings: of its strikes; off_target: how bad the worst is, above one too bad
    corrected: what the next round should do about them; rounds: how many there were
    """

    attempt: Attempt
    prepared: Prepared
    trace: Trace
    hits: tuple[Hit, ...]
    fell: float | None
    error_deg: float
    landings: tuple[StrikeOutcome, ...] = ()
    off_target: float = 0.0
    corrected: Correction | None = None
    rounds: int = 1

    @property
    def succeeded(self) -> bool:
        return self.fell is None and self.error_deg < LOST_DEG


_Round = tuple[_Try, ...]
"""A simulation: what came out for each character."""


def _rank(tries: _Round) -> tuple[int, float, float, float]:
    """Smaller is better: fewer fallen, then later falls, then strikes that hit, then smaller errors."""
    fallen = [t.fell for t in tries if t.fell is not None]
    missed = sum(max(t.off_target - 1.0, 0.0) for t in tries)
    return len(fallen), -sum(fallen), missed, sum(t.error_deg for t in tries if t.fell is None)


class Director:
    """Carries out takes, together, each under its settings."""

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        settings: Sequence[BakeSettings],
        report: ProgressCallback,
        stages: Stages,
    ) -> None:
        self.scenarios, self.report, self.stages = tuple(scenarios), report, stages
        self._simulated = 0
        self.worlds = make_worlds(scenarios, [own.quality for own in settings])
        self.cast = [
            Rehearsal(*own, place)
            for place, own in enumerate(zip(scenarios, settings, self.worlds, strict=True))
        ]

    def carry_out(self) -> tuple[Run, ...]:
        """The best of the attempts that the qualities allow, for each character.

        Whoever falls tries its next way, together with those who did not, who keep theirs; only the best
        quality goes on after a success.
        """
        own = [c.settings for c in self.cast]
        ways = [attempts_for(each.quality, each.correction, tuning_of(each)) for each in own]
        chosen, rounds = [0] * len(ways), list[_Round]()
        while True:
            tries = self._try([own[k] for own, k in zip(ways, chosen, strict=True)])
            rounds.append(tries)
            onwards = [
                k + 1 < len(own) and (not done.succeeded or c.settings.quality == "best")
                for own, k, done, c in zip(ways, chosen, tries, self.cast, strict=True)
            ]
            if not any(onwards):
                break
            chosen = [k + goes for k, goes in zip(chosen, onwards, strict=True)]
        best = min(rounds, key=_rank)
        with self.stages.timed("diagnosis"):
            failures = [self._explain(best, place) for place in range(len(best))]
        tried = [tuple(dict.fromkeys(t.attempt.name for t in own)) for own in zip(*rounds, strict=True)]
        return tuple(
            Run(
                kept.prepared,
                c.blended(kept.trace),
                kept.hits,
                failure,
                kept.attempt.name,
                names,
                kept.landings,
                kept.rounds,
                c.gains.read,
                c.gains.made,
            )
            for kept, failure, names, c in zip(best, failures, tried, self.cast, strict=True)
        )

    def plans(self) -> tuple[Prepared | None, ...]:
        """The motions of those that are only made possible for forces."""
        self.report(Progress("Preparing the motion", 0.05))
        with self.stages.timed("reference"):
            return tuple(
                c.prepare(attempts_for("draft", c.settings.correction)[0])
                if c.settings.only_plausible
                else None
                for c in self.cast
            )

    def _try(self, attempts: Sequence[Attempt]) -> _Round:
        """With strikes, the best of several rounds, each corrected by what the one before missed."""
        self.report(Progress("Preparing the motion", 0.05))
        with self.stages.timed("reference"):
            corrections = [c.first_correction(own) for c, own in zip(self.cast, attempts, strict=True)]
        most = max((ROUNDS[c.settings.quality] for c in self.cast if c.aiming is not None), default=1)
        rounds: list[_Round] = []
        while len(rounds) < most:
            rounds.append(self._carry(attempts, corrections))
            if any(t.fell is not None for t in rounds[-1]) or all(t.off_target <= 1.0 for t in rounds[-1]):
                break
            corrections = [t.corrected for t in rounds[-1]]
        best = min(rounds, key=_rank)
        return tuple(_after(first, kept, len(rounds)) for first, kept in zip(rounds[0], best, strict=True))

    def _carry(self, attempts: Sequence[Attempt], corrections: Sequence[Correction | None]) -> _Round:
        self.report(Progress("Preparing the motion", 0.05))
        with self.stages.timed("reference"):
            wanted = zip(self.cast, attempts, corrections, strict=True)
            prepared = [c.prepare(attempt, correction) for c, attempt, correction in wanted]
        with self.stages.timed("simulation"):
            cues = [
                c.cue(c.world, ready, attempt, c.settings.assist_cap)
                for c, ready, attempt in zip(self.cast, prepared, attempts, strict=True)
            ]
            self._simulated += 1
            again = "" if self._simulated == 1 else f", try {self._simulated}"
            traces = self._simulate(self.worlds, cues, f"Simulating{again}")
        tries = tuple(
            _Try(
                attempt,
                ready,
                trace,
                cue.tracker.reactions.hits,
                fell_at(c.scenario, ready.reference, trace),
                c.error_deg(ready, trace),
            )
            for c, attempt, ready, trace, cue in zip(self.cast, attempts, prepared, traces, cues, strict=True)
        )
        return tuple(_judged(*own) for own in zip(self.cast, tries, corrections, strict=True))

    def _simulate(
        self, worlds: Sequence[World], cues: Sequence[Cue], stage: str, until_falls: int | None = None
    ) -> tuple[Trace, ...]:
        """Who has fallen goes on, limp; until_falls: the character whose fall ends it all."""
        reference = cues[0].controller.reference
        ticks = len(reference) - 1

        def on_tick(tick: int) -> bool:
            share = SIMULATED_FROM + (0.97 - SIMULATED_FROM) * tick / ticks
            preview = None
            if until_falls is None and tick % PREVIEW_TICKS == 0:
                preview = preview_of(simulation.data, worlds, self.scenarios, tick * CONTROL_DT)
            self.report(Progress(stage, share, preview))
            return until_falls is None or not cues[until_falls].controller.fallen

        refuse_overlaps(worlds, [cue.start.qpos for cue in cues])
        simulation = Simulation(worlds, CONTROL_DT, [HOLD[c.settings.quality] for c in self.cast])
        flights = [
            flight
            for world, cue, scenario in zip(worlds, cues, self.scenarios, strict=True)
            for flight in plan_flights(world, cue.controller.reference, scenario.binding.parts)
        ]
        for character, c, world, cue in zip(simulation.characters, self.cast, worlds, cues, strict=True):
            character.kinematic_part = c.kinematic_part(world, cue.controller.reference)
        starts = [cue.start for cue in cues]
        if not self.cast[0].settings.only_around_hits:
            return simulation.run(starts, ticks, on_tick, flights)
        lookahead = Simulation(worlds, CONTROL_DT, [1] * len(worlds))
        watches = [c.watch(world, cue) for c, world, cue in zip(self.cast, worlds, cues, strict=True)]
        around = AroundHits(simulation, lookahead, watches, flights, ticks)
        traces = simulation.run(starts, ticks, on_tick, flights, around)
        return tuple(around.mixed(place, trace) for place, trace in enumerate(traces))

    def _explain(self, tries: _Round, place: int) -> Failure | None:
        """Why a character fell, and which help would have kept it up; None if it did not."""
        fallen, rehearsal = tries[place], self.cast[place]
        if fallen.fell is None:
            return None
        causes = find_causes(rehearsal.world, fallen.prepared, fallen.trace, fallen.fell)
        if not rehearsal.settings.find_assist:
            return Failure(fallen.fell, causes, None, ())
        drafts = make_worlds(self.scenarios, ["draft"] * len(self.scenarios))
        stage = "Looking for the least help that carries it"

        def stays_up(cap: float) -> bool:
            caps = [cap if k == place else c.settings.assist_cap for k, c in enumerate(self.cast)]
            try:
                cues = [
                    c.cue(world, own.prepared, own.attempt, most)
                    for c, world, own, most in zip(self.cast, drafts, tries, caps, strict=True)
                ]
                trace = self._simulate(drafts, cues, stage, until_falls=place)[place]
            except SimulationError:
                return False
            whole = len(trace.time) == len(fallen.prepared.reference)
            return whole and fell_at(rehearsal.scenario, fallen.prepared.reference, trace) is None

        return Failure(fallen.fell, causes, *least_assist(stays_up, rehearsal.settings.assist_cap))


def _after(first: _Try, kept: _Try, rounds: int) -> _Try:
    """What is kept of several rounds, knowing how the first one came out."""
    pairs = zip(kept.landings, first.landings, strict=True)
    return replace(kept, rounds=rounds, landings=tuple(landing.after(own) for landing, own in pairs))


def _judged(rehearsal: Rehearsal, tried: _Try, correction: Correction | None) -> _Try:
    """With how its strikes came out."""
    aiming = rehearsal.aiming
    if aiming is None or correction is None:
        return tried
    contacts = aiming.contacts(tried.trace.qpos)
    return replace(
        tried,
        landings=aiming.outcomes(contacts, correction),
        off_target=aiming.relative_miss(contacts),
        corrected=correction.after(aiming.strikes, contacts),
    )


def make_worlds(scenarios: Sequence[Scenario], qualities: Sequence[str]) -> tuple[World, ...]:
    """The scene is the first take's; the finest quality counts for all."""
    members = [
        WorldCharacter(scenario.spec, scenario.ground_height, scenario.name, scenario.excluded_pairs)
        for scenario in scenarios
    ]
    start_s = float(scenarios[0].motion.time[0])
    return build_worlds(members, min(TIMESTEP[own] for own in qualities), scenarios[0].scene, start_s)
