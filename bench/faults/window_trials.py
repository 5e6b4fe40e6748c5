"""The inside of `bench faults --window`: buttons are pressed in a real window, and Blender runs their jobs.

A timer takes each trial one step further, so that events, drawing and operators come in between as always. A
trial that is begun and that ends is a line in the shared folder, so that the outside knows which one Blender
did not survive.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest.mock import patch

import bpy
from bpy.types import Operator
from heft.addon.jobs.job_queue import QUEUE
from heft.addon.live import live_play
from heft.operators.job_operator import JobOperator

from tests.blender.rigs import pass_through
from tests.gui.window import OPTIONS, SHARED, Window, run_in_window

from .machine_faults import MACHINE_FAULTS
from .process_faults import stop_blender
from .trial import ESC, Fault, Trial
from .trials import Draw, short_steps
from .user_faults import USER_FAULTS
from .works import WORKS, BriefPlay

TURN_S = 0.01
"""Between two steps of a trial [s]; Blender's timers of jobs come every 0.05 s."""


def kill_this_blender(trial: Trial) -> None:
    """End as a crash does; the outside looks at what is left."""
    runner = trial.button.session._runner
    digest = hashlib.sha256(trial.scene.read_bytes()).hexdigest()
    child = 0 if runner is None else runner.process_id
    note("killed", child=child, scene=str(trial.scene), digest=digest)
    os.kill(os.getpid(), signal.SIGKILL)


# Factory settings disable the extension; what that leaves is tested by "disabling" among the window tests.
FAULTS: dict[str, Fault] = {
    **MACHINE_FAULTS,
    **{name: fault for name, fault in USER_FAULTS.items() if name != "factory settings"},
    "Blender stopped for 10 s": stop_blender,
    "Blender killed": kill_this_blender,
}


def note(kind: str, **values: Any) -> None:
    """Write a line for the outside."""
    with (SHARED / "faults.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"kind": kind} | values) + "\n")


class WindowButton:
    """A button that was pressed in the window."""

    def __init__(self, window: Window, work: str, folder: Path) -> None:
        SAID.clear()
        self.longest_s = 0.0
        operator = getattr(bpy.ops.heft, WORKS[work].button.bl_idname.removeprefix("heft."))
        with window.context():
            if work == "page":
                pass_through(bpy.context, bpy.context.view_layer.objects.active)
                # Blender crashes by an undo after a script has changed a file without a step of its own.
                bpy.ops.ed.undo_push(message="Baked")
                operator("EXEC_DEFAULT", filepath=str(folder / "page.html"))
            else:
                operator("INVOKE_DEFAULT")
        assert QUEUE.running is not None, f"the button of '{work}' started nothing: {SAID}"
        self.session = QUEUE.running

    @property
    def said(self) -> list[tuple[str, str]]:
        """What was reported, and what the panel says of a job that ended with its file."""
        return [*SAID, *([("ERROR", QUEUE.last_words)] if QUEUE.last_words else [])]

    @property
    def ended(self) -> bool:
        """Whether the job has left the queue."""
        return self.session not in QUEUE


SAID: list[tuple[str, str]] = []
RAISED: list[str] = []


def listen() -> None:
    """Keep what operators say, and what they raise instead; let live plays end by themselves."""

    def attribute(operator: Operator, name: str) -> Any:
        # Blender finds its own functions before those of Python's classes: `report` cannot be overridden.
        found = Operator.__getattribute__(operator, name)
        return partial(report, found) if name == "report" else found

    def report(own: Callable[[set[str], str], None], level: set[str], text: str) -> None:
        SAID.append((next(iter(level)), text))
        own(level, text)

    def raised(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        RAISED.append(f"raised {kind.__name__}: {problem}")
        sys.__excepthook__(kind, problem, trace)

    sys.excepthook = raised
    patch.object(JobOperator, "__getattribute__", attribute).start()
    patch.object(live_play, "LivePlay", BriefPlay).start()


def one_trial(window: Window, seed: int) -> Generator[float, None, dict[str, Any]]:
    """Let one job meet its fault, and return what was found."""
    draw = Draw.of(seed, list(FAULTS))
    note("begun", seed=seed, work=draw.work, fault=draw.fault, phase=draw.phase)
    RAISED.clear()
    with tempfile.TemporaryDirectory(prefix="faults_") as folder, short_steps():
        scene = SHARED / f"{draw.work}.blend"
        trial = Trial(WORKS[draw.work], scene, Path(folder), draw.rng, window.context)
        yield TURN_S  # the window of the opened file is drawn
        button = WindowButton(window, draw.work, Path(folder))
        try:
            for event in trial.course(button, draw.phase, draw.share, FAULTS[draw.fault]):
                if event == ESC:
                    window.press("ESC")
                began = time.monotonic()
                yield TURN_S
                button.longest_s = max(button.longest_s, time.monotonic() - began - TURN_S)
        finally:
            QUEUE.clear()  # a defect of one trial must not reach the next one
    return draw.outcome(trial) | {"defects": [*trial.defects, *RAISED]}


def all_trials(window: Window) -> Generator[float, None, None]:
    """Let the asked trials happen one after the other; an error of the harness is told as a defect."""
    for seed in OPTIONS["seeds"]:
        try:
            outcome = yield from one_trial(window, seed)
        except Exception as problem:
            outcome = {"error": f"raised {type(problem).__name__}: {problem}"}
        note("ended", seed=seed, outcome=outcome)


def main() -> None:
    """Say which Blender this is, and run all trials."""
    (SHARED / "version").write_text(".".join(map(str, bpy.app.version)), "utf-8")
    listen()
    run_in_window(all_trials(Window()))
