"""The time that a search has taken, and what the user sees of it meanwhile."""

from __future__ import annotations

import time as clock

from ..base.progress import PreviewFrame
from ..base.worker_process import finish_is_wanted
from .monitor import Monitor


class SearchBudget:
    """Measures the wall time of a search, and reports a progress that never goes back."""

    def __init__(self, seconds: float, monitor: Monitor, stage: str = "") -> None:
        """Begin to measure; stage: what the user reads meanwhile."""
        self.seconds, self.monitor = seconds, monitor
        self.began, self.share = clock.monotonic(), 0.0
        self.stage = stage or f"This clip is hard: searching, at most {seconds:.0f} s"

    @property
    def elapsed_s(self) -> float:
        """Return the wall time since the search began [s]."""
        return clock.monotonic() - self.began

    @property
    def ended(self) -> str:
        """Return why the search must end now; nothing while it may go on."""
        if finish_is_wanted():
            return "it was asked to finish"
        used_up = self.elapsed_s >= self.seconds
        return f"the {self.seconds:.0f} s that it may take were used up" if used_up else ""

    def report(self, share: float = 0.0, preview: PreviewFrame | None = None) -> None:
        """Report a share of the motion that is done; the time that has passed counts, too."""
        self.share = min(max(self.share, share, self.elapsed_s / max(self.seconds, 1e-9)), 1.0)
        self.monitor.simulated(self.stage, self.share, preview, can_finish=not finish_is_wanted())
