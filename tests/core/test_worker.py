"""The worker as a real process: its lines, its exit status, and that nothing of it stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core import worker
from sim_core.base import worker_process
from sim_core.base.errors import InputError, SimulationError
from sim_core.base.progress import Progress, ProgressCallback
from sim_core.base.worker_process import FINISH, WHEN_WRITTEN, WRITTEN, EventWriter
from sim_core.jobs.page_job import load_page
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.result import Result, load_result
from sim_core.scenario.job import Job, save_job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_files import legs_job, small_meta, small_result, standing_bvh

ROOT = Path(__file__).parents[2]

CHATTY_WORKER = """
import os, sys, time, types
stub = types.ModuleType("sim_core.bake.pipeline")
def bake_together(jobs, report):
    from sim_core.base.progress import Progress
    from tests.core.sample_files import small_result
    print("a print")
    os.write(1, b"native code\\n")
    report(Progress("Simulating", 0.5))
    {action}
    return (small_result(),)
stub.bake_together = bake_together
sys.modules["sim_core.bake.pipeline"] = stub
from sim_core import worker
from sim_core.base import worker_process
from sim_core.reading.bvh_clip import read_bvh
sys.exit(worker.main())
"""
"""A worker process whose bake is replaced by one that misbehaves."""


@pytest.fixture
def job_path(tmp_path: Path) -> Path:
    save_job(legs_job(), tmp_path / "job.npz")
    return tmp_path / "job.npz"


def start(command: list[str], folder: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        encoding="utf-8",
    )


def start_chatty(folder: Path, action: str) -> subprocess.Popen[str]:
    code = CHATTY_WORKER.format(action=action)
    return start(["-c", code, "bake", str(folder / "job.npz"), str(folder / "result.npz")], folder)


def finish(process: subprocess.Popen[str]) -> tuple[list[dict[str, Any]], str]:
    """All lines of standard output, each of which must be JSON, and standard error."""
    assert process.stdout and process.stderr and process.stdin
    out, err = process.stdout.read(), process.stderr.read()
    process.wait(timeout=20)
    process.stdin.close()
    return [json.loads(line) for line in out.splitlines()], err


@pytest.fixture
def busy(tmp_path: Path, job_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker in the middle of a bake that never ends."""
    with start_chatty(tmp_path, "time.sleep(60)") as process:
        assert process.stdout and json.loads(process.stdout.readline())["type"] == "progress"
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("name", "words"),
    [("absent.npz", "does not exist"), ("damaged.npz", "damaged"), ("", "needs a job file")],
)
def test_a_bad_job_is_one_error_line(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "damaged.npz").write_bytes(b"PK\x03\x04 no zip")
    arguments = [name, "result.npz"] if name else []
    process = start(["-m", "sim_core.worker", "bake", *arguments], tmp_path)
    (line,), err = finish(process)
    assert line["type"] == "error" and line["exit_code"] == 2 and words in line["text"]
    assert process.returncode == 2 and "Traceback" not in err
    assert os.listdir(tmp_path) == ["damaged.npz"]


def test_standard_output_carries_only_lines(tmp_path: Path, job_path: Path) -> None:
    process = start_chatty(tmp_path, "pass")
    events, err = finish(process)
    assert [line["type"] for line in events] == ["progress", "message", "done"]
    assert events[0] == {"type": "progress", "stage": "Simulating", "fraction": 0.5}
    assert events[-1]["results"] == [str(tmp_path / "result.npz")]
    assert "a print" in err and "native code" in err
    assert process.returncode == 0
    assert load_result(tmp_path / "result.npz").bone_name[0] == "bone 0"


def test_threads_are_limited_before_numpy_loads(tmp_path: Path, job_path: Path) -> None:
    check = "assert os.environ['OPENBLAS_NUM_THREADS'] == '1' and os.environ['OMP_NUM_THREADS']"
    events, err = finish(start_chatty(tmp_path, check))
    assert events[-1]["type"] == "done", err
    code = "import sys, sim_core.worker, sim_core.cli.main; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_mujoco_leaves_no_log_file(tmp_path: Path, job_path: Path) -> None:
    pytest.importorskip("mujoco")
    body = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    blow_up = (
        f'import mujoco; m = mujoco.MjModel.from_xml_string("{body}"); d = mujoco.MjData(m); '
        "d.qvel[:] = float('nan'); mujoco.mj_step(m, d)"
    )
    events, err = finish(start_chatty(tmp_path, blow_up))
    assert events[-1]["type"] == "done", err
    assert "MuJoCo: " in err
    assert sorted(os.listdir(tmp_path)) == ["job.npz", "result.npz"]


def test_an_internal_error_is_told_and_traced(tmp_path: Path, job_path: Path) -> None:
    process = start_chatty(tmp_path, "1 / 0")
    events, err = finish(process)
    assert events[-1]["type"] == "error" and events[-1]["exit_code"] == 1
    assert events[-1]["text"].startswith("An internal error")
    assert process.returncode == 1 and "ZeroDivisionError" in err and "Traceback" in err
    assert os.listdir(tmp_path) == ["job.npz"]


def test_closing_its_input_ends_it_within_a_second(busy: subprocess.Popen[str], tmp_path: Path) -> None:
    assert busy.stdin
    began = time.monotonic()
    busy.stdin.close()
    assert busy.wait(timeout=5) == 130
    assert time.monotonic() - began < 1.0
    assert os.listdir(tmp_path) == ["job.npz"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_signal_ends_it_within_half_a_second(
    busy: subprocess.Popen[str], tmp_path: Path, name: str
) -> None:
    number = signal.Signals[name]
    began = time.monotonic()
    busy.send_signal(number)
    assert busy.wait(timeout=5) == -number
    assert time.monotonic() - began < 0.5
    assert os.listdir(tmp_path) == ["job.npz"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_killed_while_writing_it_leaves_no_result(tmp_path: Path, job_path: Path) -> None:
    action = "os.fsync = lambda _: os.kill(os.getpid(), 9)"
    process = start_chatty(tmp_path, action)
    events, _ = finish(process)
    assert process.returncode == -signal.SIGKILL
    assert events[-1]["type"] == "message"
    assert not (tmp_path / "result.npz").exists()


def test_a_parent_that_stopped_reading_ends_it(tmp_path: Path, job_path: Path) -> None:
    """A worker that talks into a closed pipe stops, even while its input stays open."""
    with start_chatty(tmp_path, "[report(Progress('Simulating', 0.5)) for _ in iter(int, 1)]") as process:
        assert process.stdout
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=5) == 130


def test_a_worker_hears_the_wish_to_finish(tmp_path: Path, job_path: Path) -> None:
    """It goes on until the line comes, and then ends with a result."""
    action = (
        "from sim_core.base.worker_process import finish_is_wanted\n"
        "    assert not finish_is_wanted()\n"
        "    report(Progress('Searching', 0.6, can_finish=True))\n"
        "    while not finish_is_wanted(): time.sleep(0.01)"
    )
    process = start_chatty(tmp_path, action)
    assert process.stdin and process.stdout
    searching = {"type": "progress", "stage": "Searching", "fraction": 0.6, "can_finish": True}
    assert any(json.loads(line) == searching for line in process.stdout)
    process.stdin.write(FINISH)
    process.stdin.flush()
    events, _ = finish(process)
    assert events[-1]["type"] == "done"


def test_a_real_bake_and_a_kill_in_its_middle(tmp_path: Path) -> None:
    (tmp_path / "stand.bvh").write_text(standing_bvh())
    motion = read_bvh(tmp_path / "stand.bvh").motion.between(0.0, 0.5)
    job = Job(motion, recognise(motion.skeleton), BakeSettings(quality="draft"))
    (tmp_path / "stand.bvh").unlink()
    save_job(job, tmp_path / "job.npz")
    command = ["-m", "sim_core.worker", "bake", "job.npz", "result.npz"]

    killed = start(command, tmp_path)
    assert killed.stdout and json.loads(killed.stdout.readline())["type"] == "progress"
    killed.kill()
    events, _ = finish(killed)
    assert all(line["type"] == "progress" for line in events)
    assert os.listdir(tmp_path) == ["job.npz"]

    events, err = finish(start(command, tmp_path))
    assert events[-1] == {"type": "done", "results": ["result.npz"]}, err
    fractions = [line["fraction"] for line in events if line["type"] == "progress"]
    assert fractions == sorted(fractions) and fractions[0] >= 0.0 and fractions[-1] <= 1.0
    result = load_result(tmp_path / "result.npz")
    assert np.array_equal(result.source_time, job.motion.time)
    assert sorted(os.listdir(tmp_path)) == ["job.npz", "result.npz"]


class Recorder(EventWriter):
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, kind: str, **values: object) -> None:
        self.sent.append({"type": kind, **values})


def run_with(
    monkeypatch: pytest.MonkeyPatch, bake: Any, job_path: Path, result_path: Path
) -> tuple[int, Any]:
    monkeypatch.setattr("sim_core.jobs.bake_job.bake_together", lambda jobs, report: (bake(*jobs, report),))
    events = Recorder()
    return worker.run(["bake", str(job_path), str(result_path)], events), events.sent


def test_a_failed_simulation_has_its_own_status(monkeypatch: pytest.MonkeyPatch, job_path: Path) -> None:
    def fail(job: Job, report: ProgressCallback) -> Result:
        raise SimulationError("It burst at frame 3.")

    status, sent = run_with(monkeypatch, fail, job_path, job_path.with_name("result.npz"))
    assert status == 3
    assert sent == [{"type": "error", "text": "It burst at frame 3.", "exit_code": 3}]


def test_an_unwritable_place_is_noticed_before_the_work(
    monkeypatch: pytest.MonkeyPatch, job_path: Path
) -> None:
    calls: list[Job] = []

    def bake(job: Job, report: ProgressCallback) -> Result:
        calls.append(job)
        return small_result()

    status, sent = run_with(monkeypatch, bake, job_path, job_path / "result.npz")
    assert status == 2 and "not a folder" in sent[0]["text"] and not calls


def test_the_job_arrives_whole(monkeypatch: pytest.MonkeyPatch, job_path: Path) -> None:
    def bake(job: Job, report: ProgressCallback) -> Result:
        report(Progress("Simulating", float(np.float64(0.25))))
        return small_result(meta=small_meta(notes=job.mapping.notes))

    status, sent = run_with(monkeypatch, bake, job_path, job_path.with_name("result.npz"))
    assert status == 0
    assert [line["type"] for line in sent] == ["progress", "message", "done"]
    assert sent[1]["text"] == "A note."


def test_it_may_be_started_before_its_job_is_written(monkeypatch: pytest.MonkeyPatch, job_path: Path) -> None:
    elsewhere = job_path.with_name("not_yet.npz")
    job_path.rename(elsewhere)

    def arrive() -> None:
        elsewhere.rename(job_path)
        worker_process._receive(WRITTEN.strip().encode())

    timer = threading.Timer(0.2, arrive)
    timer.start()

    def fail(job: Job, report: ProgressCallback) -> Result:
        raise SimulationError("The job was there.")

    monkeypatch.setattr("sim_core.jobs.bake_job.bake_together", lambda jobs, report: (fail(jobs[0], report),))
    events = Recorder()
    worker.run(["bake", WHEN_WRITTEN, str(job_path), str(job_path.with_name("result.npz"))], events)
    timer.join()
    assert events.sent[-1]["text"] == "The job was there."


def test_it_does_not_wait_for_a_job_whose_folder_is_gone(tmp_path: Path) -> None:
    events, folder = Recorder(), tmp_path / "cleaned"
    worker_process._receive(WRITTEN.strip().encode())
    status = worker.run(["bake", WHEN_WRITTEN, str(folder / "job.npz"), str(folder / "result.npz")], events)
    assert status == InputError.exit_code
    assert "temporary folder of the job was removed" in events.sent[-1]["text"]


@pytest.mark.parametrize("content", [b"", b"<html><body>cut", b"\x84PK"])
def test_a_page_that_is_not_whole_is_refused(tmp_path: Path, content: bytes) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(content)
    with pytest.raises(InputError, match=r"'page.html' is not a whole page; save the report again\.$"):
        load_page(page)
    page.write_bytes(b"<html></html>\n")
    assert load_page(page) == "<html></html>\n"
