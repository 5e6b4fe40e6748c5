"""Mutated files by the thousand through every reader: `python3 dev.py bench fuzz` (docs/benchmarks.md)."""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, markdown
from .cases import FAULTS, HANG, READ, REFUSED, Case, run_case, write_case
from .corpus import make_corpus
from .readers import READERS

COLUMNS: Columns = {
    "reader": "{reader}",
    "cases": "{cases}",
    "refused": "{refused}",
    "read": "{read}",
    "crashed": "{crash}",
    "over 5 s": "{hang}",
    "vague": "{vague}",
    "odd body": "{odd}",
    "longest, s": "{seconds:.2f}",
    "most memory, MB": "{memory:.0f}",
}


def main(argv: list[str]) -> int:
    """Run the cases and write the table."""
    parser = plain_parser("fuzz", "Read mutated files, each in a process with limits.")
    parser.add_argument("--cases", type=int, default=10_000, metavar="N", help="for each reader")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first case")
    parser.add_argument("--minutes", type=float, default=480.0, metavar="M", help="stop after this time")
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    parser.add_argument("--keep", metavar="SEED", help="only write the file of this seed, of one --reader")
    options = parser.parse_args(argv)
    chosen = options.reader or list(READERS)
    with tempfile.TemporaryDirectory(prefix="heft_corpus_") as folder:
        corpus = make_corpus(Path(folder))
        if options.keep is not None:
            kept = write_case(corpus[chosen[0]], options.keep, Path(folder))
            print(shutil.copy(kept, Path.cwd() / f"fuzz_{kept.name}"))
            return 0
        end = time.monotonic() + 60.0 * options.minutes
        cases = list(run_cases(corpus, chosen, options.cases, options.seed, end))
    text = report_of(cases, options.seed, options.cases)
    (options.out / "fuzz.md").write_text(text, "utf-8")
    print(text)
    return 1 if any(case.verdict in FAULTS for case in cases) else 0


def run_cases(
    corpus: Mapping[str, Path], chosen: Sequence[str], count: int, seed: int, end: float
) -> Iterator[Case]:
    """Run cases until their number or the time is reached, the readers by turns."""
    for number, name in itertools.product(range(seed, seed + count), chosen):
        if time.monotonic() > end:
            return
        case = run_case(name, READERS[name], corpus[name], f"{name} {number}")
        if case.verdict in FAULTS:
            print(f"{case.seed}: {case.verdict}: {case.said}", flush=True)
        yield case


def report_of(cases: Sequence[Case], seed: int, asked: int) -> str:
    """Return the table, and the faults with their seeds; asked: cases for each reader."""
    rows = [_row(name, [case for case in cases if case.reader == name]) for name in READERS]
    rows = [row for row in rows if row["cases"]]
    faults = [case for case in cases if case.verdict in FAULTS]
    intro = (
        "Made by `python3 dev.py bench fuzz`; docs/benchmarks.md says how to read it. "
        f"Cases from seed {seed} on, `READER NUMBER` each. Commit {commit_of('fuzz')}."
    )
    summary = f"{len(cases)} cases, {len(faults)} faults."
    if any(row["cases"] != asked for row in rows):
        summary += f" The run was ended before the {asked} cases for each reader that were asked for."
    listed = "\n".join(f"- {case.seed}: {case.verdict}: `{case.said}`" for case in faults[:50])
    return (
        "\n\n".join(part for part in ("# Fuzzing", intro, summary, markdown(rows, COLUMNS), listed) if part)
        + "\n"
    )


def _row(name: str, own: Sequence[Case]) -> dict[str, object]:
    counts = Counter(case.verdict for case in own)
    return {
        "reader": name,
        "cases": len(own),
        **{verdict: counts[verdict] for verdict in (READ, REFUSED, *FAULTS)},
        "seconds": max((case.seconds for case in own if case.verdict != HANG), default=0.0),
        "memory": max((case.memory for case in own), default=0) / 1e6,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
