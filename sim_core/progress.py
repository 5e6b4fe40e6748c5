"""How long work tells its caller where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """A stage in the user's words ("Simulating") and the share of the whole job done, 0 to 1."""

    stage: str
    fraction: float


Report = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """For callers that do not watch."""
