"""Mutated files from which further ones are made, found by coverage and kept as chains of seeds.

A chain says how a file is made from the corpus: mutate it by the first seed, the result by the second, and
so on. `found.json` keeps the chains that reached lines of the core which no file before them had reached
(`bench fuzz --explore`). So later cases start deep inside of the readers, and the repository holds no files.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from .mutations import mutated

FOUND = Path(__file__).with_name("found.json")
CORE = f"{os.sep}sim_core{os.sep}"
FROM_A_CHAIN = 0.5
"""Share of the cases that start from a chain instead of the corpus."""
EXTENDED = 0.8
"""Share of the explored chains that begin with one that is known."""
LONGEST_CHAIN = 4

Chain = tuple[str, ...]
Line = tuple[str, int]


@lru_cache(1)
def found_chains() -> dict[str, tuple[Chain, ...]]:
    """Return the chains by the name of the reader."""
    stored: Mapping[str, list[list[str]]] = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    return {name: tuple(tuple(chain) for chain in chains) for name, chains in stored.items()}


def start_of(name: str, original: Path, rng: Random) -> bytes:
    """Return what a case mutates: the file of the corpus, or what a chain has made of it."""
    chains = found_chains().get(name, ())
    return made_by(original, rng.choice(chains) if chains and rng.random() < FROM_A_CHAIN else ())


@lru_cache(64)
def made_by(original: Path, chain: Chain) -> bytes:
    """Return the content that a chain makes of a file."""
    data = original.read_bytes()
    for seed in chain:
        data = mutated(data, original.suffix, Random(seed))
    return data


def explore(name: str, read: Callable[[Path], object], original: Path, count: int) -> list[Chain]:
    """Return chains that reach lines of the core which the original does not, found by random cases."""
    rng, chains = Random(name), list[Chain]()
    seen = lines_of(read, original, ())
    for number in range(count):
        start = rng.choice(chains) if chains and rng.random() < EXTENDED else ()
        chain = (*start[: LONGEST_CHAIN - 1], f"{name} {number}")
        new = lines_of(read, original, chain) - seen
        if new:
            seen |= new
            chains.append(chain)
    return chains


def lines_of(read: Callable[[Path], object], original: Path, chain: Chain) -> set[Line]:
    """Return the lines of the core that a file reaches, read in a child process; none where it dies."""
    with tempfile.TemporaryDirectory(prefix="heft_fuzz_") as folder:
        shutil.copytree(original.parent, folder, dirs_exist_ok=True)
        path, told = Path(folder) / original.name, Path(folder) / "lines"
        path.write_bytes(made_by(original, chain))
        child = os.fork()
        if child == 0:
            try:
                told.write_text(json.dumps(sorted(_traced(read, path))))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        return {(file, line) for file, line in json.loads(told.read_text())} if told.exists() else set()


def _traced(read: Callable[[Path], object], path: Path) -> set[Line]:
    """Read a file, and return the lines of the core that ran."""
    lines: set[Line] = set()

    def of_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines.add((frame.f_code.co_filename.rpartition(CORE)[2], frame.f_lineno))
        return of_line

    sys.settrace(lambda frame, *_: of_line if CORE in frame.f_code.co_filename else None)
    try:
        read(path)
    finally:
        sys.settrace(None)
    return lines
