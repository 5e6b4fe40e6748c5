"""Live runs on captures: pushes at parts of the body, the pace of the process, and replays."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.bake.monitor import Monitor
from sim_core.base import rotations
from sim_core.base.child_process import ChildProcess
from sim_core.base.json_files import to_json
from sim_core.base.progress import ignore_progress
from sim_core.base.worker_command import child_environment, worker_command
from sim_core.character.posing import segment_poses
from sim_core.live.commands import (
    CommandLog,
    Grab,
    LoggedCommand,
    Push,
    Release,
    Throw,
    command_to_dict,
)
from sim_core.live.frames import SUFFIX, Frame, FrameReader
from sim_core.live.repeated import live_setup, stage_of
from sim_core.live.run import LiveRun
from sim_core.live.session import LiveSession
from sim_core.live.take import Stage, replay
from sim_core.motion.motion import CONTROL_DT
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.metrics import local_rotations
from sim_core.result.result import Result
from sim_core.scenario.job import Job, save_job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box

from ..common.clips import clip_of

FORCE_N, PUSH_S = 150.0, 0.3
AFTER_S, RETURN_S = 3.0, 1.0
PHASE_S = 0.17
"""Pushes come at times that differ by this [s], so that they meet other phases of a step."""
STARTED_S, STARTED = 120.0, 50
"""How long the start of a live process is waited for [s], and control intervals that belong to it."""
PUSHED_AT = 50
"""Control intervals before a push whose delay is measured."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.ROWS."""
    run = {"pace": _paced, "grabbed": _grabbed, "pushed": _pushed, "replayed": _replayed}[item["kind"]]
    return run(item)


def job_of(
    label: str, quality: str = "standard", scene: Scene | None = None, character: str | None = None
) -> Job:
    """Return the job of a clip at 0 N."""
    clip = clip_of(label)
    motion = read_bvh(clip.file).motion
    settings = BakeSettings(quality=quality, assist_cap=0.0, character=character)
    return Job(motion, recognise(motion.skeleton), settings, scene or Scene())


@cache
def stage(label: str) -> Stage:
    """Return the stage of a clip, which all its pushes share."""
    return stage_of(job_of(label))


def _grabbed(item: dict[str, Any]) -> dict[str, Any]:
    """Push a part of the body sideways, and play on; the joint error is that of its limb later [deg]."""
    made, segment = stage(item["clip"]), item["segment"]
    run = LiveRun(made.setup, made.library, made.first)
    start = 100 + round(PHASE_S * item["number"] / CONTROL_DT)
    for _ in range(start):
        run.tick()
    across = rotations.rotate(rotations.about_vertical(_heading(run)), np.array([0.0, 1.0, 0.0]))
    x, y, z = (item["side"] * FORCE_N * across).tolist()
    run.carry_out(Push(segment, (x, y, z), PUSH_S))
    back = start + round((PUSH_S + RETURN_S) / CONTROL_DT)
    error = 0.0
    for _ in range(start, start + round((PUSH_S + AFTER_S) / CONTROL_DT)):
        run.tick()
        if run.ticks == back:
            error = limb_error_deg(run, segment)
    fell = bool(run.now.fallen)
    message = "falls" if fell else f"stays up, {error:.1f} deg after {RETURN_S:g} s"
    return {"fell": fell, "error_deg": error, "message": message}


def limb_error_deg(run: LiveRun, segment: str) -> float:
    """Return the joint error of a segment and of the two above it against the reference [deg]."""
    spec = run.setup.scenario.spec
    poses = (run.now.qpos, run.playing.reference(run.ticks))
    shown, wanted = (local_rotations(segment_poses(spec, own[None])[1], spec.parents)[0] for own in poses)
    names, rows = list(spec.names), [spec.names.index(segment)]
    while len(rows) < 3 and (above := spec.segments[rows[-1]].parent) is not None:
        rows.append(names.index(above))
    return float(np.degrees(rotations.angle_between(shown[rows], wanted[rows])).mean())


def _heading(run: LiveRun) -> float:
    return float(rotations.heading(run.now.qpos[3:7]))


def _pushed(item: dict[str, Any]) -> dict[str, Any]:
    """Return after how many control intervals a push is in the pose that is shown."""
    made = stage(item["clip"])
    with_push, without = (LiveSession(made, print) for _ in range(2))
    for session in (with_push, without):
        for _ in range(PUSHED_AT):
            session.tick()
    with_push.receive(to_json(command_to_dict(Push("chest", (FORCE_N, 0.0, 0.0), PUSH_S))))
    ticks, same = 0, True
    while same and ticks < PUSHED_AT:
        ticks += 1
        for session in (with_push, without):
            session.tick()
        same = np.array_equal(with_push.frame().bones, without.frame().bones)
    return {"ticks": ticks, "message": f"in the pose after {ticks}"}


def _paced(item: dict[str, Any]) -> dict[str, Any]:
    """Play a clip in the live process for some time, and read what it says."""
    job = job_of(item["clip"], item["quality"], _props(item["props"]), item["character"])
    with tempfile.TemporaryDirectory() as folder:
        save_job(job, Path(folder) / "job.npz")
        files = [str(Path(folder) / name) for name in ("job.npz", "log.json")]
        process = ChildProcess(
            [*worker_command("live"), *files],
            Path(folder),
            child_environment(os.environ),
            "live simulation",
            "try again",
        )
        try:
            found = _measured(process, Path(files[1]), item["seconds"])
        finally:
            process.stop()
    dofs = live_setup(job).world.model.nv
    return {**found, "dofs": dofs, "message": f"{found['late_share']:.2%} late at load {found['load']:.1f}"}


def _measured(process: ChildProcess, log: Path, seconds: float) -> dict[str, Any]:
    reader = _opened(log)
    last = _next(reader, STARTED)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        last = _next(reader, last.numbers.tick)
        time.sleep(0.01)
    numbers = last.numbers
    usage = _cpu_seconds(process.process_id) / max(numbers.time_s, 0.1)
    reader.close()
    return {
        "played_s": numbers.time_s,
        "late_share": numbers.late_share,
        "speed": numbers.speed,
        "cpu_share": usage,
        "load": os.getloadavg()[0],
    }


def _cpu_seconds(process_id: int) -> float:
    """Return the processor time of a process so far [s]; zero where the system does not tell."""
    try:
        parts = Path(f"/proc/{process_id}/stat").read_text().rsplit(") ", 1)[1].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _opened(log: Path) -> FrameReader:
    path, until = log.with_suffix(SUFFIX), time.monotonic() + STARTED_S
    while not path.exists():
        if time.monotonic() > until:
            raise SystemExit("The live process did not start.")
        time.sleep(0.02)
    return FrameReader(path)


def _next(reader: FrameReader, after: int) -> Frame:
    until = time.monotonic() + STARTED_S
    while (frame := reader.latest()) is None or frame.numbers.tick <= after:
        if time.monotonic() > until:
            raise SystemExit("The live process stands still.")
        time.sleep(0.001)
    return frame


def _props(count: int) -> Scene:
    boxes = (
        SceneObject(
            f"box {k}",
            Role.PROP,
            Box(np.full(3, 0.12)),
            position=np.array([1.5 + 0.5 * (k % 5), 1.5 + 0.5 * (k // 5), 0.12]),
            mass=2.0,
        )
        for k in range(count)
    )
    return Scene(tuple(boxes))


LOG = CommandLog(
    300,
    tuple(
        LoggedCommand(tick, command)
        for tick, command in (
            (80, Push("chest", (0.0, 60.0, 0.0), 0.2)),
            (120, Grab("hand.L", (0.0, 0.0, 0.0), (0.5, 0.8, 1.3), 200.0, 80.0)),
            (150, Release()),
            (180, Throw(1.0, (3.0, 0.5, 1.3), (-5.0, 0.0, 1.0))),
        )
    ),
    40,
)


def _replayed(item: dict[str, Any]) -> dict[str, Any]:
    """Return whether a log gives the same arrays twice, to the last bit."""
    job = job_of(item["clip"])
    first, second = (replay(stage_of(job), LOG, Monitor(ignore_progress)) for _ in range(2))
    names = [each.name for each in fields(Result) if each.metadata]
    equal = all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)
    return {"equal": equal, "message": "equal arrays" if equal else "other arrays"}
