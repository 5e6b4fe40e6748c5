"""Files of characters who are retargeted together, and of the objects that their hands touch."""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import VERSION
from ..base.files import write_text_atomically
from ..base.json_files import to_json
from ..jobs.retarget_job import simulate, simulated_figures
from ..motion.bvh_writer import write_bvh
from ..recognition import BoneMapping, check_mapping
from ..result.records import RetargetInput, RetargetRecord
from ..result.result import Result, save_result
from ..retarget.in_scene import retarget_in_scene, simulated_scene
from ..retarget.retarget import Retargeted, Take, same_frames, save_retargeted
from ..retarget.retarget_figures import retarget_figures
from ..retarget.retarget_options import RetargetOptions
from ..retarget.retarget_rig import RetargetRig, make_retarget_rig
from ..scenario.settings import BakeSettings
from ..scene.scene import Scene
from ..scene.scene_file import scene_to_dict
from ..sources.motion_source import read_source
from .bake_characters import placed
from .console import Console
from .partner_options import Position, add_result_and_place, positions_of, results_of
from .shared_options import reading_choices


@dataclasses.dataclass(frozen=True)
class Step:
    """One motion to retarget, its target, and the file to write; position: None keeps that of the file."""

    source: Path
    target: Path
    out: Path
    position: Position | None = None


@dataclasses.dataclass(frozen=True)
class Setup:
    """What is the same for all motions."""

    retarget_options: RetargetOptions
    scene: Scene
    options: argparse.Namespace
    console: Console


def add_company_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of further characters, and of objects in hands."""
    about = "whose contacts with hands are kept; options of characters count for the next --with, in order"
    group = parser.add_argument_group("further characters and objects", about)
    group.add_argument(
        "--with",
        dest="partner",
        metavar=("SOURCE", "TARGET"),
        type=Path,
        nargs=2,
        action="append",
        default=[],
        help="another motion, and the character for it; may be repeated",
    )
    add_result_and_place(group)
    group.add_argument(
        "--prop",
        metavar="NAME",
        action="append",
        default=[],
        help="an object of --scene that hands touch: with keys it goes along with them, else it stays",
    )
    group.add_argument(
        "--scene-out", metavar="SCENE.json", type=Path, help="the scene with the new keys of these objects"
    )


def partner_steps(options: argparse.Namespace) -> list[Step]:
    """Return the further characters that the options name."""
    outs = results_of(options, [source for source, _ in options.partner])
    further = zip(options.partner, outs, positions_of(options), strict=True)
    return [Step(source, target, out, position) for (source, target), out, position in further]


def retarget_files(
    steps: Sequence[Step], table: BoneMapping | None, targets: Sequence[RetargetRig], setup: Setup
) -> dict[str, Any]:
    """Retarget the motions of all steps together, and write them; table: of the first source's bones."""
    options, console = setup.options, setup.console
    takes, inputs = [], []
    for number, (step, target) in enumerate(zip(steps, targets, strict=True)):
        read = read_source([step.source], reading_choices(options), 0.0)
        motion = read.motion if step.position is None else placed(read.motion, *step.position)
        mapping = read.mapping if table is None or number else table
        check_mapping(mapping, motion.skeleton)
        source = make_retarget_rig(motion.skeleton, mapping, motion)
        takes.append(Take(source, motion, target, setup.retarget_options))
        scene = None if options.scene is None else options.scene.name
        inputs.append(RetargetInput(step.source.name, step.target.name, read.first.unit_m, scene))
        for note in (*read.notes, *target.mapping.notes):
            console.message(note)
    takes = same_frames(takes)
    names = tuple(options.prop)
    began = time.process_time()
    outcomes, scene_after = retarget_in_scene(takes, setup.scene, names)
    seconds = time.process_time() - began
    results: Sequence[Result | None] = [None] * len(steps)
    if options.simulate:
        flat, around = retarget_in_scene(takes, setup.scene, names, flat=True)
        settings = [BakeSettings(mass=options.mass)] + [BakeSettings()] * (len(steps) - 1)
        people = [f"{step.source.stem} {number}" for number, step in enumerate(steps, 1)]
        results = simulate(flat, settings, simulated_scene(around, names), people, console.progress)
    frames_per_s = sum(len(take.motion.time) for take in takes) / max(seconds, 1e-9)
    told = [
        _write(step, given, outcome, result, frames_per_s, console)
        for step, given, outcome, result in zip(steps, inputs, outcomes, results, strict=True)
    ]
    if options.scene_out is not None:
        write_text_atomically(options.scene_out, to_json(scene_to_dict(scene_after)))
        console.message(f"Saved '{options.scene_out}'.")
    others = {"others": {step.source.stem: one for step, one in zip(steps[1:], told[1:], strict=True)}}
    return {**told[0], **(others if told[1:] else {})}


def _write(
    step: Step,
    files: RetargetInput,
    outcome: Retargeted,
    result: Result | None,
    frames_per_s: float,
    console: Console,
) -> dict[str, Any]:
    """Write the file of one character; return its figures."""
    metrics = {**retarget_figures(outcome), "frames_per_s": frames_per_s}
    for note in (*outcome.notes, *(() if result is None else result.meta.notes)):
        console.message(note)
    if result is not None:
        record = RetargetRecord(VERSION, files, metrics, simulated_figures(outcome, result))
        meta_with = dataclasses.replace(result.meta, retarget=record)
        save_result(dataclasses.replace(result, meta=meta_with), step.out)
        simulated = {} if result.meta.metrics is None else dataclasses.asdict(result.meta.metrics)
        metrics = {**metrics, **simulated, "fell_at": result.meta.fell_at}
    elif step.out.suffix.lower() == ".bvh":
        write_bvh(outcome.motion, step.out)
    else:
        meta = {"version": VERSION, "input": dataclasses.asdict(files), "metrics": metrics}
        save_retargeted(outcome, step.out, meta)
    console.message(f"Saved '{step.out}'.")
    return {**metrics, "result": str(step.out)}
