"""A child that is ready before a job: it rests while it waits, takes the next job, and leaves nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from heft.addon.bake.bake_job import BakeSession
from heft.addon.bake.bake_options import participants_of
from heft.addon.jobs import ready_worker
from heft.addon.jobs.job_runner import JobRunner
from heft.addon.jobs.ready_worker import ReadyWorker

from bench.common.processes import children
from tests.blender.rigs import animate, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadyWorker]:
    """One with a child, which sessions take."""
    own = ReadyWorker()
    monkeypatch.setattr("heft.addon.jobs.job_session.READY", own)
    own.start()
    yield own
    own.end()


def child_of(ready: ReadyWorker) -> JobRunner:
    assert ready._starting is not None
    return ready._starting.result()


def processor_ticks(process_id: int) -> int:
    fields = Path(f"/proc/{process_id}/stat").read_text().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time is told there alone")
def test_it_takes_no_processor_time_while_it_waits(ready: ReadyWorker) -> None:
    """Loading ends, and from then on there is not one hundredth of a second in half a second."""
    number, end = child_of(ready).process_id, time.monotonic() + 60.0
    used = [-1, processor_ticks(number)]
    while used[-1] < 10 or used[-1] != used[-2]:
        assert time.monotonic() < end, "it never rests"
        time.sleep(0.5)
        used.append(processor_ticks(number))


def test_the_next_job_is_its_own(ready: ReadyWorker) -> None:
    child = child_of(ready)
    obj = humanoid()
    animate(obj, "Hips")
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    used, finished = set(), None
    while finished is None:
        finished = session.step(bpy.context)
        used |= {session._runner} - {None}
        time.sleep(0.005)
    assert used == {child}
    assert ready.take() is None, "it was given away"
    assert not child._folder.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_one_that_was_killed_is_given_to_nobody(ready: ReadyWorker) -> None:
    child = child_of(ready)
    os.kill(child.process_id, signal.SIGKILL)
    end = time.monotonic() + 10.0
    while child.is_waiting:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert ready.take() is None
    assert not child._folder.exists()
    ready.start()
    assert child_of(ready).is_waiting


def test_one_without_its_folder_is_given_to_nobody(ready: ReadyWorker) -> None:
    child = child_of(ready)
    child._folder.rmdir()
    assert ready.take() is None


def test_nothing_is_left_at_the_end(ready: ReadyWorker) -> None:
    child = child_of(ready)
    assert child.process_id in children()
    ready.end()
    assert child.process_id not in children()
    assert not child._folder.exists()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the sidebar shows Heft's tab, to be changed by a test."""
    answers = [True]
    monkeypatch.setattr("heft.addon.jobs.ready_worker.tab_is_shown", lambda windows: answers[-1])
    return answers


def test_it_ends_when_the_tab_was_not_shown_for_long(
    ready: ReadyWorker, shown: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    child = child_of(ready)
    for seen in (True, False):
        shown.append(seen)
        assert ready._look() == ready_worker.LOOK_S and child.process_id in children()
    monkeypatch.setattr(ready_worker, "KEPT_S", -1.0)
    assert ready._look() == ready_worker.LOOK_S, "it looks no more"
    assert child.process_id not in children()
    assert ready.take() is None


def test_it_is_started_while_the_tab_is_shown(shown: list[bool]) -> None:
    own = ReadyWorker()
    shown.append(False)
    own._look()
    assert own.take() is None, "nobody wants it"
    shown.append(True)
    own._look()
    try:
        assert child_of(own).is_waiting
    finally:
        own.end()


def test_without_a_window_nobody_looks() -> None:
    own = ReadyWorker()
    own.register()
    assert not bpy.app.timers.is_registered(own._timer)
    own.unregister()
