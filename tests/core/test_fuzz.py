"""Mutated files through all readers: each is read, or refused by a sentence that says what to do."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

if sys.platform != "linux":
    pytest.skip("cases are forked", allow_module_level=True)

from bench.fuzz import blocks, cases
from bench.fuzz.__main__ import run_blocks
from bench.fuzz.blocks import Block, block_of, keep, load_blocks
from bench.fuzz.cases import CRASH, FAULTS, HANG, ODD, READ, REFUSED, VAGUE, Case, run_cases
from bench.fuzz.chains import explore, found_chains, made_by
from bench.fuzz.corpus import make_corpus
from bench.fuzz.mutations import mutated
from bench.fuzz.readers import READERS
from bench.fuzz.table import report_of, rows_of
from sim_core.base.errors import InputError

COUNTS = {
    "c3d": 8,
    "osim": 15,
    "amc": 15,
    "asf": 15,
    "mot": 15,
    "forces": 15,
    "play": 15,
    "bvh": 15,
    "smpl": 20,
}
"""Cases by reader where there are fewer: each C3D file starts a process, and long files take longer."""
MANY = 30


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_corpus(tmp_path_factory.mktemp("corpus"))


def test_the_files_themselves_are_read(corpus: dict[str, Path]) -> None:
    assert set(corpus) == set(READERS) >= set(found_chains())
    for name, path in corpus.items():
        before = path.read_bytes()
        READERS[name](path)
        path.write_bytes(before)  # a batch moves its records
        assert len(before) < 10**6


def test_500_cases(corpus: dict[str, Path]) -> None:
    made = {
        name: list(
            run_cases(name, read, corpus[name], [f"{name} test {n}" for n in range(COUNTS.get(name, MANY))])
        )
        for name, read in READERS.items()
    }
    every = [case for own in made.values() for case in own]
    assert len(every) >= 500
    assert [case for case in every if case.verdict in FAULTS] == []
    assert {case.verdict for case in every} == {READ, REFUSED}


def refuses(path: Path) -> float | None:
    raise InputError(f"'{path.name}' line 3 has 'x' where a number was expected; export it again.")


def names_no_file(path: Path) -> float | None:
    raise InputError("Line 3 has 'x' where a number was expected; export it again.")


def gives_no_advice(path: Path) -> float | None:
    raise InputError(f"'{path.name}' line 3 has 'x' where a number was expected.")


def says_little(path: Path) -> float | None:
    raise InputError(f"'{path.name}' is odd; try again.")


def fails(path: Path) -> float | None:
    return 1.0 / (path.stat().st_size * 0)


def dies(path: Path) -> float | None:
    os.abort()


def never_ends(path: Path) -> float | None:
    while True:
        pass


def takes_all(path: Path) -> float | None:
    return float(len(bytearray(4 * 2**30)))


@pytest.mark.parametrize(
    ("reader", "verdict"),
    [
        (lambda _: 1.7, READ),
        (lambda _: None, READ),
        (lambda _: 84.0, ODD),
        (refuses, REFUSED),
        (names_no_file, VAGUE),
        (gives_no_advice, VAGUE),
        (says_little, VAGUE),
        (fails, CRASH),
        (dies, CRASH),
        (never_ends, HANG),
        (takes_all, CRASH),
    ],
)
def test_the_harness_sees_every_kind_of_fault(
    corpus: dict[str, Path], monkeypatch: pytest.MonkeyPatch, reader: cases.Reader, verdict: str
) -> None:
    monkeypatch.setattr(cases, "LIMIT_S", 0.0 if verdict == HANG else 5.0)
    seeds = ["1"] if verdict == HANG else ["1", "2"]
    made = list(run_cases("bvh", reader, corpus["bvh"], seeds))
    assert [(case.seed, case.verdict) for case in made] == [(seed, verdict) for seed in seeds]


def test_a_seed_is_always_the_same_file(corpus: dict[str, Path]) -> None:
    for path in corpus.values():
        data = path.read_bytes()
        made = [mutated(data, path.suffix, Random(f"x {seed}")) for seed in range(5)]
        if path.suffix != ".npz":  # a zip holds the time of its making
            assert made == [mutated(data, path.suffix, Random(f"x {seed}")) for seed in range(5)]
        assert sum(one != data for one in made) >= 3


def test_chains_lead_to_new_lines(corpus: dict[str, Path]) -> None:
    def read(path: Path) -> None:
        with suppress(InputError):
            READERS["preset"](path)

    chains = explore("preset", read, corpus["preset"], 12)
    assert chains and len({made_by(corpus["preset"], chain) for chain in chains}) == len(chains)


def test_a_run_goes_on_where_it_was_and_tells_its_commits(
    corpus: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "SIZE", 4)
    monkeypatch.setattr("bench.fuzz.__main__.SIZE", 4)
    kept = tmp_path / "kept.jsonl"
    old = block_of(
        "preset", 1, "a" * 40, [Case(f"preset {n}", REFUSED, "'x' is odd.", 0.1, 1) for n in range(4)]
    )
    keep(old, kept)
    with kept.open("a") as file:
        file.write('{"reader": "preset", "fir')  # the machine stopped here
    known = list(load_blocks(kept))
    assert known == [old]
    new = list(run_blocks(corpus, ["preset"], 8, known, float("inf")))
    assert [(block.first, block.count) for block in new] == [(5, 4)]
    crashed = Block("bvh", 1, 4, "b" * 40 + " with changes", {CRASH: 4}, [("bvh 2", CRASH, "x.py:3")])
    text = report_of([*known, *new, crashed], 8)
    assert "12 cases, 1 faults. The run was ended before the 8 cases" in text
    assert "aaaaaaaa, " in text and "| bbbbbbbb with changes |" in text and "- bvh 2: crash: `x.py:3`" in text


def blocks_of(reader: str, count: int, commit: str, faults: list[tuple[str, str, str]]) -> Block:
    return Block(reader, 1, count, commit * 40, {CRASH: len(faults), READ: count - len(faults)}, faults)


def test_a_page_keeps_the_rows_with_the_most_cases() -> None:
    crash = ("trc 7", CRASH, "y.py:4")
    before = report_of([blocks_of("bvh", 9, "a", []), blocks_of("trc", 9, "a", [crash])], 9)
    own = [blocks_of("bvh", 4, "b", []), blocks_of("glb", 9, "b", [])]
    page = report_of(own, 9, before)
    assert {name: (row.figures["cases"], row.figures["commit"]) for name, row in rows_of(page).items()} == {
        "bvh": (9, "aaaaaaaa"),
        "trc": (9, "aaaaaaaa"),
        "glb": (9, "bbbbbbbb"),
    }
    assert "27 cases, 1 faults." in page and "- trc 7: crash: `y.py:4`" in page
    assert report_of([], 9, page) == page
    newer = rows_of(report_of(own, 9, before, forgotten=["bvh", "trc"]))
    assert newer["bvh"].figures["cases"] == 4 and "trc" not in newer
