"""A figure of the benchmark with its bar, and how things are timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Figure:
    """A measured figure; bar: the most that it may be, or the least where at_least; None where there is none.

    note: what was measured, in a few words
    """

    name: str
    value: float
    unit: str
    bar: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """Return whether the bar is met; nothing without a bar."""
        if self.bar is None:
            return ""
        met = self.value >= self.bar if self.at_least else self.value <= self.bar
        return "met" if met else "MISSED"

    @property
    def bar_words(self) -> str:
        """Return the bar with its direction; nothing without a bar."""
        return "" if self.bar is None else f"{'>=' if self.at_least else '<='} {self.bar:g}"


def least_seconds(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the least processor time of each work [s]; they are done in turns, so that load meets all."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            began = time.process_time()
            work()
            found[name].append(time.process_time() - began)
    return {name: min(seconds) for name, seconds in found.items()}


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the line that fits log time against log size best."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
