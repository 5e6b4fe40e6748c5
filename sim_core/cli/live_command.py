"""Play a motion as a simulated character that is pushed, pulled and hit while it plays."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..bake.monitor import Monitor
from ..base.errors import InputError
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..live.commands import CommandLog, load_log, save_log
from ..live.repeated import stage_of
from ..live.take import Stage, replay
from ..motion.motion import CONTROL_DT
from ..result.result import Result, save_result
from ..scenario.job import Job
from ..scenario.settings import QUALITIES, BakeSettings
from ..sequence.blend import BLEND_SECONDS
from ..sources.motion_source import MOTION_KINDS, PLAY_SUFFIX, read_source
from .console import Console
from .output_files import check_outputs
from .performer_options import USUAL_SECONDS, add_performer_options, follow_performer, follows_performer
from .shared_options import add_body_options, add_scene_option, reading_choices, scene_of

_DEFAULT = BakeSettings()
LONGEST_S = 3600.0
"""How long a play may be; all of it is kept in memory [s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "motion",
        metavar="CLIP",
        type=Path,
        help=f"the motion: {MOTION_KINDS}; or a list of actions to steer through, ACTIONS.json",
    )
    parser.add_argument(
        "--commands",
        metavar="LOG.json",
        type=Path,
        help="what is done to the character and when (default: nothing)",
    )
    parser.add_argument("--out", metavar="RESULT.npz", type=Path, required=True, help="the file to write")
    parser.add_argument("--log", metavar="LOG.json", type=Path, help="write what was done to this file")
    parser.add_argument("--seconds", metavar="S", type=float, help="length of the play (default: the log's)")
    parser.add_argument(
        "--quality", metavar="Q", default=_DEFAULT.quality, help=f"one of {', '.join(QUALITIES)}"
    )
    assist = "largest outside force [N] and torque [Nm] at the hips; 0 is physical"
    parser.add_argument("--assist", metavar="N", type=float, default=_DEFAULT.assist_cap, help=assist)
    add_body_options(parser)
    add_scene_option(parser)
    add_performer_options(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Repeat what the log says, or follow a performer, and write the result; return the metrics."""
    check_outputs(options, "out", "log")
    performed = follows_performer(options)
    log = _log(options, USUAL_SECONDS if performed else None)
    console = Console()
    settings = BakeSettings(
        quality=options.quality, assist_cap=options.assist, height=options.height, mass=options.mass
    )
    keep_mujoco_from_logging_to_file()
    if performed:
        source = read_source([options.motion], reading_choices(options), BLEND_SECONDS)
        job = Job(source.motion, source.mapping, settings, scene_of(options))
        done = follow_performer(options, job, log, console)
        return {**_keep(options, console, done.result, done.log, source.notes), **done.figures}
    stage, notes, figures = _stage(options, settings)
    try:
        result = replay(stage, log, Monitor(console.progress))
    finally:
        stage.library.close()
    return {**_keep(options, console, result, log, notes), **figures()}


def _keep(
    options: argparse.Namespace, console: Console, result: Result, log: CommandLog, notes: tuple[str, ...]
) -> dict[str, Any]:
    """Write a result and the log of what was done; return the metrics."""
    for note in (*notes, *result.meta.notes):
        console.message(note)
    save_result(result, options.out)
    console.message(f"Saved '{options.out}'.")
    if options.log is not None:
        save_log(log, options.log)
    metrics = {} if result.meta.metrics is None else asdict(result.meta.metrics)
    return {**metrics, "fell_at": result.meta.fell_at, "result": str(options.out)}


def _stage(
    options: argparse.Namespace, settings: BakeSettings
) -> tuple[Stage, tuple[str, ...], Callable[[], dict[str, Any]]]:
    """Return what the run starts from, notes on its files, and figures of the run when it is over."""
    if options.motion.suffix.lower() == PLAY_SUFFIX:
        return _steered(options, settings)
    source = read_source([options.motion], reading_choices(options), BLEND_SECONDS)
    stage = stage_of(Job(source.motion, source.mapping, settings, scene_of(options)))
    return stage, source.notes, dict


def _steered(
    options: argparse.Namespace, settings: BakeSettings
) -> tuple[Stage, tuple[str, ...], Callable[[], dict[str, Any]]]:
    """Return what a run through the graph of a list of actions starts from."""
    if options.scene is not None:
        raise InputError("A steered character walks on flat ground; leave out --scene.")
    from ..steering.stage import Steered  # here, because few runs are steered
    from .graph_source import read_graph

    source = read_graph(options.motion, reading_choices(options))
    steered = Steered(source.graph, settings)

    def figures() -> dict[str, Any]:
        waits = [own.taken_s - own.given_s for own in steered.commands if own.taken_s is not None]
        return {"commands": len(steered.commands), "longest_wait_s": max(waits, default=0.0)}

    return steered.stage, source.notes, figures


def _log(options: argparse.Namespace, usual_s: float | None) -> CommandLog:
    """Return the log of the options, as long as they say; usual_s: where they say nothing [s]."""
    seconds = usual_s if options.seconds is None and options.commands is None else options.seconds
    if options.commands is None and seconds is None:
        raise InputError("How long shall it play? Give --seconds, or --commands with a log.")
    log = None if options.commands is None else load_log(options.commands)
    if seconds is None:
        assert log is not None
        if log.ticks * CONTROL_DT > LONGEST_S:
            raise InputError(
                f"'{options.commands.name}' plays for {log.ticks * CONTROL_DT:g} s; {LONGEST_S:g} s is the "
                "most, so give --seconds."
            )
        return log
    if not CONTROL_DT <= seconds <= LONGEST_S:
        raise InputError(f"--seconds is {seconds:g}; a play lasts {CONTROL_DT:g} to {LONGEST_S:g} s.")
    ticks = round(seconds / CONTROL_DT)
    return CommandLog(ticks) if log is None else replace(log, ticks=ticks)
