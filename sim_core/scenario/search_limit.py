"""How long a search may take."""

from __future__ import annotations

from .settings import BakeSettings

PACE, LEAST_S, MOST_S = 60.0, 120.0, 1800.0
"""Wall time for each second of motion [s], and its bounds [s], where the settings give no limit."""
LIMIT_WORDS = f"{PACE:g} for each second of motion, {LEAST_S:g} to {MOST_S:g} in all"
"""The same in words."""


def budget_seconds(settings: BakeSettings, duration_s: float) -> float:
    """Return how long a search may take [s] for a motion of some duration [s]."""
    if settings.search_seconds is not None:
        return settings.search_seconds
    return min(max(PACE * duration_s, LEAST_S), MOST_S)
