"""Progress of long work: how it is reported, and how much time is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class PreviewFrame:
    """One pose of all characters, shown while the simulation runs.

    time: on the motion's own time axis [s]
    figures: for each character its line segments, six numbers each: both ends in the world of the source [m]
    """

    time: float
    figures: tuple[tuple[tuple[float, ...], ...], ...]


@dataclass(frozen=True)
class Progress:
    """A stage in words for the user ("Simulating") and the fraction of the whole job that is done, 0 to 1.

    can_finish: the work can be ended now, with the best result so far
    """

    stage: str
    fraction: float
    preview: PreviewFrame | None = None
    can_finish: bool = False


ProgressCallback = Callable[[Progress], None]
"""Called with the progress of a job; it may raise to stop the job."""
FractionCallback = Callable[[float], None]
"""Called by a solver with the fraction of its own work that is done, 0 to 1; it may raise to stop it."""


def ignore_progress(_: Progress | float) -> None:
    """Do nothing: the callback of callers who do not want to know."""


def within_stage(report: ProgressCallback, stage: str, start: float, end: float) -> FractionCallback:
    """Return a callback for a solver whose work is the part from `start` to `end` of the whole job."""
    return lambda fraction: report(Progress(stage, start + (end - start) * fraction))


def within(report: ProgressCallback, start: float, end: float) -> ProgressCallback:
    """Return a callback for a job that is the part from `start` to `end` of a larger one."""
    return lambda own: report(replace(own, fraction=start + (end - start) * own.fraction))


WINDOW_S = 10.0
"""Time over which the pace is averaged: less makes it jump, more hides that work has become slower."""
MIN_ELAPSED_S = 2.0
MIN_FRACTION = 0.02
"""A stage must have run for so long and have come so far before its pace can be measured."""
MAX_TIME_LEFT_S = 6.0 * 3600.0
"""Estimates above this are not given: such a slow pace cannot be measured."""


class TimeLeft:
    """Estimates how long the rest of a job takes, from the pace of the stage that runs now."""

    def __init__(self) -> None:
        self._stage = ""
        self._seen: deque[tuple[float, float]] = deque()

    def update(self, progress: Progress, now_s: float) -> float | None:
        """Return the estimate [s], or None while there is none; call this also when nothing has changed.

        The measurement starts again with every stage, and with a stage that starts over for another attempt.
        """
        if progress.stage != self._stage or (self._seen and progress.fraction < self._seen[-1][1]):
            self._stage = progress.stage
            self._seen.clear()
        self._seen.append((now_s, progress.fraction))
        while now_s - self._seen[0][0] > WINDOW_S:
            self._seen.popleft()
        start_s, start = self._seen[0]
        took, done = now_s - start_s, progress.fraction - start
        if took < MIN_ELAPSED_S or done < MIN_FRACTION:
            return None
        left = (1.0 - progress.fraction) * took / done
        return left if left <= MAX_TIME_LEFT_S else None


def describe_time_left(seconds: float | None) -> str:
    """Return an estimate in words, rounded to its accuracy; an empty text where there is none."""
    if seconds is None:
        return ""
    if seconds < 10.0:
        return "a few seconds left"
    if seconds < 57.5:
        return f"about {5 * round(seconds / 5.0)} s left"
    if seconds < 59.5 * 60.0:
        return f"about {max(1, round(seconds / 60.0))} min left"
    return f"about {seconds / 3600.0:.1f} h left"
