"""The commands `blender --command heft bake`, `retarget` and `doctor`, which need no window."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ...sim_core.base.errors import HeftError, InputError, SimulationError
from ...sim_core.base.files import refuse_unwritable
from ...sim_core.base.json_files import to_json
from ...sim_core.scenario.settings import PARTS, QUALITIES
from ..bake.bake_options import BakeOptions, Participant, options_of
from ..bake.bake_report import BakeReport, messages_of
from ..blender.blender_types import ArmatureObject, rig_context
from ..presets.setting_presets import apply_preset
from ..reading.rig_reader import require_armature
from ..reading.soft_parts import choose_soft_parts
from ..reading.source_action import animated_range

if TYPE_CHECKING:
    import argparse

_handles: list[Any] = []


def register() -> None:
    """Register the command in Blender."""
    # The stubs say that it returns nothing.
    register_command: Callable[..., Any] = bpy.utils.register_cli_command
    _handles.append(register_command("heft", run))


def unregister() -> None:
    """Unregister the command."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status (docs/metrics.md)."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return COMMANDS[options.command](options)
    except HeftError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code


def _check(options: argparse.Namespace) -> int:
    from ...sim_core.cli.console import Console
    from ...sim_core.cli.doctor_command import listed
    from ..jobs.doctor_session import DoctorSession

    found = DoctorSession().wait(rig_context(bpy.context), Console().progress)
    if options.json:
        print(to_json(found.as_dict()))
    else:
        for name, value in listed(found).items():
            print(f"{name}: {value}")
    return SimulationError.exit_code if found.failed else 0


def _bake_and_print(options: argparse.Namespace) -> int:
    reports = _bake(options)
    if options.json:
        first, *others = (_figures(report) for report in reports)
        beside = {"others": others} if others else {}
        print(json.dumps({**first, "out": str(_out_path(options)), **beside}))
    return 0 if all(report.fell_frame is None for report in reports) else SimulationError.exit_code


def _retarget(options: argparse.Namespace) -> int:
    from . import retarget_command

    figures = retarget_command.run(options)
    if options.json:
        print(json.dumps(figures))
    fell = [one["fell_frame"] for one in (figures, *figures.get("others", ()))]
    return 0 if all(frame is None for frame in fell) else SimulationError.exit_code


def _figures(report: BakeReport) -> dict[str, Any]:
    metrics = {} if report.metrics is None else dataclasses.asdict(report.metrics)
    return {**metrics, "fell_frame": report.fell_frame, "action": report.action_name}


def _parser() -> argparse.ArgumentParser:
    from ...sim_core.cli.option_parser import OptionParser
    from . import retarget_command

    about = "Simulate a character's action, or retarget motions to it."
    parser = OptionParser(prog="blender --command heft", description=about)
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="check that this installation works")
    doctor.add_argument("--json", action="store_true", help="print what was found as JSON")
    bake = commands.add_parser("bake", help="simulate a character and save the file")
    add = bake.add_argument
    add("file", metavar="FILE.blend", type=Path)
    add(
        "--armature",
        metavar="NAME",
        action="append",
        default=[],
        help="an armature object; several are one simulation (default: the only animated one)",
    )
    add("--out", metavar="OUT.blend", type=Path, help="file to save (default: FILE_heft.blend)")
    add(
        "--preset",
        metavar="NAME",
        action="append",
        default=[],
        help="a preset or its .json file, in place of the file's settings; later ones win",
    )
    add(
        "--assist",
        metavar="N",
        type=float,
        help="largest assisting force [N] and torque [Nm]; 0 is physics only",
    )
    add("--quality", help=f"one of {', '.join(QUALITIES)}")
    add("--frames", metavar=("A", "B"), type=int, nargs=2, help="first and last frame")
    add("--only", metavar="PART", help=f"one of {', '.join(PARTS)}: what is simulated")
    soft = "also simulate all soft parts that are found (default: those chosen in the file)"
    add("--soft", action="store_true", help=soft)
    looped = "simulate the action as a loop (default: where it ends as it begins)"
    add("--loop", action="store_const", const="on", help=looped)
    add("--no-loop", dest="loop", action="store_const", const="off", help="simulate the action once")
    add("--few-keys", action="store_true", help="write keys only where they are needed")
    add("--json", action="store_true", help="print the metrics as JSON")
    retarget_command.add_arguments(
        commands.add_parser("retarget", help="retarget motions of files to a character")
    )
    return parser


def _bake(options: argparse.Namespace) -> tuple[BakeReport, ...]:
    from ...sim_core.cli.console import Console
    from ..bake.bake_job import bake_and_wait
    from .blend_file import open_blend, save_blend

    out = _out_path(options)
    refuse_unwritable(out)
    open_blend(options.file)
    chosen = [_chosen_armature(name) for name in dict.fromkeys(options.armature or [None])]
    participants = [Participant(obj, _bake_options(obj, options)) for obj in chosen]
    console = Console()
    reports = bake_and_wait(rig_context(bpy.context), participants, console.progress)
    for _, text in messages_of(reports):
        console.message(text)
    save_blend(out)
    console.message(f"Saved '{out}'.")
    return reports


def _out_path(options: argparse.Namespace) -> Path:
    file: Path = options.file
    return Path(options.out or file.with_name(f"{file.stem}_heft.blend")).resolve()


def _chosen_armature(name: str | None) -> ArmatureObject:
    objects = rig_context(bpy.context).view_layer.objects
    armatures = [require_armature(obj) for obj in objects if obj.type == "ARMATURE"]
    listed = ", ".join(f"'{obj.name}'" for obj in armatures) or "none"
    if name is not None:
        found = [obj for obj in armatures if obj.name == name]
        if not found:
            raise InputError(f"There is no armature '{name}' in the scene; armatures there: {listed}.")
        return found[0]
    animated = [obj for obj in armatures if animated_range(obj) is not None]
    if len(animated) != 1:
        raise InputError(
            f"The scene has {len(animated)} animated armatures; name one with --armature. "
            f"Armatures there: {listed}."
        )
    return animated[0]


def _bake_options(obj: ArmatureObject, options: argparse.Namespace) -> BakeOptions:
    """Return the file's own options, replaced by presets and then by those of the command line."""
    from ...sim_core.scenario.read_presets import FILE_END, named_preset

    for name in options.preset:
        apply_preset(obj, named_preset(name), "" if name.endswith(FILE_END) else name)
    if options.soft:
        choose_soft_parts(obj, rig_context(bpy.context).scene)
    stored = options_of(rig_context(bpy.context), obj)
    given = {"assist_cap": options.assist, "quality": options.quality, "only": options.only}
    given["loop"] = options.loop
    if options.few_keys:
        obj.heft_keys.mode = "FEW"
    changed = {name: value for name, value in given.items() if value is not None}
    settings = dataclasses.replace(stored.settings, **changed)
    start, end = options.frames or (stored.frame_start, stored.frame_end)
    return dataclasses.replace(stored, frame_start=start, frame_end=end, settings=settings)


COMMANDS = {"bake": _bake_and_print, "doctor": _check, "retarget": _retarget}
