"""The items of the hopper benchmark."""

from __future__ import annotations

from typing import Any

HEIGHTS_M, SPEEDS_M_S = (0.05, 0.1, 0.15), (0.0, 0.5, 1.0)
STIFFNESSES = (0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0)
"""Stiffness of an ankle, as shares of what holds a pendulum upright."""
HALF_FEET_M = (0.025, 0.05, 0.1, 0.15)
ROWS: dict[str, list[dict[str, Any]]] = {
    kind: [{"kind": kind, "height": h, "speed": v, "seconds": s} for h in HEIGHTS_M for v in SPEEDS_M_S]
    for kind, s in (("model", 60.0), ("character", 10.0))
}


def describe(item: dict[str, Any]) -> str:
    """Return an item in words."""
    return f"{item['kind']}, {100.0 * item['height']:g} cm at {item['speed']:g} m/s"
