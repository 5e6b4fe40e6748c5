"""Bakes in this process, without the time that a child takes to start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from heft.addon.jobs import job_session
from heft.addon.jobs.job_runner import Done, Event
from heft.sim_core.bake.pipeline import bake


class RunsHere:
    """In place of the child process: does bakes when it is asked for news."""

    @classmethod
    def early(cls, count: int, kind: object) -> RunsHere:
        return cls()

    def give(self, jobs: Sequence[Any]) -> None:
        self._jobs = jobs

    def poll(self) -> list[Event]:
        return [Done(tuple(bake(job) for job in self._jobs))]

    def cancel(self) -> None:
        pass


def run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_session, "JobRunner", RunsHere)
