"""The time of a plan: that of the run, but faster or slower while a balance policy asks for it."""

from __future__ import annotations

from dataclasses import dataclass

BACK_RATE = 0.1
"""Share by which the clock is slower than the run until it is in pace again, or faster."""


@dataclass
class PlanClock:
    """Time of the plan.

    lead_s: by how much the plan is ahead of the run [s]; rate: seconds of the plan in one of the run
    read_s: the run's time when the clock was read last [s]; interval_s: since it was read before that [s]
    """

    lead_s: float = 0.0
    rate: float = 1.0
    read_s: float = 0.0
    interval_s: float = 0.0

    def read(self, time_s: float) -> float:
        """Return the plan's time at a time of the run [s]."""
        self.interval_s, self.read_s = time_s - self.read_s, time_s
        self.lead_s += (self.rate - 1.0) * self.interval_s
        return time_s + self.lead_s

    def go(self, rate: float) -> None:
        """Run at a rate until the next reading; one of 1 brings the clock back into pace."""
        self.rate = rate
        if rate == 1.0 and self.lead_s != 0.0:
            most = BACK_RATE * self.interval_s
            self.rate -= min(max(self.lead_s, -most), most) / max(self.interval_s, 1e-9)
