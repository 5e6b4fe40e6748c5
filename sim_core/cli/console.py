"""Progress and messages of a command, on standard error."""

from __future__ import annotations

import sys

from ..base.progress import Progress


class Console:
    """Prints progress on one line on a terminal, and each stage once in a log."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._live = self._stream.isatty()
        self._shown = ""

    def message(self, text: str) -> None:
        """Print a message on a line of its own."""
        self._end_live_line()
        print(text, file=self._stream)

    def progress(self, progress: Progress) -> None:
        """Print how far the work is."""
        if not self._live:
            if progress.stage != self._shown:
                print(f"{progress.stage} ...", file=self._stream, flush=True)
            self._shown = progress.stage
            return
        line = f"{progress.stage} {progress.fraction:4.0%}"
        if line != self._shown:
            print(f"\r{line.ljust(len(self._shown))}", end="", file=self._stream, flush=True)
        self._shown = line

    def _end_live_line(self) -> None:
        if self._live and self._shown:
            print(file=self._stream)
            self._shown = ""
