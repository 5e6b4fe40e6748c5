"""A job in small steps: read the scene, work in the child process, write what comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, Generic, TypeVar

from ..sim_core.progress import Progress, Report, ignore_progress
from .blender_types import RigContext
from .job_runner import BAKE, Done, Failed, JobKind, JobRunner

READING_SHARE = 0.1
"""Of the progress bar, for reading the scene."""

WRITING_SHARE = 0.1
"""Of the progress bar, for writing what came back."""

STEP_S = 0.04
"""A step gives back control after about this time, so that the window stays alive."""

Prepared = TypeVar("Prepared")
Outcome = TypeVar("Outcome")


class JobSession(Generic[Prepared, Outcome]):
    """One job; call `step` until it gives an outcome. Errors end it and are raised."""

    def __init__(
        self,
        reading: Generator[float, None, Prepared],
        jobs: Callable[[Prepared], Sequence[Any]],
        finish: Callable[[RigContext, Prepared, tuple[Any, ...]], Generator[float, None, Outcome]],
        kind: JobKind = BAKE,
        stage: str = "Reading the motion",
    ) -> None:
        """reading: gives the share done; jobs: of what was read; finish: writes their results in steps."""
        self.progress = Progress(stage, 0.0)
        self._reading, self._jobs, self._finish, self._kind = reading, jobs, finish, kind
        self._prepared: Prepared | None = None
        self._runner: JobRunner | None = None
        self._writing: Generator[float, None, Outcome] | None = None

    @property
    def holds_scene(self) -> bool:
        """Whether the scene's current frame is being moved."""
        return self._prepared is None or self._writing is not None

    def step(self, context: RigContext) -> Outcome | None:
        try:
            if self._prepared is None or self._runner is None:
                self._read()
                return None
            if self._writing is None:
                self._listen(context, self._prepared, self._runner)
            return None if self._writing is None else self._write(self._writing)
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Stop; the scene is as it was before."""
        self._reading.close()
        if self._writing is not None:
            self._writing.close()
        if self._runner is not None:
            self._runner.cancel()

    def wait(self, context: RigContext, report: Report = ignore_progress) -> Outcome:
        """Run to the end; progress is reported on the way."""
        try:
            while (finished := self.step(context)) is None:
                report(self.progress)
                if not self.holds_scene:
                    time.sleep(0.5 * STEP_S)
            return finished
        finally:
            self.cancel()

    def _read(self) -> None:
        end = time.monotonic() + STEP_S
        try:
            while time.monotonic() < end:
                share = next(self._reading)
                self.progress = Progress(self.progress.stage, READING_SHARE * share)
        except StopIteration as done:
            prepared: Prepared = done.value
            self._prepared, self._runner = prepared, JobRunner(self._jobs(prepared), kind=self._kind)
            self.progress = Progress(f"Starting the {self._kind.work}", READING_SHARE)

    def _listen(self, context: RigContext, prepared: Prepared, runner: JobRunner) -> None:
        for event in runner.poll():
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Done):
                self._writing = self._finish(context, prepared, event.results)
                self.progress = Progress("Writing the keys", 1.0 - WRITING_SHARE)
            if isinstance(event, Progress):
                share = READING_SHARE + (1.0 - READING_SHARE - WRITING_SHARE) * event.fraction
                self.progress = Progress(event.stage, share)

    def _write(self, writing: Generator[float, None, Outcome]) -> Outcome | None:
        end = time.monotonic() + STEP_S
        try:
            while time.monotonic() < end:
                share = 1.0 - WRITING_SHARE * (1.0 - next(writing))
                self.progress = Progress(self.progress.stage, share)
        except StopIteration as done:
            outcome: Outcome = done.value
            return outcome
        return None
