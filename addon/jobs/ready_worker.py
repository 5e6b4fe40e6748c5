"""A child process that has loaded what a simulation needs before anybody presses Simulate.

Loading takes about half as long as simulating five seconds in draft quality. The child is started while the
sidebar shows Heft's tab for an armature, and waits for a line on its standard input, so it takes no processor
time. It ends with Blender, with the extension, or when the tab was not shown for some minutes.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

import bpy

from ...sim_core.base.errors import HeftError
from ..blender.sidebar_tab import tab_is_shown
from .job_queue import QUEUE

if TYPE_CHECKING:
    from .job_runner import JobRunner

LOOK_S = 1.0
"""How often it is looked whether a child is wanted [s]."""
KEPT_S = 600.0
"""How long a child is kept after the tab was shown last: it holds about 100 MB [s]."""


class ReadyWorker:
    """At most one child that waits for the job of one character."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._starting: Future[JobRunner] | None = None
        self._shown_s = 0.0
        self._timer = self._look  # the same object each time, by which Blender knows a timer

    def register(self) -> None:
        """Look from now on whether a child is wanted; without a window, none is."""
        if not bpy.app.background:
            bpy.app.timers.register(self._timer, first_interval=LOOK_S, persistent=True)

    def unregister(self) -> None:
        """Look no more, and end the child."""
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)
        self.end()

    def start(self) -> None:
        """Start a child in a thread, unless there is one."""
        with self._lock:
            if self._starting is None:
                self._thread = self._thread or ThreadPoolExecutor(1)
                self._starting = self._thread.submit(_early)

    def take(self) -> JobRunner | None:
        """Return the child for a job, and None where there is none that can take one."""
        runner = self._left()
        if runner is None or runner.is_waiting:
            return runner
        runner.cancel()
        return None

    def end(self) -> None:
        """End the child, if there is one."""
        runner = self._left()
        if runner is not None:
            runner.cancel()
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None

    def _look(self) -> float:
        now_s = time.monotonic()
        if tab_is_shown(bpy.context.window_manager.windows):
            self._shown_s = now_s
            if not QUEUE:  # a job that runs has the processor for itself
                self.start()
        elif now_s - self._shown_s > KEPT_S:
            self.end()
        return LOOK_S

    def _left(self) -> JobRunner | None:
        """Give the child away: what it is used for is no longer this one's."""
        with self._lock:
            starting, self._starting = self._starting, None
        if starting is not None:
            with suppress(HeftError):  # a child that cannot be started is told of by the job that needs one
                return starting.result()
        return None


def _early() -> JobRunner:
    from .job_runner import BAKE, JobRunner

    return JobRunner.early(1, BAKE)


READY = ReadyWorker()
