"""Many short bakes on clusters of Dask on this machine: what an item costs, and a scheduler that is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sim_core.bake.pipeline import bake
from sim_core.scenario.job import Job

from ..common.clips import ROOT, clip_of
from ..common.measured_code import commit_of
from ..common.motions import motion_of
from ..common.tables import Columns, Row, markdown
from ..speed.growth import DRAFT
from .runs import FINISHED, STARTED, notes, start, wait_until

CLIP, SECONDS = "02_01", 1.0
WORKERS = (1, 2, 4)
IN_PROCESS = 20
"""Items that are baked in this process, for comparison."""
ENDS_WITHIN_S = 60.0
"""How long the command may take to see that its scheduler is gone [s]."""
COLUMNS: Columns = {
    "workers": "{workers}",
    "items": "{items}",
    "wall [s]": "{wall_s:.0f}",
    "items a second": "{rate:.2f}",
    "processor of an item [s]": "{item_s:.3f}",
    "beyond the bake [s]": "{extra_s:.3f}",
    "memory of a worker [MB]": "{worker_mb:.0f}",
    "memory of an item's process [MB]": "{item_mb:.0f}",
    "load": "{load:.1f}",
}


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        file = folder / f"scheduler{time.monotonic_ns()}.json"
        common = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file))
        self.scheduler = _start("distributed.cli.dask_scheduler", *common, "--port", "0")
        while not file.is_file():
            time.sleep(0.05)
        self.address = str(json.loads(file.read_text())["address"])
        own = ("distributed.cli.dask_worker", *common, "--no-nanny", "--nthreads", "1")
        self.workers = [_start(*own) for _ in range(workers)]
        self.most_item_mb = 0.0

    def watch(self) -> None:
        """Note the largest memory of the processes that bake now."""
        for worker in self.workers:
            for child in _children(worker.pid):
                self.most_item_mb = max(self.most_item_mb, _most_mb(child))

    @property
    def processor_s(self) -> float:
        """Processor time of the scheduler, of the workers and of all that they have run [s]."""
        return sum(_processor_s(own.pid) for own in (self.scheduler, *self.workers))

    def close(self) -> None:
        """End all processes."""
        for own in (*self.workers, self.scheduler):
            own.kill()
            own.wait()


def measure(items: int) -> str:
    """Return the report on all clusters, and on one whose scheduler is killed."""
    in_process_s = _in_process()
    with tempfile.TemporaryDirectory(prefix="heft-cluster-") as scratch:
        rows = [_measured(Path(scratch), items, workers, in_process_s) for workers in WORKERS]
        lost = _after_a_lost_scheduler(Path(scratch), items // 5)
    intro = (
        f"Made by `python3 dev.py bench batch --cluster {items}`: {SECONDS:g} s of the walk {CLIP} with as "
        "many seeds, draft, on a scheduler and workers of Dask on this machine with "
        f"{os.cpu_count()} processors. In one process, a bake of it takes {in_process_s:.3f} s of processor; "
        "what an item takes beyond that is a process of its own, its files, the scheduler, and its share of "
        "the table and the sheet. "
        f"Commit {commit_of('batch')}."
    )
    return "\n\n".join(["# Batches on a cluster", intro, markdown(rows, COLUMNS), lost]) + "\n"


def _in_process() -> float:
    """Return the processor time of one bake in a process that has loaded everything [s]."""
    motion, mapping = motion_of(f"{CLIP}:0-{SECONDS:g}")
    jobs = [Job(motion, mapping, replace(DRAFT, noise=0.05, seed=seed)) for seed in range(IN_PROCESS + 1)]
    bake(jobs[0])
    began = time.process_time()
    for job in jobs[1:]:
        bake(job)
    return (time.process_time() - began) / IN_PROCESS


def _write_list(folder: Path, items: int) -> Path:
    options = {"quality": "draft", "noise": 0.05, "seconds": [0, SECONDS], "assist": 15}
    options["no-find-assist"] = True
    axes = {"motion": [str(clip_of(CLIP).file)], "seed": list(range(items))}
    path = folder / f"items{items}.json"
    path.write_text(json.dumps({"format": "heft-batch", "schema": 1, "options": options, "axes": axes}))
    return path


def _measured(scratch: Path, items: int, workers: int, in_process_s: float) -> Row:
    path, out = _write_list(scratch, items), scratch / f"out{workers}"
    load = os.getloadavg()[0]
    with _cluster(scratch, workers) as cluster:
        before, began = cluster.processor_s, time.monotonic()
        command = start(path, out, "--scheduler", cluster.address)
        spent_s = 0.0
        while command.poll() is None:
            cluster.watch()
            spent_s = _processor_s(command.pid) or spent_s
            time.sleep(0.1)
        wall_s = time.monotonic() - began
        found = json.loads(command.communicate()[0])
        assert found["failed"] == 0, found
        item_s = (cluster.processor_s - before + spent_s) / items
        return {
            "workers": workers,
            "items": items,
            "wall_s": wall_s,
            "rate": items / wall_s,
            "item_s": item_s,
            "extra_s": item_s - in_process_s,
            "worker_mb": max(_most_mb(own.pid) for own in cluster.workers),
            "item_mb": cluster.most_item_mb,
            "load": max(load, os.getloadavg()[0]),
        }


def _after_a_lost_scheduler(scratch: Path, items: int) -> str:
    """Kill the scheduler in the middle of a batch, and run the same command on another."""
    path, out = _write_list(scratch, items), scratch / "lost"
    with _cluster(scratch, 2) as cluster:
        command = start(path, out, "--scheduler", cluster.address)
        wait_until(lambda: sum(notes(out, FINISHED).values()) >= items // 3, command)
        cluster.scheduler.send_signal(signal.SIGKILL)
        try:
            command.wait(ENDS_WITHIN_S)
            ended = f"ended by itself with status {command.returncode}"
        except subprocess.TimeoutExpired:
            command.kill()
            ended = f"waited for longer than {ENDS_WITHIN_S:g} s and was ended"
    kept = sum(notes(out, FINISHED).values())
    with _cluster(scratch, 2) as cluster:
        again = start(path, out, "--scheduler", cluster.address)
        found = json.loads(again.communicate()[0])
    ends, starts = notes(out, FINISHED), notes(out, STARTED)
    return (
        f"A scheduler that is killed: of {items} items on two workers, {kept} were finished when it was lost "
        f"or soon after. The command {ended}. The same command on another scheduler went on: "
        f"{found['items'] - found['failed']} items have results, {found['failed']} failed; "
        f"{sum(count > 1 for count in ends.values())} were finished twice, "
        f"{sum(count > 1 for count in starts.values())} started twice."
    )


@contextmanager
def _cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    cluster = Cluster(folder, workers)
    try:
        yield cluster
    finally:
        cluster.close()


def _start(module: str, *words: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", module, *words], env=environment, stdout=quiet, stderr=quiet
    )


def _children(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(number) for task in tasks for number in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _most_mb(process: int) -> float:
    """Return the most memory of a process so far [MB]; 0 once it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next((int(line.split()[1]) / 1024.0 for line in lines if line.startswith("VmHWM")), 0.0)


def _processor_s(process: int) -> float:
    """Return the processor time of a process and of those that it has started and that have ended [s]."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
