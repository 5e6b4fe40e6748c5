"""Options of further characters, which several commands have: each counts for the next `--with`, in order."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

from ..base.errors import InputError

T = TypeVar("T")
Position = tuple[float, float, float]
"""Displacement along X and Y [m], and a turn about the vertical [deg]."""


def add_result_and_place(group: argparse._ArgumentGroup) -> None:
    """Add the options for the result of each further character, and for where it starts."""
    group.add_argument(
        "--with-out",
        dest="partner_out",
        metavar="RESULT",
        type=Path,
        action="append",
        default=[],
        help="its result (default: named after --out and its motion)",
    )
    group.add_argument(
        "--place",
        metavar=("X", "Y", "YAW"),
        type=float,
        nargs=3,
        action="append",
        default=[],
        help="turned by YAW degrees where it starts, and moved by X and Y [m] (default: as in its file)",
    )


def positions_of(options: argparse.Namespace) -> list[Position | None]:
    """Return where each further character starts; None keeps the position of its file."""
    return in_order("--place", [tuple(position) for position in options.place], options.partner)


def results_of(options: argparse.Namespace, motions: Sequence[Path]) -> list[Path]:
    """Return the file of each further character's result; two characters with one file are refused."""
    found: list[Path] = [options.out]
    for given, motion in zip(in_order("--with-out", options.partner_out, motions), motions, strict=True):
        found.append(given or _result_beside(options.out, motion, found))
    double = next((out for out in found if found.count(out) > 1), None)
    if double is not None:
        raise InputError(f"Two results would go to '{double}'; give each a file of its own.")
    return found[1:]


def in_order(name: str, given: Sequence[T], others: Sequence[object]) -> list[T | None]:
    """Return the values of an option for all further characters; None where it was not given."""
    if len(given) > len(others):
        raise InputError(
            f"{name} is given {len(given)} time(s), but there are {len(others)} characters after --with."
        )
    return [*given, *[None] * (len(others) - len(given))]


def _result_beside(out: Path, motion: Path, taken: Collection[Path]) -> Path:
    """Return a file named after the first result and the motion, with a number if that is taken."""
    stem = f"{out.stem}_{motion.stem}"
    names = [stem, *(f"{stem}_{number}" for number in range(2, len(taken) + 2))]
    files = (out.with_name(f"{name}{out.suffix}") for name in names)
    return next(file for file in files if file not in taken)
