"""One job with one fault at a moment, and the checks after its end.

A trial is a generator: it yields the event that the button gets next, a tick of its timer or a key. Without a
window the button is called at once; in a window the trial goes on when Blender has handled its events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar

import bpy
from bpy.types import Object
from heft.addon.jobs.job_queue import QUEUE, Session
from heft.addon.jobs.job_runner import JobRunner
from heft.addon.jobs.ready_worker import READY
from heft.addon.jobs.source_state import ObjectHandle
from heft.sim_core.base.errors import HeftError

from bench.common.processes import children

from .checks import (
    bad_sentences,
    keys_of_actions,
    left_files,
    lost_by_saving,
    lost_keys,
    stray_actions,
)
from .works import Work

Found = TypeVar("Found")
Turns = Generator[str, None, Found]
"""What happens over several turns of the window; the events that are sent to the button."""
TICK, ESC = "TIMER", "ESC"
AtWindow = Callable[[], AbstractContextManager[Any]]
HANG_S = 5.0
"""A turn of the window that takes longer is a hang [s]."""
PATIENCE_S = 60.0
"""A job that has not ended by then never will [s]."""
MOST_TURNS, MOST_WAIT_S = 60, 1.5
"""The latest moment in a phase: turns while the scene is read or written, time while the child works [s]."""
PHASES = ("reading", "working", "writing")


class Button(Protocol):
    """A pressed button with its job: what was said, whether it has ended, and its longest turn [s]."""

    session: Session
    longest_s: float

    @property
    def said(self) -> list[tuple[str, str]]:
        """What was told, each with its level."""

    @property
    def ended(self) -> bool:
        """Whether the job is over."""


class Trial:
    """A job on its way, and what a fault may use.

    undo: what is taken back before the checks, such as a patched clock
    replaced: the fault has opened another file
    at_window: makes the context that operators of Blender need
    """

    def __init__(
        self, work: Work, scene: Path, folder: Path, rng: Random, at_window: AtWindow = nullcontext
    ) -> None:
        """Open the work's file."""
        bpy.ops.wm.open_mainfile(filepath=str(scene))
        with at_window():
            bpy.ops.ed.undo_push(message="Opened")
        self.work, self.scene, self.folder, self.rng = work, scene, folder, rng
        self.undo, self.replaced, self.defects = ExitStack(), False, list[str]()
        self.at_window = at_window
        READY.end()
        self._children, self._files = children(), left_files(folder)

    def course(self, button: Button, phase: str, share: float, fault: Fault) -> Turns[None]:
        """The whole trial: a pressed button, a moment of its job, what happens then, and the checks."""
        self.begin(button)
        yield from self.go_to(phase, share)
        yield from self.strike(fault)
        yield from self.finish()

    def begin(self, button: Button) -> None:
        """Take a button that was pressed for the active object."""
        self.button = button
        self._subject = ObjectHandle.of(bpy.context.view_layer.objects.active)
        self._keys = keys_of_actions()
        self._known = set(self._keys)

    @property
    def obj(self) -> Object:
        """The object that the job is about, made active for operators."""
        found = self._subject.require("try")
        bpy.context.view_layer.objects.active = found
        return found

    @property
    def phase(self) -> str:
        """What the job does now."""
        session = self.button.session
        if not session.holds_scene:
            return "working"
        return "writing" if session.progress.stage == "Writing the keys" else "reading"

    def go_to(self, phase: str, share: float) -> Turns[None]:
        """Run the job to a moment of a phase, or to its end if that comes first."""
        while not self.button.ended and PHASES.index(self.phase) < PHASES.index(phase):
            yield TICK
        turns, end = int(MOST_TURNS**share), time.monotonic() + MOST_WAIT_S * share
        while not self.button.ended and self.phase == phase and turns > 0:
            yield TICK
            turns -= phase != "working" or time.monotonic() > end

    def strike(self, fault: Fault) -> Turns[None]:
        """Let the fault happen; what it does to keys is the user's own doing."""
        self.defects += lost_keys(self._keys, keys_of_actions(self._keys))
        existing = {action.session_uid for action in bpy.data.actions}
        with self.at_window():
            turns = fault(self)
        if turns is not None:
            yield from turns
        made = {action.session_uid for action in bpy.data.actions} - existing
        own = {
            action.session_uid
            for action in bpy.data.actions
            if action.heft_result.checksum or action.heft_part.unfinished
        }
        self._known |= made
        self._keys = keys_of_actions((set(self._keys) | made) - own)

    def child(self) -> Turns[JobRunner | None]:
        """Return the child process of the job once it is there; None if the job ends before."""
        session = self.button.session
        while not self.button.ended:
            if session._runner is not None:
                return session._runner
            if session._starting is not None and session._starting.done():
                with suppress(HeftError):  # the session tells of it
                    return session._starting.result()
            yield TICK
        return None

    def finish(self) -> Turns[None]:
        """Run the job to its end; one that waits for the user is cancelled, as by a user who gives up."""
        end = time.monotonic() + PATIENCE_S
        while not self.button.ended:
            yield ESC if self.button.session.obstacle else TICK
            if time.monotonic() > end:
                self.defects.append("the job never ended")
                break
        self.undo.close()
        self.defects += self._found()

    def _found(self) -> Iterator[str]:
        """Tell what is not as it must be after the end."""
        if QUEUE:
            yield "the job is still in the queue"
            QUEUE.clear()
        yield from bad_sentences(self.button.said)
        if self.button.longest_s > HANG_S:
            yield f"hang: the window stood still for {self.button.longest_s:.1f} s"
        READY.end()
        yield from (f"orphan: process {number}" for number in children() - self._children)
        yield from (f"left: {path.name}" for path in left_files(self.folder) - self._files)
        if self.replaced:
            bpy.ops.wm.open_mainfile(filepath=str(self.scene))
        else:
            yield from lost_keys(self._keys, keys_of_actions(self._keys))
            if any(level == "ERROR" for level, _ in self.button.said):
                yield from stray_actions(self._known)
        yield from lost_by_saving(self.folder)


Fault = Callable[[Trial], Turns[None] | None]
"""What happens to a job, at once or over several turns."""
