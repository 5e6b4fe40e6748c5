"""The whole bake, from jobs to results: the one pipeline that every entry point calls.

1. Set up the characters       setup.set_up
2. Make the reference          make_reference.make_reference
3. Make the controller         make_controller.make_controller
4. Simulate                    simulate.simulate
5. Judge                       attempt.judge
6. Assemble the result         assemble.assemble

Steps 2 to 5 are one attempt. A character that falls gets another one with its next method: a retry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from ..base.errors import SimulationError
from ..base.progress import ProgressCallback, ignore_progress, within
from ..reference.prepare import Prepared
from ..report.report import with_report
from ..result.result import Result
from ..scenario.job import Job
from ..simulation.kinematic import blend_with_clip, end_shares
from ..simulation.trace import Trace
from .assemble import assemble
from .attempt import Attempt, Outcome, judge, rank
from .baked import BakedCharacter
from .bone_shares import with_bone_shares
from .engine_facts import EngineFacts
from .explain import explain_fall
from .get_up_stage import get_up_after_fall, get_up_wanted
from .loop import Loop, loop_of, refusal_of
from .make_controller import make_controller
from .make_reference import first_correction, make_reference
from .methods import Method, methods_for
from .monitor import PREPARED_AT, WRITTEN_FROM, Monitor
from .search_stage import can_search, is_wanted, search_after_fall
from .setup import CharacterSetup, set_up
from .simulate import simulate
from .support_offers import explains_fall, support_offers

ROUNDS = {"draft": 2, "standard": 6, "best": 6}
"""How often motions with strikes are simulated at most, each time corrected by what was missed."""

METHODS_BEFORE_SEARCH = 3
"""How many methods standard quality tries before it searches: on captures, later ones carry little more."""

LOOP_SHARE = 0.7
"""Share of the progress after which a loop is finished, or simulated once where it cannot be one."""


def bake(job: Job, report: ProgressCallback = ignore_progress) -> Result:
    """Simulate the motion of one job."""
    return bake_together((job,), report)[0]


def bake_together(jobs: Sequence[Job], report: ProgressCallback = ignore_progress) -> tuple[Result, ...]:
    """Simulate the motions of several characters together, in the scene of the first job."""
    loop = loop_of(jobs)
    return _bake_once(jobs, report) if loop is None else (_bake_loop(loop, report),)


def _bake_loop(loop: Loop, report: ProgressCallback) -> Result:
    """Simulate a motion that closes several times if it repeats, else or where that fails once."""
    notes, once_from = list[str](), 0.0
    if loop.repeats:
        unrolled, once_from = _bake_once((loop.unrolled(),), within(report, 0.0, LOOP_SHARE))[0], LOOP_SHARE
        cycle = None if unrolled.meta.fell_at is not None else loop.cut_from(unrolled)
        gap = None if cycle is None else cycle.meta.loop
        refusal = refusal_of(unrolled.meta.fell_at, gap, loop.hips_height_m)
        if cycle is not None and not refusal:
            return with_report(with_bone_shares(loop.job, cycle))
        notes.append(refusal)
    once = _bake_once((loop.once(),), within(report, once_from, 1.0))[0]
    closed = loop.brought_back(replace(once, meta=once.meta.with_notes(*notes)))
    return with_report(with_bone_shares(loop.job, closed))


def _bake_once(jobs: Sequence[Job], report: ProgressCallback) -> tuple[Result, ...]:
    monitor = Monitor(report)
    monitor.progress("Building the character", 0.0)
    with monitor.phase("character"):
        setups = set_up(jobs)
    if all(job.settings.simulate and not job.settings.only_plausible for job in jobs):
        baked = _simulated(setups, monitor)
    else:
        baked = _planned(setups, monitor)
    monitor.progress("Writing the result", WRITTEN_FROM)
    engine = EngineFacts(baked[0])
    return tuple(
        with_report(with_bone_shares(job, assemble(own, job.settings, monitor.seconds, engine)))
        for own, job in zip(baked, jobs, strict=True)
    )


def _planned(setups: Sequence[CharacterSetup], monitor: Monitor) -> tuple[BakedCharacter, ...]:
    """Make motions possible for forces where that is asked for; simulate nothing."""
    monitor.progress("Preparing the motion", PREPARED_AT)

    def plan(setup: CharacterSetup) -> Prepared | None:
        if not setup.settings.only_plausible:
            return None
        return make_reference(setup, Attempt(methods_for("draft", setup.settings.correction)[0]))

    with monitor.phase("reference"):
        return tuple(BakedCharacter(own, planned=plan(own)) for own in setups)


def _simulated(setups: Sequence[CharacterSetup], monitor: Monitor) -> tuple[BakedCharacter, ...]:
    """Simulate all characters by the best of their methods, and explain falls."""
    rounds = _retry_until_up(setups, monitor)
    best = min(rounds, key=rank)
    with monitor.phase("supports"):
        offers = [support_offers(*own) for own in zip(setups, best, strict=True)]
    misses_support = [explains_fall(own, kept.fell_s) for own, kept in zip(offers, best, strict=True)]
    if not any(misses_support):  # no controls make up for a chair that is not there
        if not (get_up_wanted(setups, best) and best[0].disturbed):  # a pushed body may fall: it gets up
            setups, best = _search_if_fallen(setups, best, monitor)
        setups, best = _get_up_if_fallen(setups, best, monitor)
    with monitor.phase("diagnosis"):
        failures = [explain_fall(setups, best, own.index, monitor, offers[own.index]) for own in setups]
    tried = [tuple(dict.fromkeys(o.attempt.method.name for o in own)) for own in zip(*rounds, strict=True)]
    outcomes = [
        replace(kept, trace=_blended(setup, kept.trace), failure=failure, methods_tried=names)
        for setup, kept, failure, names in zip(setups, best, failures, tried, strict=True)
    ]
    traces = [(own.world, outcome.trace) for own, outcome in zip(setups, outcomes, strict=True)]
    return tuple(
        BakedCharacter(setup, outcome, others=(*traces[: setup.index], *traces[setup.index + 1 :]))
        for setup, outcome in zip(setups, outcomes, strict=True)
    )


def _search_if_fallen(
    setups: Sequence[CharacterSetup], best: tuple[Outcome, ...], monitor: Monitor
) -> tuple[Sequence[CharacterSetup], tuple[Outcome, ...]]:
    """Search controls where a character falls; the best quality searches always and keeps the better."""
    if not is_wanted(setups, best):
        return setups, best
    with monitor.phase("search"):
        try:
            searched = search_after_fall(setups, best, monitor)
        except SimulationError:  # a search that diverges has found nothing
            return setups, best
    if rank(searched.outcomes) < rank(best):
        return searched.setups, searched.outcomes
    return setups, tuple(own.after_search(other) for own, other in zip(best, searched.outcomes, strict=True))


def _get_up_if_fallen(
    setups: Sequence[CharacterSetup], best: tuple[Outcome, ...], monitor: Monitor
) -> tuple[Sequence[CharacterSetup], tuple[Outcome, ...]]:
    """Let a character that falls get up and go on, where that is asked for."""
    if not get_up_wanted(setups, best):
        return setups, best
    with monitor.phase("get up"):
        try:
            setup, outcome = get_up_after_fall(setups[0], best[0], monitor)
        except SimulationError:  # a run that diverges has not got up
            return setups, best
    return (setup,), (outcome,)


def _retry_until_up(setups: Sequence[CharacterSetup], monitor: Monitor) -> list[tuple[Outcome, ...]]:
    """Return the outcomes of all rounds, one round for each combination of methods that was tried.

    A character that falls tries its next method, together with the others, who keep theirs. Only the best
    quality goes on after a success.
    """
    methods = [_methods(own) for own in setups]
    chosen, rounds = [0] * len(setups), list[tuple[Outcome, ...]]()
    while True:
        trying = [own[k] for own, k in zip(methods, chosen, strict=True)]
        rounds.append(_with_strikes(setups, trying, monitor, _beaten_at(setups, rounds)))
        retries = [
            k + 1 < len(own) and (not outcome.satisfies or setup.settings.quality == "best")
            for own, k, outcome, setup in zip(methods, chosen, rounds[-1], setups, strict=True)
        ]
        if not any(retries):
            return rounds
        chosen = [k + again for k, again in zip(chosen, retries, strict=True)]


def _beaten_at(setups: Sequence[CharacterSetup], rounds: Sequence[tuple[Outcome, ...]]) -> float | None:
    """Return until when another attempt must stay up to be the best so far [s].

    None where that is not yet known, or where more than the time of a fall decides.
    """
    first, several = setups[0], len(setups) > 1
    if not rounds or several or first.aiming is not None or first.settings.only_around_hits:
        return None
    return max(inf if own.fell_s is None else own.fell_s for (own,) in rounds)


def _methods(setup: CharacterSetup) -> tuple[Method, ...]:
    """Return the methods of a character; where controls can be searched, only those that often help."""
    searches = can_search(setup) and setup.settings.quality == "standard"
    return setup.methods[:METHODS_BEFORE_SEARCH] if searches else setup.methods


def _with_strikes(
    setups: Sequence[CharacterSetup], methods: Sequence[Method], monitor: Monitor, beaten_s: float | None
) -> tuple[Outcome, ...]:
    """Run one attempt; with strikes, the best of several, each corrected by what the one before missed.

    beaten_s: see `simulate`
    """
    monitor.progress("Preparing the motion", PREPARED_AT)
    with monitor.phase("reference"):
        corrections = [first_correction(own, method) for own, method in zip(setups, methods, strict=True)]
    most = max((ROUNDS[own.settings.quality] for own in setups if own.aiming is not None), default=1)
    rounds: list[tuple[Outcome, ...]] = []
    while len(rounds) < most:
        rounds.append(run_attempt(setups, list(map(Attempt, methods, corrections)), monitor, beaten_s))
        fell = any(own.fell_s is not None for own in rounds[-1])
        if fell or all(own.relative_miss <= 1.0 for own in rounds[-1]):
            break
        corrections = [own.next_correction for own in rounds[-1]]
    best = min(rounds, key=rank)
    return tuple(kept.after_rounds(first, len(rounds)) for first, kept in zip(rounds[0], best, strict=True))


def run_attempt(
    setups: Sequence[CharacterSetup],
    attempts: Sequence[Attempt],
    monitor: Monitor,
    beaten_s: float | None = None,
) -> tuple[Outcome, ...]:
    """Carry out one attempt of each character, all in one simulation; beaten_s: see `simulate`."""
    monitor.progress("Preparing the motion", PREPARED_AT)
    with monitor.phase("reference"):
        prepared = [make_reference(*own) for own in zip(setups, attempts, strict=True)]
    with monitor.phase("simulation"):
        controlled = [
            make_controller(setup, setup.world, own, attempt.method, setup.settings.assist_cap)
            for setup, own, attempt in zip(setups, prepared, attempts, strict=True)
        ]
        monitor.simulations += 1
        stage = "Simulating" if monitor.simulations == 1 else f"Simulating, attempt {monitor.simulations}"
        worlds = [own.world for own in setups]
        traces = simulate(setups, worlds, controlled, stage, monitor, beaten_s=beaten_s)
    hits = [own.tracker.reactions.hits for own in controlled]
    outcomes = map(judge, setups, attempts, prepared, traces, hits)
    return tuple(
        replace(outcome, fallbacks=own.tracker.fallbacks)
        for outcome, own in zip(outcomes, controlled, strict=True)
    )


def _blended(setup: CharacterSetup, trace: Trace) -> Trace:
    """Blend the trace with the source at both ends, as the settings ask."""
    settings = setup.settings
    trace = replace(trace, kinematic_segments=setup.kinematic_segments)
    if settings.blend_in_s == 0.0 and settings.blend_out_s == 0.0:
        return trace
    share = end_shares(trace.time, settings.blend_in_s, settings.blend_out_s)
    return blend_with_clip(trace, setup.source_clip, setup.scenario.spec, share)
