"""Folders of the repository, and how other programs are started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".dev"


# What a program is started with.
Command = list[str | Path]


class DevError(Exception):
    """Something that the developer must correct; the message is one sentence."""


def clean_environment() -> dict[str, str]:
    """Return the environment of child processes: no Python settings, one thread for linear algebra."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    kept.setdefault("OMP_NUM_THREADS", "1")
    kept.setdefault("OPENBLAS_NUM_THREADS", "1")
    return kept


def run(command: Sequence[str | Path], cwd: Path = ROOT, extra: dict[str, str] | None = None) -> int:
    """Run a program on this terminal and return its exit status."""
    environment = clean_environment() | (extra or {})
    return subprocess.run([str(part) for part in command], cwd=cwd, env=environment).returncode


def capture(
    command: Sequence[str | Path], cwd: Path = ROOT, extra: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program without output on the terminal; standard error is part of `stdout`."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment() | (extra or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def last_lines(text: str, count: int = 15) -> str:
    """Return the end of a long output, indented for display."""
    return "\n".join("    " + line for line in text.strip().splitlines()[-count:])
