"""Long runs in their smallest form (bench/long): nothing piles up, and what would pile up is noticed."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import pytest

from bench.long.__main__ import report_of
from bench.long.trials import run_item
from bench.long.usage import Usage, growth, leaks, repeat

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.mark.parametrize(
    ("trial", "size"),
    [
        ("bakes in one process", 5),
        ("bakes in one Blender", 3),
        ("bones", 300),
        ("characters in one simulation", 2),
        ("objects, 5 with a role", 2000),
    ],
)
def test_nothing_piles_up(trial: str, size: int) -> None:
    outcome = run_item({"trial": trial, "size": size})
    assert outcome["defects"] == []
    text = report_of([({"trial": trial, "size": size}, outcome)], "abc")
    assert f"| {size} {trial} |" in text and "1 of 6 trials were run, " in text and "; 1 are well." in text


def test_what_piles_up_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ends, held = threading.Event(), []

    def work(number: int) -> None:
        held.append((tmp_path / str(number)).open("w"))
        threading.Thread(target=ends.wait, daemon=True).start()

    try:
        found = " ".join(leaks(repeat(work, 8)))
    finally:
        ends.set()
        for file in held:
            file.close()
    assert "handles rose by 4" in found and "threads rose by 4" in found and "files rose by 4" in found


def test_a_rise_at_the_start_is_no_leak() -> None:
    run = [Usage(100.0, 5, 1, 0, 0), *(Usage(300.0, 9, 2, 0, 0) for _ in range(7))]
    assert leaks(run) == [] and growth(run)["memory_mb"] == 0.0
    rising = [Usage(100.0 + 10.0 * number, 5, 1, 0, 0) for number in range(8)]
    assert leaks(rising) == ["memory_mb rose by 40"]
