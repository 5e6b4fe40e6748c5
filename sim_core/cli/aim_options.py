"""What a command says about strikes."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ..base.errors import InputError
from ..scene.aims import BLEND_SECONDS, Aim, load_aims
from .source import Source

FILE_SUFFIX = ".json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("strikes", "a bone that meets a target (docs/aiming.md)")
    group.add_argument(
        "--aim", metavar="BONE", help="what strikes: a part of the body or a bone; or a file AIMS.json"
    )
    group.add_argument("--at", metavar=("X", "Y", "Z"), type=float, nargs=3, help="the target [m], Z up")
    group.add_argument(
        "--frame", metavar="F", type=float, help="of the contact (default: the strike nearest to the target)"
    )
    group.add_argument(
        "--speed", metavar="V", type=float, help="of what strikes, at the contact [m/s] (default: as it is)"
    )
    group.add_argument(
        "--aim-blend",
        metavar="S",
        type=float,
        help=f"how long before and after the contact the motion is changed [s] (default: {BLEND_SECONDS})",
    )


def read_aims(options: argparse.Namespace) -> tuple[Aim, ...]:
    """The aims that the options name, if any; --frame is not yet a time."""
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


def at_frame(aims: tuple[Aim, ...], options: argparse.Namespace, source: Source) -> tuple[Aim, ...]:
    """With the time that --frame stands for."""
    if options.frame is None:
        return aims
    return tuple(replace(aim, time=source.time_of(options.frame)) for aim in aims)
