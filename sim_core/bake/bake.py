"""From source motions to simulated ones: the pipeline that every way in calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..base.errors import InputError
from ..base.progress import Progress, ProgressCallback, ignore_progress
from ..motion.motion import on_control_grid
from ..report.report import with_report
from ..result.result import Result
from ..scenario.job import Job
from ..scenario.several import make_scenarios
from .assemble import assemble
from .bone_shares import with_bone_shares
from .carry_out import Director, Stages
from .loop import Loop, loop_offer
from .performance import Performance


def bake(job: Job, report: ProgressCallback = ignore_progress) -> Result:
    """Carry out the job's motion with a simulated body."""
    return bake_together((job,), report)[0]


def bake_together(jobs: Sequence[Job], report: ProgressCallback = ignore_progress) -> tuple[Result, ...]:
    """Carry out the motions of several characters in one simulation, in the first job's scene."""
    if any(own.loop and own.simulate and not own.only_plausible for own in (job.settings for job in jobs)):
        return (_bake_loop(jobs, report),)
    results = _bake_once(jobs, report)
    offer = loop_offer(jobs[0]) if len(jobs) == 1 else ()
    if offer:
        meta = results[0].meta
        results = (replace(results[0], meta={**meta, "notes": [*meta["notes"], *offer]}),)
    return results


def _bake_once(jobs: Sequence[Job], report: ProgressCallback) -> tuple[Result, ...]:
    stages = Stages()
    report(Progress("Building the character", 0.0))
    settings = [job.settings for job in jobs]
    with stages.timed("character"):
        scenarios = make_scenarios(jobs)
        director = Director(scenarios, settings, report, stages)
    simulate = all(own.simulate and not own.only_plausible for own in settings)
    runs = director.carry_out() if simulate else (None,) * len(scenarios)
    plans = (None,) * len(scenarios) if simulate else director.plans()
    report(Progress("Writing the result", 0.98))
    traces = [
        None if run is None else (world, run.trace) for world, run in zip(director.worlds, runs, strict=True)
    ]
    performances = [
        Performance(
            scenario,
            world,
            on_control_grid(scenario.motion),
            run,
            tuple(other for k, other in enumerate(traces) if other is not None and k != place),
            plan,
        )
        for place, (scenario, world, run, plan) in enumerate(
            zip(scenarios, director.worlds, runs, plans, strict=True)
        )
    ]
    return tuple(
        with_report(with_bone_shares(job, assemble(performance, job.settings, stages.seconds)))
        for performance, job in zip(performances, jobs, strict=True)
    )


def _bake_loop(jobs: Sequence[Job], report: ProgressCallback) -> Result:
    if len(jobs) > 1:
        raise InputError("A loop is simulated alone: select one character, or leave out Loop.")
    loop = Loop.of(jobs[0])
    taken = loop.taken(_bake_once((loop.unrolled(),), report)[0])
    return with_report(with_bone_shares(jobs[0], taken))
