"""Sentences that the command line and Blender share, in the words of Blender.

A moment is written with two decimals after "at", "from" or "to" ("at 0.48 s"); an option of the command line
stands in parentheses ("(--loop)", "(or --loop)"). A duration within the motion stands after "for".
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SPAN = re.compile(r"\b([Ff]rom) (\d+\.\d\d) to (\d+\.\d\d) s\b")
_MOMENT = re.compile(r"\b([Aa]t|[Ff]rom|[Tt]o) (\d+\.\d\d) s\b")
_DURATION = re.compile(r"\bfor (\d+\.\d\d) s\b")
_OPTION = re.compile(r" \((?:or )?--[^)]*\)")


def for_blender(sentence: str, frame_at: Callable[[float], int]) -> str:
    """Return a sentence with frames instead of seconds, and without options of the command line."""

    def moment(found: re.Match[str]) -> str:
        return f"{found[1]} frame {frame_at(float(found[2]))}"

    def span(found: re.Match[str]) -> str:
        return f"{found[1]} frame {frame_at(float(found[2]))} to {frame_at(float(found[3]))}"

    def duration(found: re.Match[str]) -> str:
        frames = max(1, frame_at(float(found[1])) - frame_at(0.0))
        return f"for {frames} frame{'s' * (frames > 1)}"

    timed = _DURATION.sub(duration, _MOMENT.sub(moment, _SPAN.sub(span, sentence)))
    return _OPTION.sub("", timed)
