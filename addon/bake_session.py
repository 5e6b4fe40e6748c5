"""A bake in small steps: read the motion, simulate in the child process, write the action."""

from __future__ import annotations

import time
from collections.abc import Generator

from ..sim_core.progress import Progress, Report, ignore_progress
from .bake_job import BakeOptions, PreparedBake, finish_bake, prepare_bake
from .blender_types import ArmatureObject, RigContext
from .job_runner import Done, Failed, JobRunner
from .outcome import BakeReport

READING_SHARE = 0.1
"""Of the progress bar, for reading the motion."""

STEP_S = 0.04
"""A step gives back control after about this time, so that the window stays alive."""


class BakeSession:
    """One bake; call `step` until it gives a report. Errors end it and are raised."""

    def __init__(self, context: RigContext, obj: ArmatureObject, options: BakeOptions) -> None:
        self.progress = Progress("Reading the motion", 0.0)
        self._reading: Generator[float, None, PreparedBake] = prepare_bake(context, obj, options)
        self._prepared: PreparedBake | None = None
        self._runner: JobRunner | None = None

    @property
    def is_reading(self) -> bool:
        """Whether the scene's current frame is being moved."""
        return self._prepared is None

    def step(self, context: RigContext) -> BakeReport | None:
        try:
            if self._prepared is None or self._runner is None:
                self._read()
                return None
            return self._listen(context, self._prepared, self._runner)
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Stop; the scene is as it was before."""
        self._reading.close()
        if self._runner is not None:
            self._runner.cancel()

    def _read(self) -> None:
        end = time.monotonic() + STEP_S
        try:
            while time.monotonic() < end:
                share = next(self._reading)
                self.progress = Progress(self.progress.stage, READING_SHARE * share)
        except StopIteration as done:
            prepared: PreparedBake = done.value
            self._prepared, self._runner = prepared, JobRunner(prepared.job)
            self.progress = Progress("Starting the simulation", READING_SHARE)

    def _listen(self, context: RigContext, prepared: PreparedBake, runner: JobRunner) -> BakeReport | None:
        for event in runner.poll():
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Done):
                return finish_bake(context, prepared, event.result)
            if isinstance(event, Progress):
                share = READING_SHARE + (1.0 - READING_SHARE) * event.fraction
                self.progress = Progress(event.stage, share)
        return None


def bake_and_wait(
    context: RigContext, obj: ArmatureObject, options: BakeOptions, report: Report = ignore_progress
) -> BakeReport:
    """Run a whole bake; progress is reported on the way."""
    session = BakeSession(context, obj, options)
    try:
        while (finished := session.step(context)) is None:
            report(session.progress)
            if not session.is_reading:
                time.sleep(0.5 * STEP_S)
        return finished
    finally:
        session.cancel()
