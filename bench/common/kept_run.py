"""The course of a benchmark that keeps its outcomes: run what is not known yet, then write the page."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from .cache import Cache, Item
from .clips import require_data
from .options import CACHE
from .pool import Budget, run_tasks


def run_kept(
    name: str,
    options: argparse.Namespace,
    tasks: list[list[Item]],
    describe: Callable[[Item], str],
    write: Callable[[Cache, Path], str],
    jobs: int | None = None,
) -> int:
    """Run what is not known yet, and write and print the page; return the exit status.

    options: of `common_parser`; describe: names an item in a line of progress; write: gets the folder
    of the results and returns the page; jobs: worker processes, where the options must not choose them
    """
    require_data()
    cache, budget = Cache(name, CACHE / f"{name}.jsonl", options.fresh), Budget(options.minutes)
    if not options.report:
        run_tasks(name, tasks, cache, jobs or options.jobs, budget, describe)
    options.out.mkdir(parents=True, exist_ok=True)
    print(write(cache, options.out))
    cache.warn_of_edits()
    return 0
