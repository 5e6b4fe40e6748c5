"""Batches that are started as a user does, and what their logs say."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..common.clips import ROOT

STARTED, FINISHED = "started", "finished"


def start(path: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    """Start the batch command."""
    words = ["batch", str(path), "--out", str(out), *options, "--json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "sim_core", *words]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def wait_until(happened: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    """Return what `happened` returns as soon as that is true; None if the process ends before."""
    while process.poll() is None:
        if found := happened():
            return found
        time.sleep(0.05)
    return None


def notes(out: Path, what: str) -> dict[str, int]:
    """Return how often each item was started, or finished."""
    logs = sorted((out / "log").glob("*.log"))
    return {log.stem: sum(line.endswith(what) for line in log.read_text().splitlines()) for log in logs}
