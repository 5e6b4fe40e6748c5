"""What a bake reports while it runs, and how long each of its phases takes."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from contextlib import contextmanager

from ..base.progress import PreviewFrame, Progress, ProgressCallback

PREPARED_AT, SIMULATED_FROM, SIMULATED_TO, WRITTEN_FROM = 0.05, 0.2, 0.97, 0.98
"""Shares of the progress bar at which the phases begin."""


class Monitor:
    """Passes progress on to the caller and measures wall time by phase.

    seconds: wall time by phase [s]; a phase that is entered again adds up
    simulations: how many simulations were started
    """

    def __init__(self, report: ProgressCallback) -> None:
        self._report = report
        self.seconds: dict[str, float] = {}
        self.simulations = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time that is spent inside."""
        started = clock.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + clock.perf_counter() - started

    def progress(self, stage: str, fraction: float) -> None:
        """Report a stage in words, and how far the bake is as a whole."""
        self._report(Progress(stage, fraction))

    def simulated(
        self, stage: str, share: float, preview: PreviewFrame | None, can_finish: bool = False
    ) -> None:
        """Report how much of a simulation is done, with a preview of its characters now and then."""
        fraction = SIMULATED_FROM + (SIMULATED_TO - SIMULATED_FROM) * share
        self._report(Progress(stage, fraction, preview, can_finish))
