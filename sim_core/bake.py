"""From a source motion to a simulated one: the pipeline that every way in calls."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from .assemble import Performance, Run, assemble
from .character.posing import pose_from_motion
from .character.take import Take, make_take
from .control.protocol import State
from .control.tracking.make import make_tracker
from .conventions import FloatArray
from .diagnosis import Failure, fell_at, find_causes, least_assist
from .errors import SimulationError
from .job import Job
from .metrics import FALL_HEIGHT_SHARE
from .motion import Motion
from .progress import Progress, Report, ignore_progress
from .reference.filter import FilterSettings
from .reference.frame_rate import with_rate_note
from .reference.prepare import Prepared, prepare
from .reference.smoothing import low_pass
from .result import Result
from .settings import BakeSettings
from .simulation.simulator import Simulator
from .simulation.trace import Trace
from .simulation.world import World, build_world

CONTROL_DT = 0.01
"""The controller's interval [s]; samples of the result file lie this far apart."""
TIMESTEP = {"draft": 0.002, "standard": 0.001, "best": 0.001}
"""Of the engine by quality [s]."""
SIMULATED_FROM = 0.2
"""Share of the progress bar before the simulation starts."""


class Stages:
    """Wall time by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        started = clock.perf_counter()
        yield
        self.seconds[name] = clock.perf_counter() - started


def bake(job: Job, report: Report = ignore_progress) -> Result:
    """Carry out the job's motion with a simulated body."""
    stages = Stages()
    report(Progress("Building the character", 0.0))
    with stages.timed("character"):
        take = make_take(job)
        if job.settings.character is None:  # a preset's size is not that of who was captured
            take = with_rate_note(take)
        world = build_world(take.spec, take.ground_height, TIMESTEP[job.settings.quality])
    source = on_control_grid(take.motion)
    run = _run(take, world, job.settings, report, stages) if job.settings.simulate else None
    report(Progress("Writing the result", 0.98))
    return assemble(Performance(take, world, source, run), job.settings, stages.seconds)


def _run(take: Take, world: World, settings: BakeSettings, report: Report, stages: Stages) -> Run:
    """Prepare the reference and simulate it."""
    report(Progress("Preparing the motion", 0.05))
    with stages.timed("reference"):
        smooth = pose_from_motion(take.spec, take.binding, on_control_grid(low_pass(take.sound)))
        prepared = prepare(world, smooth, CONTROL_DT, take.leg_length, FilterSettings())
    with stages.timed("simulation"):
        trace = _simulate(world, prepared, take.leg_length, settings, report)
    with stages.timed("diagnosis"):
        fell = fell_at(take, prepared.reference, trace)
        failure = None
        if fell is not None:
            causes = find_causes(world, prepared, trace, fell)
            failure = Failure(fell, causes, *_find_assist(take, prepared, settings, report))
    return Run(prepared, trace, failure)


def _find_assist(
    take: Take, prepared: Prepared, settings: BakeSettings, report: Report
) -> tuple[float | None, tuple[float, ...]]:
    """The least assist that carries the motion, in a draft of it, and the caps tried [N, Nm]."""
    if not settings.find_assist:
        return None, ()
    draft = build_world(take.spec, take.ground_height, TIMESTEP["draft"])

    def searching(_: Progress) -> None:
        report(Progress("Looking for the least help that carries it", 0.97))

    def stays_up(cap: float) -> bool:
        attempt = replace(settings, assist_cap=cap)
        try:
            trace = _simulate(draft, prepared, take.leg_length, attempt, searching, to_the_end=False)
        except SimulationError:
            return False
        whole = len(trace.time) == len(prepared.reference)
        return whole and fell_at(take, prepared.reference, trace) is None

    return least_assist(stays_up, settings.assist_cap)


def on_control_grid(motion: Motion) -> Motion:
    """The motion at the control rate, from its first sample on."""
    samples = int(motion.duration / CONTROL_DT + 1e-6) + 1
    return motion.at(motion.time[0] + np.arange(max(samples, 2)) * CONTROL_DT)


def _simulate(
    world: World,
    prepared: Prepared,
    leg_length: float,
    settings: BakeSettings,
    report: Report,
    to_the_end: bool = True,
) -> Trace:
    """to_the_end: go on when the pelvis is so far from its height that the character has fallen."""
    reference = prepared.reference
    controller = make_tracker(world, prepared, leg_length, settings.assist_cap, settings.balance)
    ticks = len(reference) - 1

    def on_tick(tick: int, state: State) -> bool:
        report(Progress("Simulating", SIMULATED_FROM + (0.97 - SIMULATED_FROM) * tick / ticks))
        off = abs(state.qpos[2] - reference.qpos[tick - 1, 2])
        return to_the_end or bool(off < FALL_HEIGHT_SHARE * leg_length)

    qvel = reference.qvel[0] + start_noise(settings, reference.qvel.shape[1])
    return Simulator(world, CONTROL_DT).run(controller, reference.qpos[0], qvel, ticks, on_tick)


def start_noise(settings: BakeSettings, dofs: int) -> FloatArray:
    """Random starting velocities [m/s, rad/s]."""
    return settings.noise * np.random.default_rng(settings.seed).standard_normal(dofs)
