"""How long work tells its caller where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sight:
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
    sight: Sight | None = None


Report = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """For callers that do not watch."""
