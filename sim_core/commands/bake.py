"""Simulate the motion of a BVH or marker file and write the result file."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from ..bake import bake
from ..control.hit_reaction import Hit
from ..errors import InputError
from ..files import refuse_overwriting, refuse_unwritable
from ..job import Job
from ..motion import Motion
from ..process import keep_mujoco_from_logging_to_file
from ..result import Result, save_result
from ..scene.file import load_scene
from ..scene.scene import FLAT
from ..sequence.chain import BLEND_SECONDS
from ..settings import BALANCES, QUALITIES, SOLVERS, BakeSettings
from .console import Console
from .source import Source, read_source

_DEFAULT = BakeSettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    def option(name: str, metavar: str, kind: type, summary: str, default: object = None) -> None:
        shown = "" if default is None else f" (default: {default})"
        parser.add_argument(name, metavar=metavar, type=kind, default=default, help=summary + shown)

    parser.add_argument(
        "motion", metavar="MOTION", type=Path, help="the motion to simulate: BVH, or markers (C3D, TRC)"
    )
    parser.add_argument(
        "--then",
        metavar="NEXT.bvh",
        type=Path,
        action="append",
        default=[],
        help="a motion of the same character that follows; may be given several times",
    )
    option("--blend", "S", float, "how long one motion goes over into the next [s]", BLEND_SECONDS)
    parser.add_argument("--out", metavar="RESULT.npz", type=Path, required=True, help="the file to write")
    option("--quality", "Q", str, f"one of {', '.join(QUALITIES)}", _DEFAULT.quality)
    option(
        "--assist", "N", float, "largest outside help per axis [N, Nm]; 0 is physical", _DEFAULT.assist_cap
    )
    option("--seed", "K", int, "of all random draws", _DEFAULT.seed)
    option("--noise", "S", float, "random starting velocity, one sigma [rad/s, m/s]", _DEFAULT.noise)
    parser.add_argument("--seconds", metavar=("A", "B"), type=float, nargs=2, help="part of the clip [s]")
    option("--height", "H", float, "body height [m] (default: measured)")
    option("--mass", "M", float, "total mass [kg] (default: from the height)")
    option("--unit", "U", float, "metres per file unit (default: inferred from the body)")
    option("--fps", "F", float, "frames per second, where the file's own rate is wrong")
    option("--character", "NAME", str, "a preset character (default: built from the file's skeleton)")
    option("--balance", "B", str, f"one of {', '.join(BALANCES)}", _DEFAULT.balance)
    option("--balance-weight", "W", float, "three_link: 0 style to 1 balance", _DEFAULT.balance_weight)
    option("--solver", "S", str, f"one of {', '.join(SOLVERS)}", _DEFAULT.solver)
    option("--correction", "C", float, "how far the motion may be changed, 0 to 1", _DEFAULT.correction)
    option("--softness", "S", float, "what is hit gives way: 0 not at all to 1 limp", _DEFAULT.softness)
    option("--recovery", "S", float, "from a hit until all is firm again [s]", _DEFAULT.recovery_s)
    parser.add_argument(
        "--no-find-assist",
        dest="find_assist",
        action="store_false",
        help="after a fall, do not look for the least help that prevents it",
    )
    option("--scene", "SCENE.json", Path, "what is about the character (docs/scene-file.md)")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Bake as the options say; the metrics."""
    settings = BakeSettings(
        quality=options.quality,
        assist_cap=options.assist,
        seed=options.seed,
        noise=options.noise,
        height=options.height,
        mass=options.mass,
        character=options.character,
        balance=options.balance,
        balance_weight=options.balance_weight,
        solver=options.solver,
        correction=options.correction,
        softness=options.softness,
        recovery_s=options.recovery,
        find_assist=options.find_assist,
    )
    scene = FLAT if options.scene is None else load_scene(options.scene)
    for file in (options.motion, *options.then):
        refuse_overwriting(file, options.out)
    refuse_unwritable(options.out)
    console = Console()
    source = read_source([options.motion, *options.then], options.unit, options.fps, options.blend)
    motion = source.motion if options.seconds is None else _part(source.motion, *options.seconds)
    mapping = source.mapping
    for note in source.notes:
        console.message(note)

    keep_mujoco_from_logging_to_file()
    result = bake(Job(motion, mapping, settings, scene), console.progress)
    for note in result.meta["notes"]:
        console.message(note)
    for hit in result.meta["hits"]:
        console.message(f"{hit['time_s']:.2f} s: {Hit(**hit).sentence}")
    result = _with_input(result, options, source)
    save_result(result, options.out)
    console.message(f"Saved '{options.out}'.")
    _tell_fall(console, result, source)
    return {**result.meta["metrics"], "fell_at": result.meta["fell_at"], "result": str(options.out)}


def _part(motion: Motion, start_s: float, end_s: float) -> Motion:
    if not 0.0 <= start_s < end_s:
        raise InputError(f"--seconds is {start_s:g} {end_s:g}; give a start of 0 or more and a later end.")
    return motion.between(start_s, end_s)


def _with_input(result: Result, options: argparse.Namespace, source: Source) -> Result:
    """The result with a record of the files it came from and of what had to be guessed."""
    record = {
        "file": options.motion.name,
        "unit_m": source.first.unit_m,
        "frames_skipped": source.first.frames_skipped,
        "fps": options.fps,
        "seconds": options.seconds,
        "scene": None if options.scene is None else options.scene.name,
        "notes": source.notes,
    }
    parts = [part.as_dict() for part in source.parts]
    return dataclasses.replace(result, meta={**result.meta, "input": record, "parts": parts})


def _tell_fall(console: Console, result: Result, source: Source) -> None:
    """Say when the character fell, and where in its file; the notes say why."""
    fell_at = result.meta["fell_at"]
    if fell_at is not None:
        place = source.place_of(float(result.source_time[0] + fell_at))
        console.message(f"The character fell after {fell_at:.2f} s ({place}).")
