"""Mutated files by the thousand through every reader: `python3 dev.py bench fuzz` (docs/benchmarks.md)."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ..common.measured_code import commit_of
from ..common.options import CACHE, plain_parser
from .blocks import SIZE, Block, block_of, keep, load_blocks
from .cases import FAULTS, read_in_limits, run_cases, write_case
from .chains import FOUND, explore, found_chains
from .corpus import make_corpus
from .readers import READERS
from .table import report_of

KEPT = CACHE / "fuzz.jsonl"


def main(argv: list[str]) -> int:
    """Run the cases that are not known yet, and write the table of all."""
    parser = plain_parser("fuzz", "Read mutated files in processes with limits.")
    parser.add_argument("--cases", type=int, default=10_000, metavar="N", help="for each reader")
    parser.add_argument("--minutes", type=float, default=480.0, metavar="M", help="stop after this time")
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    parser.add_argument("--fresh", action="store_true", help="forget what is known of the chosen readers")
    parser.add_argument("--report", action="store_true", help="run nothing, write what is known")
    parser.add_argument(
        "--explore", type=int, metavar="N", help="only look for chains (found.json), N cases each"
    )
    parser.add_argument("--keep", metavar="SEED", help="only write the file of this seed, of one --reader")
    options = parser.parse_args(argv)
    chosen = options.reader or list(READERS)
    with tempfile.TemporaryDirectory(prefix="heft_corpus_") as folder:
        corpus = make_corpus(Path(folder))
        if options.keep is not None:
            kept = write_case(chosen[0], corpus[chosen[0]], options.keep, Path(folder))
            print(shutil.copy(kept, Path.cwd() / f"fuzz_{kept.name}"))
            return 0
        if options.explore is not None:
            _explore(corpus, chosen, options.explore)
            return 0
        known = [block for block in load_blocks(KEPT) if not (options.fresh and block.reader in chosen)]
        end = time.monotonic() + 60.0 * options.minutes * (not options.report)
        for block in run_blocks(corpus, chosen, options.cases, known, end):
            keep(block, KEPT)
            known.append(block)
    out = options.out / "fuzz.md"
    before = out.read_text("utf-8") if out.exists() else ""
    text = report_of(known, options.cases, before, chosen if options.fresh else ())
    out.write_text(text, "utf-8")
    print(text)
    return 1 if any(block.faults for block in known) else 0


def run_blocks(
    corpus: Mapping[str, Path], chosen: Sequence[str], count: int, known: Sequence[Block], end: float
) -> Iterator[Block]:
    """Run blocks that are not known until their number or the time is reached, the readers by turns."""
    done = {(block.reader, block.first) for block in known}
    commit = commit_of("fuzz")
    for first, name in itertools.product(range(1, count + 1, SIZE), chosen):
        if time.monotonic() > end:
            return
        if (name, first) in done:
            continue
        seeds = [f"{name} {number}" for number in range(first, min(first + SIZE, count + 1))]
        cases = list(run_cases(name, READERS[name], corpus[name], seeds))
        for case in cases:
            if case.verdict in FAULTS:
                print(f"{case.seed}: {case.verdict}: {case.said}", flush=True)
        yield block_of(name, first, commit, cases)


def _explore(corpus: Mapping[str, Path], chosen: Sequence[str], count: int) -> None:
    """Look for chains that reach new lines, and keep them."""
    found = {name: [list(chain) for chain in chains] for name, chains in found_chains().items()}
    for name in chosen:
        read = partial(read_in_limits, READERS[name])
        found[name] = [list(chain) for chain in explore(name, read, corpus[name], count)]
        print(f"{name}: {len(found[name])} chains", flush=True)
        lines = ",\n".join(
            f"{json.dumps(one)}: {json.dumps(chains)}" for one, chains in sorted(found.items())
        )
        FOUND.write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
