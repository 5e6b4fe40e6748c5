"""A batch over a real Dask cluster, one of whose machines is lost in the middle."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sim_core.base.errors import SimulationError
from sim_core.cli import main as cli
from sim_core.cli.batch import cluster as cluster_module
from sim_core.cli.batch.run_item import ItemTask
from tests.core.sample_files import standing_bvh

ROOT = Path(__file__).parents[2]
WAIT_S = 300.0
ITEMS = 3
"""One that is finished, one that is lost, and one that its worker did not come to."""


def start(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with (folder / "dask.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", *words], cwd=folder, env=environment, stdout=log, stderr=log
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, dict[int, subprocess.Popen[bytes]]]]:
    """Address of a scheduler, and its two workers by the numbers of their processes."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    common = ("--host", "127.0.0.1")
    quiet = ("--no-dashboard", "--scheduler-file", str(file))
    scheduler = start("distributed.cli.dask_scheduler", *common, "--port", "0", *quiet, folder=tmp_path)
    workers = [
        start(
            "distributed.cli.dask_worker", *common, *quiet, "--no-nanny", "--nthreads", "1", folder=tmp_path
        )
        for _ in range(2)
    ]
    try:
        end = time.monotonic() + WAIT_S
        while not file.is_file() and time.monotonic() < end:
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], {worker.pid: worker for worker in workers}
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def lines(out: Path) -> list[tuple[str, list[str]]]:
    """BatchItem, and the words of a line of its log."""
    logs = sorted((out / "log").glob("*.log"))
    return [(log.stem, line.split()) for log in logs for line in log.read_text().splitlines()]


def kill_a_worker_at_work(out: Path, workers: dict[int, subprocess.Popen[bytes]]) -> str:
    """Waits for an item that runs after another is finished, kills the worker that has it; its name."""
    import psutil

    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        noted = lines(out)
        over = {item for item, words in noted if words[-1] == "finished"}
        for item, words in noted if over else ():
            if item in over:
                continue
            try:
                owner = psutil.Process(int(words[3])).ppid()
            except psutil.NoSuchProcess:
                continue
            os.kill(owner, signal.SIGKILL)
            assert owner in workers
            return item
        time.sleep(0.01)
    raise AssertionError("no item was at work")


def wait_for_the_end_of_processes(numbers: list[int]) -> None:
    import psutil

    end = time.monotonic() + WAIT_S
    while any(map(psutil.pid_exists, numbers)) and time.monotonic() < end:
        time.sleep(0.05)


def test_every_item_is_done_once_although_a_machine_is_lost(
    tmp_path: Path, cluster: tuple[str, dict[int, subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    (tmp_path / "stand.bvh").write_text(standing_bvh())
    options = {"quality": "draft", "no-find-assist": True}
    axes = {"motion": ["stand.bvh"], "seed": list(range(ITEMS))}
    path, out = tmp_path / "list.json", tmp_path / "out"
    path.write_text(json.dumps({"format": "heft-batch", "schema": 1, "options": options, "axes": axes}))
    words = ["-m", "sim_core", "batch", str(path), "--out", str(out), "--scheduler", address, "--json"]
    batch = subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    lost = kill_a_worker_at_work(out, workers)
    told = json.loads(batch.communicate(timeout=WAIT_S)[0])
    assert batch.returncode == 0
    assert (told["items"], told["up"], told["failed"]) == (ITEMS, ITEMS, 0)
    noted = lines(out)
    names = {f"stand_seed{seed}" for seed in range(ITEMS)}
    for name in names:
        mine = [words[-1] for item, words in noted if item == name]
        assert mine.count("finished") == 1
        # Once, although it was lost, if it was finished in the moment before its worker was killed.
        assert 1 <= mine.count("started") <= (2 if name == lost else 1)
    wait_for_the_end_of_processes([int(words[3]) for _, words in noted])
    # The process of the lost item may have been writing until after the batch; its folder's next use sweeps.
    assert cli.main(["batch", str(path), "--out", str(out), "--scheduler", address, "--json"]) == 0
    assert {file.stem for file in (out / "results").iterdir()} == names


def test_without_dask_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    (tmp_path / "a.bvh").write_text("")
    assert cli.main(["batch", str(tmp_path), "--out", str(tmp_path / "out"), "--scheduler", "tcp://x:1"]) == 2
    assert "heft[cluster]" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["farm", "farm://x:1", "tcp://", "tcp://no.such.machine.invalid:1"])
def test_an_address_that_cannot_be_one_is_refused_at_once(
    address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.bvh").write_text("")
    assert cli.main(["batch", str(tmp_path), "--out", str(tmp_path / "out"), "--scheduler", address]) == 2
    (sentence,) = capfd.readouterr().err.splitlines()
    assert f"--scheduler '{address}'" in sentence


class LostFuture:
    """What the client answers for an item after its scheduler was lost."""

    def exception(self) -> None:
        return None

    def result(self) -> str:
        raise CancelledError("scheduler-connection-lost")


class LostClient:
    """A client whose scheduler is lost after it has taken the items."""

    loop = None

    def __enter__(self) -> LostClient:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, *_: object, **__: object) -> LostFuture:
        return LostFuture()


def test_a_lost_scheduler_is_one_sentence_that_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = SimpleNamespace(as_completed=lambda futures, loop: iter(futures))
    monkeypatch.setattr(cluster_module, "_distributed", lambda: dask)
    monkeypatch.setattr(cluster_module, "_client", lambda *_: LostClient())
    task = ItemTask("walk", {}, "", "", "", 1.0)
    with pytest.raises(SimulationError, match="tcp://farm:8786.* was lost; .*the same command goes on"):
        cluster_module.run_on_cluster([task], "tcp://farm:8786", lambda record: None)
