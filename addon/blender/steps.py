"""Work in small steps, so that the window stays alive: generators that give the share done."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

LOOK_S = 0.005
"""How long to rest before looking again whether work in a thread is done."""

Made = TypeVar("Made")


def run_all(steps: Generator[float, None, Made]) -> Made:
    """All steps at once; what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: Made = end.value
            return made


def as_part(steps: Generator[float, None, Made], number: int, count: int) -> Generator[float, None, Made]:
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


def in_thread(work: Callable[[], Made], share: float = 1.0) -> Generator[float, None, Made]:
    """Work in a thread, giving back control while it lasts; it may touch nothing of Blender's."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        while not future.done():
            wait([future], LOOK_S)
            yield share
        return future.result()
