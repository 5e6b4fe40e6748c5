"""The clock of a live run: control intervals at their time, faster or slower, paused or one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..motion.motion import CONTROL_DT

LATE_S = 0.02
"""An interval that ends later than this after its time is late [s]."""
GIVE_UP_S = 0.1
"""What is later than this is not caught up with: the clock goes on from there [s]."""
SLOWEST, FASTEST = 0.05, 4.0
"""Limits of the chosen speed."""
STEP_TICKS = 4
"""Control intervals of a single step: a frame of 25 in a second."""
MEASURED_S = 0.5
"""Time over which the speed is measured [s]."""


@dataclass(eq=False)
class Clock:
    """When the next control interval is due, and how many were late.

    give_up_s: what is later is not caught up with [s]
    now: the system's clock; due_s: when the next interval should end, on that clock [s]
    """

    now: Callable[[], float] = time.perf_counter
    factor: float = 1.0
    paused: bool = False
    steps: int = 0
    give_up_s: float = GIVE_UP_S
    ticks: int = 0
    late: int = 0
    speed: float = 0.0
    due_s: float = field(default=0.0, init=False)
    _measured: tuple[float, int] = field(default=(0.0, 0), init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin now."""
        self.due_s = self.now() + CONTROL_DT / self.factor
        self._measured = (self.now(), self.ticks)

    def set_speed(self, factor: float) -> None:
        """Let time pass at another speed from now on."""
        self.factor = min(max(factor, SLOWEST), FASTEST)
        self.start()

    def pause(self, on: bool) -> None:
        """Stop the time, or let it go on from now."""
        self.paused, self.steps = on, 0
        self.start()

    def wait_s(self) -> float:
        """Return how long to wait until the next interval should begin [s]; infinite while time stands."""
        if self.paused:
            return 0.0 if self.steps > 0 else float("inf")
        return max(0.0, self.due_s - CONTROL_DT / self.factor - self.now())

    def ticked(self) -> None:
        """Take note of an interval that was simulated."""
        self.ticks += 1
        if self.paused:
            self.steps -= 1
            return
        now, length = self.now(), CONTROL_DT / self.factor
        behind = now - self.due_s
        self.late += behind > LATE_S
        self.due_s = now if behind > self.give_up_s else self.due_s + length
        began, ticks = self._measured
        if now - began > MEASURED_S:
            self.speed = (self.ticks - ticks) * CONTROL_DT / (now - began)
            self._measured = (now, self.ticks)

    @property
    def late_share(self) -> float:
        """Share of the intervals that were late."""
        return self.late / max(self.ticks, 1)
