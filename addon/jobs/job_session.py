"""A job in small steps: read the scene, work in the child process, write the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from bpy.types import Object

from ...sim_core.base.errors import HeftError, InputError
from ...sim_core.base.progress import PreviewFrame, Progress, ProgressCallback, TimeLeft, ignore_progress
from ...sim_core.base.wording import for_blender
from ..blender.blender_types import RigContext
from ..blender.half_written import settle_parts
from .job_runner import BAKE, Done, Failed, JobKind, JobRunner
from .open_sessions import OPEN
from .ready_worker import READY
from .source_state import ObjectHandle, SourceState

READING_SHARE = 0.1
"""Share of the progress bar for reading the scene."""

WRITING_SHARE = 0.1
"""Share of the progress bar for writing the result."""

STEP_S = 0.03
"""Duration of a step, so that the window stays responsive [s]."""

READING_STEP_S = 0.12
"""Duration of a step while frames are read; longer, because the window draws after each one [s]."""

Prepared = TypeVar("Prepared")
Outcome = TypeVar("Outcome")


class JobSession(Generic[Prepared, Outcome]):
    """One job; call `step` until it returns an outcome. Errors end the job and are raised.

    objects: the objects that the job uses
    left_s: estimated time left [s]; None while unknown
    previews: stick figures of the simulated part so far, by time
    obstacle: what the user has to do before the result can be written; empty if nothing
    """

    def __init__(
        self,
        about: Sequence[Object],
        reading: Generator[float, None, Prepared],
        jobs: Callable[[Prepared], Sequence[Any]],
        finish: Callable[[RigContext, Prepared, tuple[Any, ...]], Generator[float, None, Outcome]],
        kind: JobKind = BAKE,
        stage: str = "Reading the motion",
        sources: Callable[[Prepared], Sequence[SourceState]] = lambda _: (),
        frame_at: Callable[[Prepared, float], int] | None = None,
    ) -> None:
        """Set up the job.

        reading: reads the scene and yields the share done; jobs: makes the core's jobs from what was read
        finish: writes the results in steps; sources: what must not be changed while the child works
        frame_at: returns the frame at a time [s], for the messages of the child
        """
        self.objects = tuple(ObjectHandle.of(obj) for obj in about)
        self.progress = Progress(stage, 0.0)
        self.left_s: float | None = None
        self.obstacle, self.ended_by = "", ""
        self.previews: list[PreviewFrame] = []
        self._reading, self._jobs, self._finish, self._kind = reading, jobs, finish, kind
        self._sources, self._frame_at = sources, frame_at
        self._pace, self._heard = TimeLeft(), Progress("", 0.0)
        self._prepared: Prepared | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._starting: Future[JobRunner] | None = None
        self._runner: JobRunner | None = None
        self._results: tuple[Any, ...] | None = None
        self._writing: Generator[float, None, Outcome] | None = None
        self._shown: tuple[int, str] | None = None
        OPEN.add(self)

    @property
    def title(self) -> str:
        """Title for the panel, such as 'Simulate Figure'."""
        names = ", ".join(kept.current_name for kept in self.objects)
        return f"{self._kind.verb.capitalize()} {names}".strip()

    @property
    def is_endless(self) -> bool:
        """Whether it goes on until the user ends it, so that no progress can be told."""
        return False

    @property
    def holds_scene(self) -> bool:
        """Whether the job is moving the scene's current frame."""
        return self._prepared is None or self._writing is not None

    def step(self, context: RigContext) -> Outcome | None:
        """Work for a short time; return the outcome at the end, and None before."""
        if self.ended_by:
            raise InputError(self.ended_by)
        try:
            self._refuse_another_scene(context)
            if self._prepared is None:
                self._read(context)
            elif self._writing is not None:
                return self._write(self._writing, self._prepared)
            else:
                self._work(context, self._prepared)
            return None
        except ReferenceError as lost:
            self.cancel()
            raise InputError(
                f"Data that this job needs was deleted or undone; {self._kind.verb} again."
            ) from lost
        except BaseException:
            self.cancel()
            raise

    def finish_early(self) -> None:
        """Ask for the best result so far, where the work can be ended now."""
        if self._runner is not None:
            self._runner.finish()

    def cancel(self) -> None:
        """Stop the job; the scene is as it was before."""
        self._reading.close()
        if self._starting is not None:
            with suppress(HeftError):  # a child that is starting must be stopped, too
                self._runner = self._starting.result()
            self._starting = None
        if self._thread is not None:
            self._thread.shutdown()
        if self._writing is not None:
            self._writing.close()
        if self._runner is not None:
            self._runner.cancel()

    def leave_file(self) -> None:
        """Stop the job while its file is still there: what it holds of Blender's data is freed with it."""
        self.ended_by = (
            f"Another file was opened in the meantime, so nothing was written; {self._kind.verb} again."
        )
        self.cancel()

    def leave_state(self) -> None:
        """Stop a job that reads or writes, before an undo or redo frees what it holds of Blender's data."""
        if self.holds_scene and not self.ended_by:
            self.ended_by = (
                "Something was undone or redone while the scene was read or written, so nothing was written; "
                f"{self._kind.verb} again."
            )
            self.cancel()

    def wait(self, context: RigContext, report: ProgressCallback = ignore_progress) -> Outcome:
        """Run to the end, reporting the progress."""
        try:
            while (finished := self.step(context)) is None:
                report(self.progress)
                if self.obstacle:
                    raise InputError(f"{self.obstacle}; nothing was written.")
                if not self.holds_scene:
                    time.sleep(0.5 * STEP_S)
            return finished
        finally:
            self.cancel()

    def _refuse_another_scene(self, context: RigContext) -> None:
        """Refuse a scene or view layer that a script shows meanwhile: the poses of others do not move."""
        shown = (context.scene.session_uid, context.view_layer.name) if self.holds_scene else None
        if None not in (shown, self._shown) and shown != self._shown:
            raise InputError(
                "Another scene or view layer was shown while this one was read or written, so nothing was "
                f"written; {self._kind.verb} again."
            )
        self._shown = shown

    def _read(self, context: RigContext) -> None:
        from ..reading.motion_reader import frame_shown_again

        if self._thread is None:
            self._thread = ThreadPoolExecutor(1)
            if self._kind.starts_early:
                self._starting = self._thread.submit(_early, max(1, len(self.objects)), self._kind)
        end = time.monotonic() + READING_STEP_S
        try:
            with frame_shown_again(context.scene):
                while time.monotonic() < end:
                    share = next(self._reading)
                    self.progress = Progress(self.progress.stage, READING_SHARE * share)
        except StopIteration as done:
            prepared: Prepared = done.value
            start = partial(_started, self._jobs(prepared), self._kind, self._starting)
            self._prepared, self._starting = prepared, self._thread.submit(start)
            self.progress = Progress(f"Starting the {self._kind.work}", READING_SHARE)

    def _work(self, context: RigContext, prepared: Prepared) -> None:
        """Follow the child, and check that the sources are unchanged."""
        if self._starting is not None:
            if not self._starting.done():
                return
            self._runner, self._starting = self._starting.result(), None
        for source in self._sources(prepared):
            source.armature()
        if self._results is None and self._runner is not None:
            self._listen(self._runner)
        if self._results is not None:
            found = (source.obstacle(context) for source in self._sources(prepared))
            self.obstacle = next((reason for reason in found if reason), "")
            stage = self.obstacle or "Writing the keys"
            self.progress, self.left_s = Progress(stage, 1.0 - WRITING_SHARE), None
            if not self.obstacle:
                self._writing = self._finish(context, prepared, self._results)

    def _listen(self, runner: JobRunner) -> None:
        for event in runner.poll():
            if isinstance(event, Failed):
                raise self._in_frames(event.error)
            if isinstance(event, Done):
                self._results = event.results
            if isinstance(event, Progress):
                share = READING_SHARE + (1.0 - READING_SHARE - WRITING_SHARE) * event.fraction
                self._heard, self.progress = event, Progress(event.stage, share, can_finish=event.can_finish)
                self._see(event.preview)
        self.left_s = self._pace.update(self._heard, time.monotonic())

    def _in_frames(self, error: HeftError) -> HeftError:
        if self._frame_at is None or self._prepared is None:
            return error
        return type(error)(for_blender(str(error), partial(self._frame_at, self._prepared)))

    def _see(self, preview: PreviewFrame | None) -> None:
        if preview is None:
            return
        if self.previews and preview.time <= self.previews[-1].time:
            self.previews.clear()  # another attempt has started
        self.previews.append(preview)

    def _write(self, writing: Generator[float, None, Outcome], prepared: Prepared) -> Outcome | None:
        for source in self._sources(prepared):
            source.armature()  # refuses bones that a script has changed between two steps
        end = time.monotonic() + STEP_S
        try:
            while time.monotonic() < end:
                share = 1.0 - WRITING_SHARE * (1.0 - next(writing))
                self.progress = Progress(self.progress.stage, share)
        except StopIteration as done:
            settle_parts()
            outcome: Outcome = done.value
            return outcome
        return None


def _early(count: int, kind: JobKind) -> JobRunner:
    """Return a child that is ready, or else one that starts now; runs in the thread."""
    ready = READY.take() if kind is BAKE and count == 1 else None
    return ready or JobRunner.early(count, kind)


def _started(jobs: Sequence[Any], kind: JobKind, early: Future[JobRunner] | None) -> JobRunner:
    """Start a child with its jobs, or give them to one that started early; runs in the thread."""
    if early is None:
        return JobRunner(jobs, kind=kind)
    runner = early.result()
    try:
        runner.give(jobs)
    except BaseException:
        runner.cancel()
        raise
    return runner
