"""Work in small steps, so that the window stays alive: generators that give the share done."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Made = TypeVar("Made")


def run_through(steps: Generator[float, None, Made]) -> Made:
    """All steps at once; what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: Made = end.value
            return made


def part_of(steps: Generator[float, None, Made], number: int, count: int) -> Generator[float, None, Made]:
    """Steps as one of several parts of equal size, counted from 0."""
    try:
        while True:
            try:
                share = next(steps)
            except StopIteration as end:
                made: Made = end.value
                return made
            yield (number + share) / count
    finally:
        steps.close()
