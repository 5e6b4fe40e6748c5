"""500 mutated files through all readers: each is read, or refused by one sentence that names it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random

import pytest

if sys.platform != "linux":
    pytest.skip("cases are forked", allow_module_level=True)

from bench.fuzz import cases
from bench.fuzz.__main__ import report_of, run_cases
from bench.fuzz.cases import CRASH, FAULTS, HANG, ODD, READ, REFUSED, VAGUE, run_case
from bench.fuzz.corpus import make_corpus
from bench.fuzz.mutations import mutated
from bench.fuzz.readers import READERS
from sim_core.base.errors import InputError

SEED = 7_000_000
COUNTS = {"c3d": 8}
"""Cases by reader where there are more or fewer: each C3D file starts a process of its own."""
MANY = 36


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_corpus(tmp_path_factory.mktemp("corpus"))


def test_the_files_themselves_are_read(corpus: dict[str, Path]) -> None:
    assert set(corpus) == set(READERS)
    for name, path in corpus.items():
        READERS[name](path)
        assert path.stat().st_size < 10**6


def test_500_cases(corpus: dict[str, Path]) -> None:
    counts = {name: COUNTS.get(name, MANY) for name in READERS}
    assert sum(counts.values()) >= 500
    made = [
        case
        for name, count in counts.items()
        for case in run_cases(corpus, [name], count, SEED, end=float("inf"))
    ]
    assert [case for case in made if case.verdict in FAULTS] == []
    assert {case.verdict for case in made} == {READ, REFUSED}
    assert f"{len(made)} cases, 0 faults. The run was ended" in report_of(made, SEED, 10_000)


def refuses(path: Path) -> float | None:
    raise InputError(f"'{path.name}' is odd; make it again.")


def says_little(path: Path) -> float | None:
    raise InputError("Something is odd.")


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
    monkeypatch.setattr(cases, "LIMIT_S", 1.0)
    assert run_case("bvh", reader, corpus["bvh"], "1").verdict == verdict


def test_a_seed_is_always_the_same_file(corpus: dict[str, Path]) -> None:
    for path in corpus.values():
        data = path.read_bytes()
        made = [mutated(data, path.suffix, Random(f"x {seed}")) for seed in range(5)]
        if path.suffix != ".npz":  # a zip holds the time of its making
            assert made == [mutated(data, path.suffix, Random(f"x {seed}")) for seed in range(5)]
        assert sum(one != data for one in made) >= 3
