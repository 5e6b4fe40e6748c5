"""The parent's side of a worker process that dies."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from sim_core.base.child_process import ChildProcess, Ended

LIMIT_S = 30.0
WAITS = "import sys; sys.stdin.read()"


def child(folder: Path) -> ChildProcess:
    """Start a process that waits for the end of its standard input."""
    return ChildProcess([sys.executable, "-c", WAITS], folder, os.environ, "work", "try again")


def killed(process: ChildProcess) -> Ended:
    """Kill a process; return its last event."""
    os.kill(process.process_id, signal.SIGKILL)
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        event = process.wait(LIMIT_S)
        if isinstance(event, Ended):
            return event
    raise AssertionError("the process did not end")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_line_for_a_process_that_was_killed_is_lost_in_silence(tmp_path: Path) -> None:
    """What is left in the pipe is written once more when it is closed; the process is told of once."""
    process = child(tmp_path)
    last = killed(process)
    assert "killed by SIGKILL" in str(last.error)
    process.send("written\n")
    process.stop()
    process.stop()


def test_a_process_ends_with_its_standard_input(tmp_path: Path) -> None:
    process = child(tmp_path)
    assert process.runs
    process.stop()
    assert not process.runs
