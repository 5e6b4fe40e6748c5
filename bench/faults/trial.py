"""One job with one fault at a moment, and the checks after its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import bpy
from bpy.types import Object
from heft.addon.jobs.job_queue import QUEUE
from heft.addon.jobs.job_runner import JobRunner
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

HANG_S = 5.0
"""A turn of the window that takes longer is a hang [s]."""
PATIENCE_S = 60.0
"""A job that has not ended by then never will [s]."""
MOST_TURNS, MOST_WAIT_S = 60, 1.5
"""The latest moment in a phase: turns while the scene is read or written, time while the child works [s]."""
PHASES = ("reading", "working", "writing")


class Trial:
    """A job on its way, and what a fault may use.

    undo: what is taken back before the checks, such as a patched clock
    replaced: the fault has opened another file
    """

    def __init__(self, work: Work, scene: Path, folder: Path, rng: Random) -> None:
        """Open the work's file and press its button."""
        bpy.ops.wm.open_mainfile(filepath=str(scene))
        bpy.ops.ed.undo_push(message="Opened")
        self.work, self.scene, self.folder, self.rng = work, scene, folder, rng
        self.undo, self.replaced, self.defects = ExitStack(), False, list[str]()
        self._children, self._files = children(), left_files(folder)
        self.button = work.press(folder)
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

    def go_to(self, phase: str, share: float) -> None:
        """Run the job to a moment of a phase, or to its end if that comes first."""
        while not self.button.ended and PHASES.index(self.phase) < PHASES.index(phase):
            self.turn()
        turns, end = int(MOST_TURNS**share), time.monotonic() + MOST_WAIT_S * share
        while not self.button.ended and self.phase == phase and turns > 0:
            self.turn()
            turns -= phase != "working" or time.monotonic() > end

    def strike(self, fault: Callable[[Trial], None]) -> None:
        """Let the fault happen; what it does to keys is the user's own doing."""
        self.defects += lost_keys(self._keys, keys_of_actions(self._keys))
        existing = {action.session_uid for action in bpy.data.actions}
        fault(self)
        made = {action.session_uid for action in bpy.data.actions} - existing
        own = {action.session_uid for action in bpy.data.actions if action.heft_result.checksum}
        self._known |= made
        self._keys = keys_of_actions((set(self._keys) | made) - own)

    def turn(self, event: str = "TIMER") -> None:
        """Send an event to the button; what it raises instead of telling is a defect."""
        try:
            self.button.turn(event)
        except Exception as problem:
            self.defects.append(f"raised {type(problem).__name__}: {problem}")

    def child(self) -> JobRunner | None:
        """Return the child process of the job once it is there; None if the job ends before."""
        session = self.button.session
        while not self.button.ended:
            if session._runner is not None:
                return session._runner
            if session._starting is not None and session._starting.done():
                with suppress(HeftError):  # the session tells of it
                    return session._starting.result()
            self.turn()
        return None

    def finish(self) -> None:
        """Run the job to its end; one that waits for the user is cancelled, as by a user who gives up."""
        end = time.monotonic() + PATIENCE_S
        while not self.button.ended:
            self.turn("ESC" if self.button.session.obstacle else "TIMER")
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
        yield from (f"orphan: process {number}" for number in children() - self._children)
        yield from (f"left: {path.name}" for path in left_files(self.folder) - self._files)
        if self.replaced:
            bpy.ops.wm.open_mainfile(filepath=str(self.scene))
        else:
            yield from lost_keys(self._keys, keys_of_actions(self._keys))
            if any(level == "ERROR" for level, _ in self.button.said):
                yield from stray_actions(self._known)
        yield from lost_by_saving(self.folder)
