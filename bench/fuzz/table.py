"""The page of the figures: a row for each reader, of the blocks that are known or of the page before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..common.tables import Columns, markdown
from .blocks import Block
from .cases import FAULTS, READ, REFUSED
from .readers import READERS

COLUMNS: Columns = {
    "reader": "{reader}",
    "cases": "{cases}",
    "refused": "{refused}",
    "in different words": "{words}",
    "read": "{read}",
    "crashed": "{crash}",
    "over 5 s": "{hang}",
    "vague": "{vague}",
    "odd body": "{odd}",
    "longest, s": "{seconds:.2f}",
    "most memory, MB": "{memory:.0f}",
    "commit": "{commit}",
}
KEYS = ("reader", "cases", "refused", "words", "read", *FAULTS, "seconds", "memory", "commit")
TEXTS, FRACTIONS = ("reader", "commit"), ("seconds", "memory")


@dataclass(frozen=True)
class Row:
    """The figures of a reader; faults: the lines that tell of each, with its seed."""

    figures: dict[str, Any]
    faults: list[str] = field(default_factory=list)


def report_of(blocks: Sequence[Block], asked: int, page: str = "", forgotten: Collection[str] = ()) -> str:
    """Return the page; asked: cases for each reader.

    page: the one before; a reader keeps its row where that has more cases than are known here, because blocks
    do not travel with the repository. forgotten: readers whose row there does not count
    """
    kept = {name: row for name, row in rows_of(page).items() if name in READERS and name not in forgotten}
    rows = [row for name in READERS if (row := _larger(_known(name, blocks), kept.get(name))) is not None]
    intro = (
        "Made by `python3 dev.py bench fuzz`; docs/benchmarks.md says how to read it. Cases are numbered "
        "from 1 on, `READER NUMBER` is the seed of each. Every reader has the commit it was run at."
    )
    cases, faults = sum(row.figures["cases"] for row in rows), [line for row in rows for line in row.faults]
    summary = f"{cases} cases, {len(faults)} faults."
    if any(row.figures["cases"] != asked for row in rows):
        summary += f" The run was ended before the {asked} cases for each reader that were asked for."
    table = markdown([row.figures for row in rows], COLUMNS)
    parts = ("# Fuzzing", intro, summary, table, "\n".join(faults))
    return "\n\n".join(part for part in parts if part) + "\n"


def rows_of(page: str) -> dict[str, Row]:
    """Return the rows of a page by their readers."""
    lines = page.splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    figures = [dict(zip(KEYS, row, strict=True)) for row in cells[2:]]
    return {
        row["reader"]: Row(
            {key: _value(key, text) for key, text in row.items()},
            [line for line in lines if line.startswith(f"- {row['reader']} ")],
        )
        for row in figures
    }


def _value(key: str, text: str) -> Any:
    return text if key in TEXTS else float(text) if key in FRACTIONS else int(text)


def _larger(known: Row | None, kept: Row | None) -> Row | None:
    """Return the row with more cases, the known one if they are equal."""
    if known is None or kept is None:
        return known or kept
    return kept if kept.figures["cases"] > known.figures["cases"] else known


def _known(name: str, blocks: Sequence[Block]) -> Row | None:
    own = [block for block in blocks if block.reader == name]
    if not own:
        return None
    figures = {
        "reader": name,
        "cases": sum(block.count for block in own),
        **{
            verdict: sum(block.verdicts.get(verdict, 0) for block in own)
            for verdict in (READ, REFUSED, *FAULTS)
        },
        "words": len({sentence for block in own for sentence in block.refusals}),
        "seconds": max(block.seconds for block in own),
        "memory": max(block.memory for block in own) / 1e6,
        "commit": ", ".join(dict.fromkeys(_short(block.commit) for block in own)),
    }
    return Row(
        figures,
        [f"- {seed}: {verdict}: `{said}`" for block in own for seed, verdict, said in block.faults],
    )


def _short(commit: str) -> str:
    """Return a commit by its first digits, with the mark of changes."""
    return commit[:8] + commit[40:]
