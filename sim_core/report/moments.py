"""The worst frames: problems that come together, told together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .problems import Problem

TOGETHER_S = 0.1
"""Problems whose worst samples are closer are told together [s]."""
SHOWN = 12
"""Worst frames that are listed."""


@dataclass(frozen=True)
class Moment:
    """at_s: since the first sample; problems: the worst first"""

    at_s: float
    problems: tuple[Problem, ...]

    @property
    def text(self) -> str:
        return "; ".join(problem.text for problem in self.problems)


def worst_moments(problems: Sequence[Problem], most: int = SHOWN) -> tuple[Moment, ...]:
    """The worst first; each problem is in one of them."""
    left, moments = sorted(problems, key=lambda problem: -problem.severity), list[Moment]()
    while left and len(moments) < most:
        at = left[0].at_s
        near = [problem for problem in left if abs(problem.at_s - at) < TOGETHER_S]
        left = [problem for problem in left if abs(problem.at_s - at) >= TOGETHER_S]
        moments.append(Moment(at, tuple(near)))
    return tuple(moments)
