"""How long work tells its caller where it is.

How long work will still take, from the pace of the stage that runs now.

How a solver tells how far it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PreviewFrame:
    """A moment of what was simulated, to be looked at while the rest is.

    time: on the motion's own axis [s]
    figures: for each character its sticks, six numbers each: both ends, where the motion was read [m]
    """

    time: float
    figures: tuple[tuple[tuple[float, ...], ...], ...]


@dataclass(frozen=True)
class Progress:
    """A stage in the user's words ("Simulating") and the share of the whole job done, 0 to 1."""

    stage: str
    fraction: float
    preview: PreviewFrame | None = None


Report = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """For callers that do not watch."""


WINDOW_S = 10.0
"""The pace is the mean over so long: shorter jumps about, longer learns too late that work became slower."""
LEAST_S = 2.0
LEAST_SHARE = 0.02
"""Nothing is said before a stage has run so long and come so far: it would be a guess."""
MOST_S = 6.0 * 3600.0
"""Nothing is said of more than this: such a pace is too small to be measured."""


class TimeLeft:
    """Told of all progress, it knows how long the rest takes at the present pace."""

    def __init__(self) -> None:
        self._stage = ""
        self._seen: deque[tuple[float, float]] = deque()

    def update(self, progress: Progress, now_s: float) -> float | None:
        """Seconds left, or None while nothing meaningful can be said; call it also when nothing moved.

        Another stage, and a stage that starts over (a second attempt), is measured anew.
        """
        if progress.stage != self._stage or (self._seen and progress.fraction < self._seen[-1][1]):
            self._stage = progress.stage
            self._seen.clear()
        self._seen.append((now_s, progress.fraction))
        while now_s - self._seen[0][0] > WINDOW_S:
            self._seen.popleft()
        start_s, start = self._seen[0]
        took, done = now_s - start_s, progress.fraction - start
        if took < LEAST_S or done < LEAST_SHARE:
            return None
        left = (1.0 - progress.fraction) * took / done
        return left if left <= MOST_S else None


def words_of(seconds: float | None) -> str:
    """For the user, no finer than it is known; nothing while nothing is known."""
    if seconds is None:
        return ""
    if seconds < 10.0:
        return "a few seconds left"
    if seconds < 57.5:
        return f"about {5 * round(seconds / 5.0)} s left"
    if seconds < 59.5 * 60.0:
        return f"about {max(1, round(seconds / 60.0))} min left"
    return f"about {seconds / 3600.0:.1f} h left"


Watch = Callable[[float], None]
"""Told the share that is done, 0 to 1; may raise to stop."""


def unwatched(_: float) -> None:
    """For callers that do not watch."""
