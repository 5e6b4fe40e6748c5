"""A bake in small steps: read the motions, simulate in the child process, write the actions."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..sim_core.progress import Progress, Report, ignore_progress
from .bake_job import Participant, PreparedBake, finish_bakes, prepare_bakes
from .blender_types import RigContext
from .job_runner import Done, Failed, JobRunner
from .outcome import BakeReport

READING_SHARE = 0.1
"""Of the progress bar, for reading the motion."""

STEP_S = 0.04
"""A step gives back control after about this time, so that the window stays alive."""


class BakeSession:
    """One bake; call `step` until it gives reports, one for each armature. Errors end it and are raised."""

    def __init__(self, context: RigContext, participants: Sequence[Participant]) -> None:
        self.progress = Progress("Reading the motion", 0.0)
        self._reading = prepare_bakes(context, participants)
        self._prepared: tuple[PreparedBake, ...] | None = None
        self._runner: JobRunner | None = None

    @property
    def is_reading(self) -> bool:
        """Whether the scene's current frame is being moved."""
        return self._prepared is None

    def step(self, context: RigContext) -> tuple[BakeReport, ...] | None:
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
            prepared: tuple[PreparedBake, ...] = done.value
            self._prepared, self._runner = prepared, JobRunner([each.job for each in prepared])
            self.progress = Progress("Starting the simulation", READING_SHARE)

    def _listen(
        self, context: RigContext, prepared: tuple[PreparedBake, ...], runner: JobRunner
    ) -> tuple[BakeReport, ...] | None:
        for event in runner.poll():
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Done):
                return finish_bakes(context, prepared, event.results)
            if isinstance(event, Progress):
                share = READING_SHARE + (1.0 - READING_SHARE) * event.fraction
                self.progress = Progress(event.stage, share)
        return None


def bake_and_wait(
    context: RigContext, participants: Sequence[Participant], report: Report = ignore_progress
) -> tuple[BakeReport, ...]:
    """Run a whole bake; progress is reported on the way."""
    session = BakeSession(context, participants)
    try:
        while (finished := session.step(context)) is None:
            report(session.progress)
            if not session.is_reading:
                time.sleep(0.5 * STEP_S)
        return finished
    finally:
        session.cancel()
