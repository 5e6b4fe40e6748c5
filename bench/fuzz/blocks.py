"""Blocks of cases that are kept on disk, each with its commit, so that a run can go on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .cases import FAULTS, HANG, REFUSED, Case

SIZE = 250
"""Cases in a block."""


@dataclass(frozen=True)
class Block:
    """What became of the cases `first` to `first + count - 1` of a reader.

    verdicts: how many cases by verdict; faults: seed, verdict and words of each
    refusals: the different sentences, without their names and numbers
    seconds: longest time of a case that ended [s]; memory: largest [bytes]
    """

    reader: str
    first: int
    count: int
    commit: str
    verdicts: dict[str, int]
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    seconds: float = 0.0
    memory: int = 0


def block_of(reader: str, first: int, commit: str, cases: Sequence[Case]) -> Block:
    """Return cases in numbers."""
    return Block(
        reader,
        first,
        len(cases),
        commit,
        dict(Counter(case.verdict for case in cases)),
        [(case.seed, case.verdict, case.said) for case in cases if case.verdict in FAULTS],
        sorted({_bare(case.said) for case in cases if case.verdict == REFUSED}),
        max((case.seconds for case in cases if case.verdict != HANG), default=0.0),
        max(case.memory for case in cases),
    )


def _bare(sentence: str) -> str:
    """Return a sentence without what is quoted and counted in it."""
    return re.sub(r"-?\d[\d.e+-]*", "#", re.sub(r"'[^']*'", "'..'", sentence))[:200]


def load_blocks(path: Path) -> Iterator[Block]:
    """Yield the blocks of a file; of one that was read again, only the last."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    blocks = [Block(**json.loads(line)) for line in lines if line.endswith("}")]
    yield from {(block.reader, block.first): block for block in blocks}.values()


def keep(block: Block, path: Path) -> None:
    """Add a block to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(block)) + "\n")
