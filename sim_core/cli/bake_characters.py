"""The characters of a bake: their files, sizes and positions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP
from ..base.errors import InputError
from ..motion.motion import Motion

T = TypeVar("T")
Position = tuple[float, float, float]
"""Displacement along X and Y [m], and a turn about the vertical [deg]."""


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
    option("--with-out", "RESULT.npz", Path, "its result (default: named after --out and its motion)")
    option("--with-height", "H", float, "its body height [m] (default: measured)")
    option("--with-mass", "M", float, "its mass [kg] (default: from the height)")
    group.add_argument(
        "--place",
        metavar=("X", "Y", "YAW"),
        type=float,
        nargs=3,
        action="append",
        default=[],
        help="turned by YAW degrees where it starts, and moved by X and Y [m] (default: as in its file)",
    )


def characters_of(options: argparse.Namespace) -> list[BakeCharacter]:
    """Return all characters that the options name, the first one first."""
    others: list[Path] = options.partner
    outs = _in_order("--with-out", options.partner_out, others)
    heights = _in_order("--with-height", options.partner_height, others)
    masses = _in_order("--with-mass", options.partner_mass, others)
    positions = _in_order("--place", [tuple(position) for position in options.place], others)
    characters = [BakeCharacter((options.motion, *options.then), options.out, options.height, options.mass)]
    for file, out, height, mass, position in zip(others, outs, heights, masses, positions, strict=True):
        characters.append(
            BakeCharacter((file,), out or _own_out(options.out, file, characters), height, mass, position)
        )
    _refuse_same_files(characters)
    return characters


def placed(motion: Motion, x: float, y: float, yaw_deg: float) -> Motion:
    """Return the motion turned about the vertical at its root's start, then moved."""
    turn = rotations.from_vector(np.radians(yaw_deg) * Z_UP)
    start = motion.position_world[0, 0]
    return motion.moved(start - rotations.rotate(turn, start) + [x, y, 0.0], turn)


def _in_order(name: str, given: Sequence[T], others: Sequence[Path]) -> list[T | None]:
    if len(given) > len(others):
        raise InputError(
            f"{name} is given {len(given)} time(s), but there are {len(others)} characters after --with."
        )
    return [*given, *[None] * (len(others) - len(given))]


def _own_out(out: Path, file: Path, characters: Sequence[BakeCharacter]) -> Path:
    """Return a file named after the first result and the motion, with a number if that is taken."""
    taken = {character.out for character in characters}
    stem = f"{out.stem}_{file.stem}"
    numbered = (out.with_name(f"{stem}_{number}{out.suffix}") for number in range(2, len(characters) + 2))
    plain = out.with_name(f"{stem}{out.suffix}")
    return plain if plain not in taken else next(path for path in numbered if path not in taken)


def _refuse_same_files(characters: Sequence[BakeCharacter]) -> None:
    outs = [character.out for character in characters]
    double = next((out for out in outs if outs.count(out) > 1), None)
    if double is not None:
        raise InputError(f"Two results would go to '{double}'; give each a file of its own.")
