"""Takes: a run repeated from its command log, and its result as that of a bake.

What was played need not be recorded while it is played: the log makes the simulation repeat itself. So a
take costs nothing until it is kept, and its result has all that a bake's has: forces, report, replay.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bake.assemble import assemble
from ..bake.attempt import Attempt, Outcome, judge
from ..bake.baked import BakedCharacter
from ..bake.explain import explain_fall
from ..bake.monitor import PREPARED_AT, WRITTEN_FROM, Monitor
from ..bake.notes import live_notes
from ..bake.setup import CharacterSetup
from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..motion.motion import CONTROL_DT, Motion, on_control_grid
from ..reference.contacts import ContactGround, ContactSchedule
from ..reference.prepare import Prepared
from ..reference.reference import Reference
from ..report.report import with_report
from ..result.records import Hit, LiveTake
from ..result.result import Result
from ..simulation.trace import Trace
from .balls import PREFIX
from .commands import CommandLog, LiveCommand, command_to_dict
from .run import Director, LiveRun, Playing
from .segment import SegmentSource


@dataclass(frozen=True, eq=False)
class Stage:
    """All that a run starts from: the character, its segments, and the name of the first one.

    rate_hz: samples of the source in a second, at which a take has its bones
    directs: makes the director of a run; None where each segment follows by itself
    start_s: time of the first sample of a take [s]
    goes_on: what it follows goes on whatever the run does, so that it cannot start again
    """

    setup: CharacterSetup
    library: SegmentSource
    first: str
    rate_hz: float
    directs: Callable[[], Director] | None = None
    start_s: float = 0.0
    goes_on: bool = False


def replay(stage: Stage, log: CommandLog, monitor: Monitor) -> Result:
    """Repeat a run from its log; return the result of what was kept of it."""
    run = LiveRun(stage.setup, stage.library, stage.first)
    director = None if stage.directs is None else stage.directs()

    def commands(tick: int) -> Sequence[LiveCommand]:
        given = log.at(tick)
        return given if director is None else (*given, *director.decide(run.now, given))

    with monitor.phase("simulation"):
        for tick in range(log.first):
            run.tick(commands(tick))
        began = clock.perf_counter()
        recording = run.simulation.record(log.ticks - log.first)
        for tick in range(log.first, log.ticks):
            run.tick(commands(tick), recording)
            share = (tick - log.first) / (log.ticks - log.first)
            monitor.progress("Repeating the take", PREPARED_AT + (WRITTEN_FROM - PREPARED_AT) * share)
    trace = recording.traces(CONTROL_DT, clock.perf_counter() - began)[0]
    return result_of(run, trace, log, stage, monitor)


def result_of(run: LiveRun, trace: Trace, log: CommandLog, stage: Stage, monitor: Monitor) -> Result:
    """Return the result of a run that was recorded."""
    stretches = list(_stretches(run.played, log.first, log.ticks))
    setup = _as_played(run.setup, stage, stretches, log.first)
    prepared = _prepared(stretches)
    attempt = Attempt(stretches[0][0].segment.method)
    outcome = judge(setup, attempt, prepared, trace, tuple(_hits(run.played, log.first)))
    fallbacks = sum(own.controlled.tracker.fallbacks for own in run.played)
    outcome = replace(outcome, fallbacks=fallbacks, methods_tried=(attempt.method.name,))
    return _assembled(setup, outcome, log, run, monitor)


def _assembled(
    setup: CharacterSetup, outcome: Outcome, log: CommandLog, run: LiveRun, monitor: Monitor
) -> Result:
    with monitor.phase("diagnosis"):
        outcome = replace(outcome, failure=explain_fall([setup], [outcome], 0, monitor))
    monitor.progress("Writing the result", WRITTEN_FROM)
    result = assemble(BakedCharacter(setup, outcome), setup.settings, monitor.seconds)
    most = float(np.linalg.norm(outcome.trace.push, axis=1).max())
    commands = tuple({"tick": own.tick, **command_to_dict(own.command)} for own in log.commands)
    take = LiveTake(log.ticks, log.first, commands, most)
    meta = replace(result.meta.with_notes(*live_notes(take)), live=take)
    thrown = np.array([not str(n).startswith(PREFIX) or str(n) in run.balls.thrown for n in result.prop_name])
    if len(thrown):
        result = replace(
            result,
            prop_name=result.prop_name[thrown],
            prop_position=result.prop_position[:, thrown],
            prop_quaternion=result.prop_quaternion[:, thrown],
        )
    return with_report(replace(result, meta=meta))


Stretch = tuple[Playing, IntArray]
"""A segment that was followed, and its samples in a take."""


def _stretches(played: Sequence[Playing], first: int, last: int) -> Iterator[Stretch]:
    """Yield what was followed from a control interval to another; each end belongs to what follows."""
    ends = [*(own.since for own in played[1:]), last + 1]
    for own, end in zip(played, ends, strict=True):
        ticks = np.arange(max(own.since, first), min(end, last + 1))
        if len(ticks):
            yield own, own.sample(ticks)


def _as_played(
    setup: CharacterSetup, stage: Stage, stretches: Sequence[Stretch], first: int
) -> CharacterSetup:
    """Return the setup of a take, whose source is what was followed."""
    own, start_s = setup.scenario, stage.start_s
    source = _motion([(p, p.segment.setup.source, k) for p, k in stretches], start_s)
    repaired = _motion(
        [(p, on_control_grid(p.segment.setup.scenario.repaired), k) for p, k in stretches], start_s
    )
    samples = int(np.ceil(source.duration * stage.rate_hz - 1e-6)) + 1  # the last one may be held
    time = start_s + np.arange(samples) / stage.rate_hz
    moved = own.offset - own.belt * first * CONTROL_DT  # the belt has moved on when the take begins
    scenario = replace(own, motion=source.at(time), repaired=repaired.at(time), offset=moved)
    return CharacterSetup(scenario, setup.settings, setup.world, setup.index)


def _motion(parts: Sequence[tuple[Playing, Motion, IntArray]], start_s: float) -> Motion:
    """Return motions at samples of theirs, placed as they were followed, as one."""
    position = [p.placement.points(own.position_world[k]) for p, own, k in parts]
    quaternion = [rotations.multiply(p.placement.turn, own.quaternion_world[k]) for p, own, k in parts]
    time = start_s + np.arange(sum(map(len, position))) * CONTROL_DT
    return Motion(parts[0][1].skeleton, time, np.concatenate(position), np.concatenate(quaternion))


def _prepared(stretches: Sequence[Stretch]) -> Prepared:
    """Return what was followed as one prepared reference."""
    support = np.unique(np.concatenate([p.segment.prepared.schedule.support for p, _ in stretches]))
    foot = np.full(len(support), -1)
    parts = [_placed(p, k, support, foot) for p, k in stretches]
    first = parts[0]
    grounds = [own.contact_ground for own in parts]
    qpos, qvel, qacc = (
        np.concatenate([getattr(own.reference, name) for own in parts]) for name in ("qpos", "qvel", "qacc")
    )
    reference = Reference(qpos, qvel, qacc, first.reference.dt)
    ground = ContactGround(
        *(
            np.concatenate([getattr(own, name) for own in grounds])
            for name in ("base", "normal", "acceleration", "friction_scale")
        )
    )
    touches = np.concatenate([own.schedule.touches for own in parts])
    force = np.concatenate([own.support_force for own in parts])
    return Prepared(reference, ContactSchedule(touches, foot, support), ground, force, first.change)


def _placed(playing: Playing, samples: IntArray, support: IntArray, foot: IntArray) -> Prepared:
    """Return samples of a prepared reference in the world, with a column for each of some support points."""
    own, placement = playing.segment.prepared, playing.placement
    column = np.searchsorted(support, own.schedule.support)
    foot[column] = own.schedule.foot

    def spread(values: FloatArray, empty: float = 0.0) -> FloatArray:
        wide = np.full((len(samples), len(support), *values.shape[2:]), empty)
        wide[:, column] = values[samples]
        return wide

    ground, up = own.contact_ground, np.array([0.0, 0.0, 1.0])
    normal = np.where(spread(np.ones(ground.base.shape)) > 0.0, placement.vectors(spread(ground.normal)), up)
    return Prepared(
        Reference(
            placement.poses(own.reference.qpos[samples]),
            placement.rates(own.reference.qvel[samples]),
            placement.rates(own.reference.qacc[samples]),
            own.reference.dt,
        ),
        ContactSchedule(spread(own.schedule.touches.astype(float)) > 0.0, foot, support),
        ContactGround(
            placement.points(spread(ground.base)),
            normal,
            placement.vectors(spread(ground.acceleration)),
            spread(ground.friction_scale, 1.0),
        ),
        placement.vectors(spread(own.support_force)),
        own.change,
    )


def _hits(played: Sequence[Playing], first: int) -> Iterator[Hit]:
    """Yield the hits since a control interval, at their times in the take."""
    for own in played:
        later_s = (own.since - own.segment.first - first) * CONTROL_DT
        for hit in own.controlled.tracker.reactions.hits:
            if hit.time_s + later_s >= 0.0:
                yield replace(hit, time_s=hit.time_s + later_s)
