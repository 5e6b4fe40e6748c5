"""A suite whose Blender crashes is run again file by file; one whose tests fail is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.dev import checks
from tools.dev.environments import BLENDERS
from tools.dev.shell import ROOT, DevError


def suite_ending_with(monkeypatch: pytest.MonkeyPatch, *statuses: int) -> list[int]:
    """Let the suite end with these statuses, one per run; the list shrinks with each."""
    left = list(statuses)
    monkeypatch.setattr(checks, "blender_env", lambda blender: "python")
    monkeypatch.setattr(checks, "run", lambda command, extra: left.pop(0))
    return left


FILES = len(list((ROOT / "tests" / "blender").glob("test_*.py")))


def test_after_a_crash_every_file_runs_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    left = suite_ending_with(monkeypatch, -11, *[0] * FILES)
    assert "signal 11" in str(checks.blender_tests(BLENDERS[0]))
    assert not left


def test_a_file_that_crashes_once_more_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    suite_ending_with(monkeypatch, -11, -11, *[0] * FILES)
    assert "test_aims.py crashed once more" in str(checks.blender_tests(BLENDERS[0]))


@pytest.mark.parametrize("statuses", [(1,), (5,), (-11, -11, -11), (-11, 1), (-11, -11, 1)])
def test_failures_and_second_crashes_fail(monkeypatch: pytest.MonkeyPatch, statuses: tuple[int, ...]) -> None:
    left = suite_ending_with(monkeypatch, *statuses)
    with pytest.raises(DevError, match="failed"):
        checks.blender_tests(BLENDERS[0])
    assert not left, "a failing test is not repeated, a crash once"


def test_a_suite_that_passes_has_no_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    suite_ending_with(monkeypatch, 0)
    assert checks.blender_tests(BLENDERS[0]) is None


def test_a_crash_of_the_core_tests_is_never_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """There it is Heft's own process that crashed."""
    left = suite_ending_with(monkeypatch, -11, 0)
    with pytest.raises(DevError, match="failed"):
        checks.core_tests(Path("python"))
    assert left == [0]
