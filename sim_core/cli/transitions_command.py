"""Say how well motions of one character follow each other."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from itertools import count
from pathlib import Path
from typing import Any

from ..motion.motion import Motion
from ..reading.bvh_clip import ReadingChoices
from ..recognition import recognise
from ..sequence.blend import BLEND_SECONDS
from ..sequence.chain import transitions_between
from ..sources.motion_source import MOTION_KINDS, read_clip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("motions", metavar="MOTION", type=Path, nargs="+", help=f"to compare: {MOTION_KINDS}")
    parser.add_argument("--unit", metavar="U", type=float, help="metres per file unit (default: inferred)")
    parser.add_argument(
        "--blend",
        metavar="S",
        type=float,
        default=BLEND_SECONDS,
        help=f"how long one motion is blended into the next [s] (default: {BLEND_SECONDS})",
    )


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Return the cost of each transition [m/s], the cheapest first."""
    chosen = ReadingChoices(options.unit)
    motions: dict[str, Motion] = {}
    for file in options.motions:
        motions[_free_name(file.stem, motions)] = read_clip(file, chosen).motion
    mapping = recognise(next(iter(motions.values())).skeleton)
    found = transitions_between(motions, mapping, options.blend)
    ordered = sorted(found.items(), key=lambda item: item[1].cost)
    return {f"{before} -> {after}": transition.cost for (before, after), transition in ordered}


def _free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if another file of this name, as of another folder, has it already."""
    numbered = (f"{name} {number}" for number in count(2))
    return name if name not in taken else next(own for own in numbered if own not in taken)
