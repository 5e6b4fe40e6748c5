"""A suite passes only when its first run does; failures, crashes and missing tests are not repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.dev import checks
from tools.dev.environments import BLENDERS
from tools.dev.shell import DevError


def suite_ending_with(monkeypatch: pytest.MonkeyPatch, status: int) -> list[int]:
    """Let the suite end with this status; the list is empty once it ran, and a second run would fail."""
    left = [status]
    monkeypatch.setattr(checks, "blender_env", lambda blender: "python")
    monkeypatch.setattr(checks, "run", lambda command, extra: left.pop())
    return left


@pytest.mark.parametrize(
    ("status", "message"), [(1, "failed"), (5, "failed"), (-11, "ended by signal 11"), (-6, "signal 6")]
)
def test_a_suite_that_does_not_pass_fails(monkeypatch: pytest.MonkeyPatch, status: int, message: str) -> None:
    suite_ending_with(monkeypatch, status)
    with pytest.raises(DevError, match=message):
        checks.blender_tests(BLENDERS[0])
    suite_ending_with(monkeypatch, status)
    with pytest.raises(DevError, match=message):
        checks.core_tests(Path("python"))


def test_a_suite_that_passes_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    left = suite_ending_with(monkeypatch, 0)
    checks.blender_tests(BLENDERS[0])
    assert not left
