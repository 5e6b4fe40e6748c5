"""The child process: it answers, dies, hangs or is stopped, and never leaves anything behind."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from heft.addon.jobs.job_runner import Done, Event, Failed, JobRunner
from heft.sim_core.base.child_process import Message
from heft.sim_core.base.errors import HeftError, InputError, SimulationError
from heft.sim_core.base.files import owner_mark
from heft.sim_core.base.progress import Progress
from heft.sim_core.base.worker_command import child_environment, worker_command
from heft.sim_core.scenario.job import Job
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.rigs import animate, humanoid, prepare

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def job() -> Job:
    obj = humanoid()
    animate(obj, "Hips")
    return prepare(bpy.context, obj, BakeSettings(simulate=False)).job


def wait(runner: JobRunner, seconds: float = 30.0) -> list[Event]:
    """All events until the last one."""
    events: list[Event] = []
    end = time.monotonic() + seconds
    while not any(isinstance(event, (Done, Failed)) for event in events):
        assert time.monotonic() < end, "the child never ended"
        events += runner.poll()
        time.sleep(0.01)
    return events


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def is_gone(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_real_worker_answers(job: Job, tmp_path: Path) -> None:
    events = wait(JobRunner([job], temp_folder=str(tmp_path)))
    assert isinstance(events[-1], Done)
    assert any(isinstance(event, Progress) for event in events)
    np.testing.assert_allclose(events[-1].results[0].source_time, job.motion.time)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
@pytest.mark.parametrize("delay_s", [0.0, 0.4])
def test_a_killed_child_is_told_in_one_sentence(job: Job, tmp_path: Path, delay_s: float) -> None:
    runner = JobRunner([job], python("import time; print('hm', flush=True); time.sleep(60)"), str(tmp_path))
    time.sleep(delay_s)
    os.kill(runner.process_id, signal.SIGKILL)
    last = wait(runner)[-1]
    assert isinstance(last, Failed)
    assert isinstance(last.error, SimulationError)
    assert "SIGKILL" in str(last.error)
    assert "nothing was changed" in str(last.error)
    assert list(tmp_path.iterdir()) == []


def test_a_crash_tells_its_last_words(job: Job, tmp_path: Path) -> None:
    last = wait(JobRunner([job], python("raise ValueError('the pelvis is missing')"), str(tmp_path)))[-1]
    assert isinstance(last, Failed)
    assert "exit code 1" in str(last.error)
    assert "the pelvis is missing" in str(last.error)


@pytest.mark.parametrize("ignores_term", [False, True])
def test_a_child_that_never_answers_is_stopped_within_half_a_second(
    job: Job, tmp_path: Path, ignores_term: bool
) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " if ignores_term else ""
    runner = JobRunner(
        [job], python(f"{deaf}print('x', flush=True); import time; time.sleep(60)"), str(tmp_path)
    )
    time.sleep(0.3)
    assert runner.poll() == []
    start = time.monotonic()
    runner.cancel()
    assert time.monotonic() - start < 0.5
    assert is_gone(runner.process_id)
    assert list(tmp_path.iterdir()) == []
    assert runner.poll() == []
    runner.cancel()


def test_lines_become_events_and_noise_is_ignored(job: Job, tmp_path: Path) -> None:
    code = (
        'print(\'{"type": "progress", "stage": "Simulating", "fraction": 0.5}\');'
        "print('a library says hello'); print('[1]'); print('{}');"
        'print(\'{"type": "message", "text": "mind the gap"}\');'
        'print(\'{"type": "error", "text": "No legs.", "exit_code": 2}\')'
    )
    events = wait(JobRunner([job], python(code), str(tmp_path)))
    assert events[:2] == [Progress("Simulating", 0.5), Message("mind the gap")]
    assert isinstance(events[2], Failed)
    assert isinstance(events[2].error, InputError)
    assert str(events[2].error) == "No legs."


def test_the_wish_to_finish_reaches_the_child(job: Job, tmp_path: Path) -> None:
    code = (
        'print(\'{"type": "progress", "stage": "Searching", "fraction": 0.5, "can_finish": true}\');'
        'import sys; assert sys.stdin.readline() == "finish\\n"; '
        'print(\'{"type": "error", "text": "heard", "exit_code": 2}\')'
    )
    runner = JobRunner([job], python(code), str(tmp_path))
    runner.finish()
    events = wait(runner)
    assert events[0] == Progress("Searching", 0.5, can_finish=True)
    assert isinstance(events[1], Failed) and str(events[1].error) == "heard"


def test_a_damaged_result_is_told(job: Job, tmp_path: Path) -> None:
    code = 'import sys; open(sys.argv[2], \'w\').write(\'no\'); print(\'{"type": "done", "results": ["x"]}\')'
    last = wait(JobRunner([job], python(code), str(tmp_path)))[-1]
    assert isinstance(last, Failed)
    assert isinstance(last.error, HeftError)
    assert list(tmp_path.iterdir()) == []


def test_files_that_another_program_has_removed_are_told(job: Job, tmp_path: Path) -> None:
    code = "import os, shutil, sys; shutil.rmtree(os.path.dirname(sys.argv[1])); open(sys.argv[1])"
    last = wait(JobRunner([job], python(code), str(tmp_path)))[-1]
    assert isinstance(last, Failed)
    assert re.fullmatch("The temporary files of the .* were removed .* simulate again\\.", str(last.error))


def test_the_folder_of_a_job_is_the_users_alone(job: Job, tmp_path: Path) -> None:
    runner = JobRunner([job], [sys.executable, "-c", "input()"], temp_folder=str(tmp_path))
    try:
        (folder,) = tmp_path.iterdir()
        assert os.name != "posix" or stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        runner.cancel()


@pytest.mark.skipif(os.name != "posix", reason="only there a process can be asked whether it lives")
def test_the_folder_of_a_killed_blender_is_swept_by_the_next_job(job: Job, tmp_path: Path) -> None:
    killed, lives = (tmp_path / f"blender_{name}" for name in ("killed", "lives"))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    own = owner_mark()
    for session, mark in ((killed, own.replace(str(os.getpid()), str(ended.pid))), (lives, own)):
        (session / f"heft_{mark}x").mkdir(parents=True)
        (session / f"heft_{mark}x" / "result0.npz").touch()
    runner = JobRunner([job], python("input()"), temp_folder=str(lives))
    assert list(killed.iterdir()) == []
    assert (lives / f"heft_{own}x" / "result0.npz").exists(), "its process lives"
    runner.cancel()


def test_an_unwritable_temporary_folder_is_told(job: Job, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="temporary folder .* cannot be written"):
        JobRunner([job], temp_folder=str(tmp_path / "missing"))


def test_a_missing_program_is_told(job: Job, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be started"):
        JobRunner([job], ["/nowhere/python"], str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_child_gets_no_path_of_blenders_scripts() -> None:
    command = worker_command("bake")
    assert "addons_core" not in command[-1]
    assert "scripts/modules" not in command[-1].replace("\\\\", "/")
    environment = child_environment({"PYTHONPATH": "x", "PYTHONHOME": "y", "HOME": "z"})
    assert environment == {"HOME": "z", "OMP_NUM_THREADS": "1"}
