"""What the holds benchmark runs: stands beside a rail that are pushed."""

from __future__ import annotations

from ..common.cache import Item

CLIP = "77_02:0-4"
"""Somebody who stands, with hands that hardly move."""
ROLES = ("hold", "none")
"""What the rail is: something to hold on to, or not there."""
FORCES_N, DIRECTIONS_DEG = (200.0, 300.0), (0.0, 90.0, 180.0, 270.0)
PUSH_AT_S, PUSH_S = 1.0, 0.3
"""When the chest is pushed, and for how long [s]."""


def items() -> list[Item]:
    """Return all runs."""
    return [
        {"role": role, "force_n": force, "direction_deg": direction}
        for force in FORCES_N
        for direction in DIRECTIONS_DEG
        for role in ROLES
    ]


def describe(item: Item) -> str:
    """Return a short name of a run."""
    return f"{item['role']}, {item['force_n']:.0f} N towards {item['direction_deg']:.0f} deg"
