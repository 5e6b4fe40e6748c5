"""What the user is told where only a part of a motion was simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def windows_sentence(windows: Sequence[tuple[float, float]], place: Callable[[float], str]) -> str:
    """What was simulated, from when to when [s]; place: how a time is called."""
    if not windows:
        return "Nothing hits the character, so nothing was simulated: all of it is the clip as it was."
    spans = ", ".join(f"{place(start)} to {place(end)}" for start, end in windows)
    return f"Simulated from {spans}; all else is the clip as it was."
