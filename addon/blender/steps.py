"""Generators that yield the share done, so that the window can draw between steps."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

LOOK_S = 0.005
"""Interval of asking whether work in a thread is done [s]."""

Made = TypeVar("Made")


def run_all(steps: Generator[float, None, Made]) -> Made:
    """Run all steps at once and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: Made = end.value
            return made


def at_once(made: Made) -> Generator[float, None, Made]:
    """Return what is there already, in one step."""
    yield 1.0
    return made


def as_part(steps: Generator[float, None, Made], number: int, count: int) -> Generator[float, None, Made]:
    """Run steps as one of several parts of equal size, numbered from 0."""
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


def in_thread(work: Callable[[], Made], share: float = 1.0) -> Generator[float, None, Made]:
    """Run work in a thread, yielding until it is done; it must not touch Blender's data."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        while not future.done():
            wait([future], LOOK_S)
            yield share
        return future.result()
