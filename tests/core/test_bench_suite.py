"""How the benchmark of repeated suites judges a run: nothing but a run with passed tests is good."""

from __future__ import annotations

import signal

import pytest

from bench.suite.__main__ import outcome_of

GOOD = "....\n574 passed, 3 skipped in 147.61s (0:02:27)\n"
FAILED = (
    "..F.\nFAILED tests/blender/test_a.py::test_b - assert 1 == 2\n1 failed, 573 passed, 3 skipped in 1s\n"
)


def test_a_run_that_passed_is_counted() -> None:
    assert outcome_of(0, GOOD) == {"outcome": "passed", "passed": 574, "skipped": 3}


def test_a_failure_is_named() -> None:
    assert outcome_of(1, FAILED)["outcome"] == "FAILED tests/blender/test_a.py::test_b"


@pytest.mark.parametrize(
    ("status", "told", "outcome"),
    [
        (-signal.SIGABRT, "....", "ended by SIGABRT"),
        (-signal.SIGSEGV, GOOD, "ended by SIGSEGV"),
        (5, "no tests ran in 0.01s", "ended with status 5"),
        (0, "no tests ran in 0.01s", "ended with status 0"),
        (0, "", "ended with status 0"),
    ],
)
def test_nothing_else_passes(status: int, told: str, outcome: str) -> None:
    assert outcome_of(status, told)["outcome"] == outcome
