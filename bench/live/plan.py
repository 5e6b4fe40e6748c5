"""The items of the benchmark of live plays, by the table that they belong to."""

from __future__ import annotations

from typing import Any

WALKS, STANDS = ("07_01", "16_31"), ("77_02", "13_18")
PARTS = ("hand.L", "chest", "head")
PUSHES = 2
"""Pushes of each part to each side, at different phases of a step."""
PLAYED_S = 60.0
"""How long the live process plays at the pace of the clock [s]."""
MANY_AXES = "dasilva2008_3d"
"""The preset with 57 degrees of freedom."""

PACE: list[dict[str, Any]] = [
    {"kind": "pace", "clip": "07_01", "quality": quality, "props": props, "seconds": PLAYED_S}
    | {"character": character}
    for quality, props, character in (("standard", 0, MANY_AXES), ("draft", 10, None))
]
GRABBED: list[dict[str, Any]] = [
    {"kind": "grabbed", "clip": clip, "segment": part, "side": side, "number": number}
    for clip in (*WALKS, *STANDS)
    for part in PARTS
    for side in (-1, 1)
    for number in range(PUSHES)
]
PUSHED: list[dict[str, Any]] = [{"kind": "pushed", "clip": clip} for clip in ("07_01", "77_02")]
REPLAYED: list[dict[str, Any]] = [{"kind": "replayed", "clip": clip} for clip in ("07_01", "13_18")]
ROWS = {"pace": PACE, "bodies": [*GRABBED, *PUSHED, *REPLAYED]}
"""`pace` depends on the machine and its load, `bodies` on neither."""


def describe(item: dict[str, Any]) -> str:
    """Return an item in words."""
    if item["kind"] == "grabbed":
        side = "left" if item["side"] > 0 else "right"
        return f"{item['clip']}, {item['segment']} to the {side}, push {item['number'] + 1}"
    return f"{item['clip']}, {item['kind']}"
