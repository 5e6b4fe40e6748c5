"""The option of soft parts on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from ..base.errors import InputError
from ..character.soft_parts import ROLES, SoftPart, soft_part
from ..motion.skeleton import Skeleton
from ..recognition.mapping import BoneMapping
from ..recognition.soft_chains import SoftParts, find_soft_chains

ALL = "all"


def add_soft_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses the chains of bones that are simulated as soft parts."""
    parser.add_argument(
        "--soft",
        metavar="WHAT[=S[,D]]",
        action="append",
        default=[],
        help=f"simulate chains of bones as soft parts: '{ALL}', a role ({', '.join(ROLES)}) or the first "
        "bone of a chain, with its stiffness and damping from 0 to 1; may be given several times",
    )


def soft_parts_of(wanted: Sequence[str], skeleton: Skeleton, mapping: BoneMapping) -> tuple[SoftPart, ...]:
    """Return the soft parts that the options ask for; later options override earlier ones."""
    if not wanted:
        return ()
    found = find_soft_chains(skeleton, mapping)
    chosen: dict[str, SoftPart] = {}
    for text in wanted:
        what, _, dials = text.partition("=")
        parts = [soft_part(chain) for chain in found.chains if what in (ALL, chain.role, chain.bones[0])]
        if not parts:
            raise InputError(f"--soft {what}: the rig has no such chain; {_there_are(found)}.")
        chosen |= {part.name: _dialled(part, dials, text) for part in parts}
    return tuple(chosen.values())


def _dialled(part: SoftPart, dials: str, text: str) -> SoftPart:
    try:
        given = [float(dial) for dial in dials.split(",")] if dials else []
    except ValueError:
        given = [-1.0]
    if len(given) > 2 or not all(0.0 <= dial <= 1.0 for dial in given):
        raise InputError(f"--soft {text}: give a stiffness and a damping from 0 to 1, such as tail=0.3,0.2.")
    stiffness, damping = (*given, *(part.stiffness, part.damping)[len(given) :])
    return replace(part, stiffness=stiffness, damping=damping)


def _there_are(found: SoftParts) -> str:
    if not found.chains:
        return "it has none at all that no part of the body claims"
    listed = ", ".join(f"{chain.role} '{chain.bones[0]}'" for chain in found.chains)
    return f"there are {listed}"
