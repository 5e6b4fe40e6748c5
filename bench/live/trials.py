"""Live runs on captures: pushes at parts of the body, the pace of the process, and replays."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

from sim_core.bake.monitor import Monitor
from sim_core.base import rotations
from sim_core.base.child_process import ChildProcess, Ended
from sim_core.base.json_files import to_json
from sim_core.base.progress import ignore_progress
from sim_core.base.worker_command import child_environment, worker_command
from sim_core.character.posing import segment_poses
from sim_core.live.commands import (
    CommandLog,
    Grab,
    LoggedCommand,
    Pause,
    Push,
    Release,
    Throw,
    command_to_dict,
)
from sim_core.live.frames import SUFFIX, Frame, FrameReader
from sim_core.live.repeated import stage_of
from sim_core.live.run import LiveRun
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
STARTED_S = 120.0


@dataclass(frozen=True)
class Pushed:
    """What a push came to.

    error_deg: joint error of the pushed limb one second after, less that of an unpushed run [deg]
    """

    clip: str
    segment: str
    side: int
    at_s: float
    fell: bool
    error_deg: float


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


def pushed(label: str, segment: str, side: int, number: int) -> Pushed:
    """Push a part of the body sideways, and play on."""
    made = stage(label)
    run = LiveRun(made.setup, made.library, made.first)
    start = 100 + round(PHASE_S * number / CONTROL_DT)
    for _ in range(start):
        run.tick()
    across = rotations.rotate(rotations.about_vertical(_heading(run)), np.array([0.0, 1.0, 0.0]))
    x, y, z = (side * FORCE_N * across).tolist()
    run.carry_out(Push(segment, (x, y, z), PUSH_S))
    back = start + round((PUSH_S + RETURN_S) / CONTROL_DT)
    error = 0.0
    for _ in range(start, start + round((PUSH_S + AFTER_S) / CONTROL_DT)):
        run.tick()
        if run.ticks == back:
            error = limb_error_deg(run, segment)
    return Pushed(label, segment, side, start * CONTROL_DT, run.now.fallen, error)


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


@dataclass(frozen=True)
class Paced:
    """How a live process kept the pace: shares of late intervals, and the delay of a push in intervals."""

    clip: str
    quality: str
    props: int
    dofs: int
    seconds: float
    late_share: float
    speed: float
    cpu_share: float
    load: float
    push_ticks: int


def paced(label: str, quality: str, props: int, seconds: float, character: str | None = None) -> Paced:
    """Play a clip in the live process for some time, with a push, and read what it says."""
    job = job_of(label, quality, _props(props), character)
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
            return _measured(process, Path(files[1]), job, props, seconds, label)
        finally:
            process.stop()


def _measured(process: ChildProcess, log: Path, job: Job, props: int, seconds: float, label: str) -> Paced:
    reader = _opened(log)
    first = _next(reader, 50)
    arrived, seen = _push_delay(process, reader)
    until, last = time.monotonic() + seconds, first
    while time.monotonic() < until:
        last = _next(reader, last.numbers.tick)
        time.sleep(0.01)
    usage = _cpu_seconds(process.process_id) / max(last.numbers.time_s, 0.1)
    load = os.getloadavg()[0]
    process.finish()
    while not isinstance(process.wait(5.0), (Ended, type(None))):
        pass
    dofs = stage_of(job).setup.world.model.nv
    reader.close()
    numbers = last.numbers
    return Paced(
        label,
        job.settings.quality,
        props,
        dofs,
        numbers.time_s,
        numbers.late_share,
        numbers.speed,
        usage,
        load,
        seen - arrived,
    )


def _push_delay(process: ChildProcess, reader: FrameReader) -> tuple[int, int]:
    """Pause, push while time stands, and step: the first frame with another pose is the push's."""
    process.send(to_json(command_to_dict(Pause(True))) + "\n")
    time.sleep(0.3)
    last = reader.latest()
    tick = 0 if last is None else last.numbers.tick
    process.send(to_json(command_to_dict(Push("chest", (300.0, 0.0, 0.0), 0.05))) + "\n")
    process.send(to_json(command_to_dict(Pause(False))) + "\n")
    return tick, _next(reader, tick).numbers.tick


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


def replays_equal(label: str) -> bool:
    """Return whether a log gives the same arrays twice, to the last bit."""
    first, second = (replay(stage_of(job_of(label)), LOG, Monitor(ignore_progress)) for _ in range(2))
    names = [each.name for each in fields(Result) if each.metadata]
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)
