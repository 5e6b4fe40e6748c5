"""A score from 0 to 100 computed from a motion's figures (docs/report.md).

Each figure starts at 100 and is halved for each `half` of it: 100 * 2^(-value / half). A part of the score is
the worst of its figures. The total is half way between the mean of the parts and the worst of them, so that
one obvious fault is not hidden by four parts that are fine. A motion with a fall gets at most 40, and less
the sooner the character falls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HALF: dict[str, dict[str, float]] = {
    "feet": {"skate_cm_s": 5.0, "penetration_mean_mm": 10.0},
    "forces": {"outside_share": 0.1},
    "effort": {"effort_share": 0.25, "overload_mean": 0.25},
    "smoothness": {"jitter_deg": 1.0},
    "balance": {"tipping_m": 0.05},
}
"""By part and figure: the value that halves the score."""

FALLEN = 40.0
"""Highest score of a motion whose character falls."""

PART_WORDS = {
    "feet": "Feet",
    "forces": "Forces",
    "effort": "Effort",
    "smoothness": "Smoothness",
    "balance": "Balance",
}

_VERDICTS = (
    (90.0, "physically sound"),
    (70.0, "good, with small faults"),
    (40.0, "faults that show"),
    (0.0, "not believable"),
)


@dataclass(frozen=True)
class Score:
    """total and parts: 0 to 100; parts without figures are missing."""

    total: float
    parts: Mapping[str, float]

    @property
    def verdict(self) -> str:
        """The total in words."""
        return next(words for least, words in _VERDICTS if self.total >= least)


def score_of(figures: Mapping[str, Any]) -> Score:
    """Return the score of figures; those that are missing or None are left out."""
    parts: dict[str, float] = {}
    for part, halves in HALF.items():
        values = [
            halved(float(figures[name]), half)
            for name, half in halves.items()
            if figures.get(name) is not None
        ]
        if values:
            parts[part] = min(values)
    mean = sum(parts.values()) / len(parts)
    total = 0.5 * (mean + min(parts.values()))
    if figures["full"]:
        return Score(total, parts)
    most = FALLEN * float(figures["up_s"]) / float(figures["seconds"])
    return Score(min(total, most), parts | {"balance": min(parts.get("balance", most), most)})


def halved(value: float, half: float) -> float:
    """Return 100, halved for each `half` of the value."""
    return float(100.0 * 2.0 ** (-max(value, 0.0) / half))
