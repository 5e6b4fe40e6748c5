"""Options that several commands share: body and units of a motion, the scene, and aimed strikes."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ..base.conventions import AXIS_NAMES
from ..base.errors import InputError
from ..markers.marker_sets import known_sets
from ..reading.bvh_clip import ReadingChoices
from ..scene.aims import BLEND_SECONDS, Aim, load_aims
from ..scene.scene import FLAT, Scene
from ..scene.scene_file import load_scene
from ..sources.motion_source import MotionSource

FILE_SUFFIX = ".json"
BODY_OPTIONS = ("mass", "height", "unit", "fps", "up", "keep_rest_frames", "skeleton", "set")
"""What `add_body_options` adds, all of which is about motion files."""


def add_body_options(
    parser: argparse.ArgumentParser, mass_default: str = "from the height", before: str = ""
) -> None:
    """Add size, mass and what can be stated about a file; before: what their help texts start with."""
    parser.add_argument(
        "--height",
        "--moves-like",
        metavar="H",
        type=float,
        help=f"{before}height of the simulated body [m]; the result fits the rig as it is "
        "(default: measured)",
    )
    for name, metavar, summary in (
        ("--mass", "M", f"total mass [kg] (default: {mass_default})"),
        ("--unit", "U", "metres per file unit (default: found from the body)"),
        ("--fps", "F", "frames per second (default: the file's own, unless its motion contradicts it)"),
    ):
        parser.add_argument(name, metavar=metavar, type=float, help=before + summary)
    add_file_options(parser, before)


def add_file_options(parser: argparse.ArgumentParser, before: str = "") -> None:
    """Add --up, --keep-rest-frames, --skeleton and --set; before: what their help texts start with."""
    axes = f"the file's up axis, one of {', '.join(AXIS_NAMES)} (default: found from the motion)"
    parser.add_argument("--up", metavar="AXIS", help=before + axes)
    parser.add_argument(
        "--keep-rest-frames",
        action="store_true",
        help=f"{before}a rest pose before the motion is a part of it (default: left out)",
    )
    parser.add_argument(
        "--skeleton",
        metavar="FILE",
        type=Path,
        help=f"{before}the skeleton of an AMC file (.asf) or the model of a table of joint angles (.osim) "
        "(default: found beside it), or a model of SMPL (.npz) (default: average proportions)",
    )
    add_set_option(parser, before)


def add_set_option(parser: argparse.ArgumentParser, before: str = "") -> None:
    """Add --set; before: what its help text starts with."""
    summary = (
        f"marker set of a C3D or TRC file: {', '.join(known_sets())}, or a JSON file (default: by labels)"
    )
    parser.add_argument("--set", metavar="SET", help=before + summary)


def reading_choices(options: argparse.Namespace) -> ReadingChoices:
    """Return what the options state about motion files."""
    height, mass = (getattr(options, name, None) for name in ("height", "mass"))
    return ReadingChoices(
        options.unit,
        options.up,
        options.fps,
        options.keep_rest_frames,
        height,
        options.set,
        options.skeleton,
        mass,
    )


def refuse_motion_options(options: argparse.Namespace, result: Path) -> None:
    """Raise an InputError if a command that was given a result has options of `add_body_options`."""
    given = next((name for name in BODY_OPTIONS if getattr(options, name) not in (None, False)), None)
    if given is not None:
        raise InputError(
            f"--{given.replace('_', '-')} is for motion files; '{result}' is a result, which has its own."
        )


def add_scene_option(parser: argparse.ArgumentParser) -> None:
    """Add --scene."""
    summary = "objects and ground around the character (docs/scene-file.md)"
    parser.add_argument("--scene", metavar="SCENE.json", type=Path, help=summary)


def scene_of(options: argparse.Namespace) -> Scene:
    """Return the scene of the scene file, or flat ground."""
    return FLAT if options.scene is None else load_scene(options.scene)


def add_aim_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of aimed strikes."""
    group = parser.add_argument_group("strikes", "a bone that meets a target (docs/aiming.md)")
    group.add_argument(
        "--aim", metavar="BONE", help="what strikes: a part of the body or a bone; or a file AIMS.json"
    )
    group.add_argument("--at", metavar=("X", "Y", "Z"), type=float, nargs=3, help="the target [m], Z up")
    group.add_argument(
        "--frame",
        metavar="F",
        type=float,
        help="frame of the contact (default: the strike nearest to the target)",
    )
    group.add_argument(
        "--speed",
        metavar="V",
        type=float,
        help="speed of the striking part at the contact [m/s] (default: unchanged)",
    )
    group.add_argument(
        "--aim-blend",
        metavar="S",
        type=float,
        help=f"how long before and after the contact the motion is changed [s] (default: {BLEND_SECONDS})",
    )


def read_aims(options: argparse.Namespace) -> tuple[Aim, ...]:
    """Return the aims that the options name, if any; --frame is not yet converted to a time."""
    given = [name for name in ("at", "frame", "speed", "aim_blend") if getattr(options, name) is not None]
    if options.aim is None or options.aim.lower().endswith(FILE_SUFFIX):
        if given:
            name = given[0].replace("_", "-")
            raise InputError(f"--{name} belongs to --aim BONE --at X Y Z; name the bone that strikes.")
        return () if options.aim is None else load_aims(Path(options.aim))
    if options.at is None:
        raise InputError(f"--aim '{options.aim}' needs a target; add --at X Y Z in metres.")
    aim = Aim(
        options.aim,
        options.at,
        speed=options.speed or 0.0,
        blend=BLEND_SECONDS if options.aim_blend is None else options.aim_blend,
    )
    return (aim,)


def at_frame(aims: tuple[Aim, ...], options: argparse.Namespace, source: MotionSource) -> tuple[Aim, ...]:
    """Return the aims with the time that --frame stands for."""
    if options.frame is None:
        return aims
    return tuple(replace(aim, time=source.time_of(options.frame)) for aim in aims)
