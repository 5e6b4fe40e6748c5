"""Progress and messages of a command, on standard error."""

from __future__ import annotations

import sys

from ..base.progress import Progress
from .streams import tell


class Console:
    """Prints progress on one line on a terminal, and each stage once in a log."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._shown = ""

    def message(self, text: str) -> None:
        """Print a message on a line of its own."""
        self._end_live_line()
        tell(text)

    def progress(self, progress: Progress) -> None:
        """Print how far the work is."""
        if not self._live:
            if progress.stage != self._shown:
                tell(f"{progress.stage} ...")
            self._shown = progress.stage
            return
        line = f"{progress.stage} {progress.fraction:4.0%}"
        if line != self._shown:
            tell(f"\r{line.ljust(len(self._shown))}", end="")
        self._shown = line

    def _end_live_line(self) -> None:
        if self._live and self._shown:
            tell("")
            self._shown = ""
