"""The live process: its clock, its frames, its commands, and that nothing of it stays behind."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.actions.link_switches import LinkSwitches
from sim_core.base.child_process import ChildProcess, Ended
from sim_core.base.json_files import to_json
from sim_core.base.worker_command import child_environment, worker_command
from sim_core.jobs.live_job import LiveJob, load_live, save_live
from sim_core.live.clock import FASTEST, Clock
from sim_core.live.commands import (
    Dial,
    LiveCommand,
    Pause,
    Push,
    Record,
    Restart,
    command_to_dict,
    load_log,
)
from sim_core.live.frames import SUFFIX, Frame, FrameNames, FrameNumbers, FrameReader, FrameWriter
from sim_core.live.repeated import stage_of
from sim_core.live.session import LiveSession
from sim_core.motion.motion import CONTROL_DT
from sim_core.scenario.job import save_job
from tests.core.test_live import JOB

LIMIT_S = 60.0


class Time:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def test_the_clock_keeps_pace_and_counts_what_is_late() -> None:
    own = Time()
    clock = Clock(own)
    assert clock.wait_s() == 0.0
    own.s += 0.002
    clock.ticked()
    assert clock.wait_s() == pytest.approx(0.008) and clock.late == 0
    own.s += 0.05  # 42 ms after its time
    clock.ticked()
    assert clock.late == 1 and clock.wait_s() == 0.0
    own.s += 1.0  # too late to be caught up with
    clock.ticked()
    assert clock.due_s == own.s


def test_time_can_stand_go_slower_and_step() -> None:
    own = Time()
    clock = Clock(own)
    clock.set_speed(0.5)
    clock.ticked()
    assert clock.wait_s() == pytest.approx(2.0 * CONTROL_DT)
    clock.set_speed(1e9)
    assert clock.factor == FASTEST
    clock.pause(True)
    assert clock.wait_s() == float("inf")
    clock.steps = 1
    assert clock.wait_s() == 0.0
    clock.ticked()
    assert clock.wait_s() == float("inf")


def test_frames_come_back_and_half_written_ones_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.frames"
    names = FrameNames(("hips", "hand"), ("pelvis", "hand.L"), (True, False), ("ball",), (0.1,))
    writer = FrameWriter(path, names)
    reader = FrameReader(path)
    assert reader.names == names and reader.latest() is None
    numbers = FrameNumbers(3, 1.5, 0.03, 0.98, 0.0, 12.0, 0.0, 1)
    poses = np.arange(14.0, dtype=np.float32).reshape(2, 7)
    writer.write(Frame(numbers, poses, poses + 1.0, poses + 2.0, poses[:1]))
    found = reader.latest()
    assert found is not None and found.numbers == numbers
    np.testing.assert_array_equal(found.segments, poses + 1.0)
    np.testing.assert_array_equal(found.source, poses + 2.0)
    np.testing.assert_array_equal(found.props, poses[:1])
    assert reader.latest() is None, "the same frame is not read twice"
    writer.write(Frame(numbers, poses, poses, poses, poses[:1]))
    with path.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"half")
    assert reader.latest() is None


def test_a_push_is_in_the_frame_of_the_next_control_interval() -> None:
    """Bar: two intervals; the velocity of the chest changes in the first, its pose with it."""
    poses = []
    for pushed in (False, True):
        session = LiveSession(stage_of(JOB), print)
        for _ in range(10):
            session.tick()
        if pushed:
            session.receive(to_json(command_to_dict(Push("chest", (200.0, 0.0, 0.0), 0.1))))
        session.tick()
        session.tick()
        poses.append(session.frame().bones)
    assert np.abs(poses[1] - poses[0]).max() > 1e-4


def test_broken_lines_are_told_and_change_nothing() -> None:
    told: list[str] = []
    session = LiveSession(stage_of(JOB), told.append)
    for line in (
        "no json",
        "[1]",
        '{"do": "Fly"}',
        '{"do": "Push", "segment": "tail", "force": [1, 0, 0], "seconds": 1}',
    ):
        session.receive(line)
    session.tick()
    assert len(told) == 4 and session.logged == []


def asked(session: LiveSession, command: LiveCommand, ticks: int = 1) -> None:
    session.receive(to_json(command_to_dict(command)))
    for _ in range(ticks):
        session.tick()


def test_a_run_that_starts_again_is_as_at_first_but_for_its_dials() -> None:
    session, fresh = (LiveSession(stage_of(JOB), print) for _ in range(2))
    asked(session, Push("chest", (300.0, 0.0, 0.0), 0.1), 20)
    asked(session, Restart(), 20)
    for _ in range(20):
        fresh.tick()
    np.testing.assert_array_equal(session.frame().bones, fresh.frame().bones)
    asked(session, Dial("stiffness", 0.9))
    asked(session, Restart(), 5)
    assert [(own.tick, own.command) for own in session.log.commands] == [(0, Dial("stiffness", 0.9))]


def test_a_recording_starts_again_with_the_run_and_a_recorded_take_stays() -> None:
    session = LiveSession(stage_of(JOB), print)
    asked(session, Record(True), 10)
    asked(session, Restart(), 4)
    asked(session, Record(False), 3)
    assert (session.log.first, session.log.ticks) == (0, 4)
    asked(session, Restart(), 9)
    assert (session.log.first, session.log.ticks) == (0, 4)
    asked(session, Record(True), 2)
    assert (session.log.first, session.log.ticks) == (9, 11)


def test_what_follows_something_that_goes_on_does_not_start_again() -> None:
    told: list[str] = []
    session = LiveSession(replace(stage_of(JOB), goes_on=True), told.append)
    asked(session, Restart(), 3)
    assert session.run.ticks == 3 and len(told) == 1


def child(folder: Path) -> ChildProcess:
    save_job(JOB, folder / "job.npz")
    command = [*worker_command("live"), str(folder / "job.npz"), str(folder / "log.json")]
    return ChildProcess(command, folder, child_environment(os.environ), "live simulation", "play again")


def opened(folder: Path) -> FrameReader:
    path, until = (folder / "log.json").with_suffix(SUFFIX), time.monotonic() + LIMIT_S
    while not path.exists():
        assert time.monotonic() < until, "no frames"
        time.sleep(0.02)
    return FrameReader(path)


def next_frame(reader: FrameReader, after: int) -> Frame:
    until = time.monotonic() + LIMIT_S
    while (frame := reader.latest()) is None or frame.numbers.tick <= after:
        assert time.monotonic() < until, "no frame"
        time.sleep(0.001)
    return frame


def ended(process: ChildProcess) -> Ended:
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        event = process.wait(1.0)
        if isinstance(event, Ended):
            return event
    raise AssertionError("it did not end")


def test_it_plays_takes_commands_and_leaves_its_log(tmp_path: Path) -> None:
    process = child(tmp_path)
    reader = opened(tmp_path)
    tick = next_frame(reader, 20).numbers.tick
    for command in (Record(True), Push("chest", (30.0, 0.0, 0.0), 0.1)):
        process.send(to_json(command_to_dict(command)) + "\n")
    tick = next_frame(reader, tick + 30).numbers.tick
    process.send(to_json(command_to_dict(Pause(True))) + "\n")
    process.finish()
    assert ended(process).error is None
    log = load_log(tmp_path / "log.json")
    assert len(log.commands) == 1 and 20 <= log.commands[0].tick <= tick and log.ticks >= tick
    assert log.first <= log.commands[0].tick
    reader.close()


def test_a_killed_process_is_said_and_a_closed_input_ends_it(tmp_path: Path) -> None:
    process = child(tmp_path)
    opened(tmp_path).close()
    os.kill(process.process_id, 9)
    error = ended(process).error
    assert error is not None and "died" in str(error) and "play again" in str(error)
    (tmp_path / "log.frames").unlink()
    second = child(tmp_path)
    opened(tmp_path).close()
    second.stop()
    assert isinstance(ended(second), Ended)


def test_the_actions_of_a_live_job_come_back(tmp_path: Path) -> None:
    others = tuple(replace(JOB, name=name) for name in ("walk", "turn", "stop"))
    switches = LinkSwitches((("walk", "stop"),), ("turn",))
    for jobs, own in (((JOB,), LinkSwitches()), (others, switches)):
        save_live(LiveJob(jobs, switches=own), tmp_path / f"job{len(jobs)}.npz")
        found = load_live(tmp_path / f"job{len(jobs)}.npz")
        assert [job.name for job in found.jobs] == [job.name for job in jobs]
        assert found.switches == own
