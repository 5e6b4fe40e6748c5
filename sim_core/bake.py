"""From a source motion to a simulated one: the pipeline that every way in calls."""

from __future__ import annotations

from .assemble import Performance, assemble
from .carry_out import Director, Stages, on_control_grid
from .character.take import make_take
from .job import Job
from .progress import Progress, Report, ignore_progress
from .reference.frame_rate import with_rate_note
from .result import Result


def bake(job: Job, report: Report = ignore_progress) -> Result:
    """Carry out the job's motion with a simulated body."""
    stages = Stages()
    report(Progress("Building the character", 0.0))
    with stages.timed("character"):
        take = make_take(job)
        if job.settings.character is None:  # a preset's size is not that of who was captured
            take = with_rate_note(take)
        director = Director(take, job.settings, _forward_only(report), stages)
    run = director.carry_out() if job.settings.simulate else None
    report(Progress("Writing the result", 0.98))
    performance = Performance(take, director.world, on_control_grid(take.motion), run)
    return assemble(performance, job.settings, stages.seconds)


def _forward_only(report: Report) -> Report:
    """Progress that never goes back, although another attempt starts anew."""
    reached = 0.0

    def forward(progress: Progress) -> None:
        nonlocal reached
        reached = max(reached, progress.fraction)
        report(Progress(progress.stage, reached))

    return forward
