"""The characters of a bake: their files, sizes and positions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP
from ..motion.motion import Motion
from .partner_options import Position, add_result_and_place, in_order, positions_of, results_of


@dataclass(frozen=True)
class BakeCharacter:
    """One character of a bake: its motion files in sequence, and the file of its result.

    height [m] and mass [kg]: None measures its rig; position: None keeps that of its file
    """

    files: tuple[Path, ...]
    out: Path
    height: float | None
    mass: float | None
    position: Position | None = None

    @property
    def name(self) -> str:
        """Name of the character."""
        return self.files[0].stem


def add_partner_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of further characters."""
    group = parser.add_argument_group(
        "further characters", "in the same simulation; each option counts for the next --with, in their order"
    )

    def option(name: str, metavar: str, kind: type, summary: str) -> None:
        target = name.removeprefix("--").replace("with", "partner").replace("-", "_")
        group.add_argument(
            name, dest=target, metavar=metavar, type=kind, action="append", default=[], help=summary
        )

    option("--with", "OTHER.bvh", Path, "the motion of another character; may be given several times")
    option("--with-height", "H", float, "its body height [m] (default: measured)")
    option("--with-mass", "M", float, "its mass [kg] (default: from the height)")
    add_result_and_place(group)


def characters_of(options: argparse.Namespace) -> list[BakeCharacter]:
    """Return all characters that the options name, the first one first."""
    others: list[Path] = options.partner
    outs, positions = results_of(options, others), positions_of(options)
    heights = in_order("--with-height", options.partner_height, others)
    masses = in_order("--with-mass", options.partner_mass, others)
    first = BakeCharacter((options.motion, *options.then), options.out, options.height, options.mass)
    further = zip(others, outs, heights, masses, positions, strict=True)
    return [first, *(BakeCharacter((file,), out, h, m, position) for file, out, h, m, position in further)]


def placed(motion: Motion, x: float, y: float, yaw_deg: float) -> Motion:
    """Return the motion turned about the vertical at its root's start, then moved."""
    turn = rotations.from_vector(np.radians(yaw_deg) * Z_UP)
    start = motion.position_world[0, 0]
    return motion.moved(start - rotations.rotate(turn, start) + [x, y, 0.0], turn)
