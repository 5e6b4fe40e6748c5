"""The items of the steering benchmark."""

from __future__ import annotations

from typing import Any

CLIPS = ("16_31", "02_01", "07_01", "08_01", "35_01", "16_17", "77_02", "138_01", "91_19", "104_28")
"""Captures of the graph; the first has the body of all."""
MARCHES = ("138_01", "91_19")
"""Actions that are asked for by name."""
OTHER_BODY = ("08_01", *(clip for clip in CLIPS if clip != "08_01"))
"""The same on another body, on which nothing was tried before."""
SECONDS = 60.0
SEEDS, OTHER_SEEDS = 10, 3
CURVES = ("line", "S", "circle", "corners", "figure of eight")

ROWS: dict[str, list[dict[str, Any]]] = {
    "steered": [{"kind": "steer", "clips": CLIPS, "seed": seed, "seconds": SECONDS} for seed in range(SEEDS)],
    "steered, another body": [
        {"kind": "steer", "clips": OTHER_BODY, "seed": seed, "seconds": SECONDS}
        for seed in range(OTHER_SEEDS)
    ],
    "along a curve": [{"kind": "curve", "clips": CLIPS, "curve": curve} for curve in CURVES],
}


def describe(item: dict[str, Any]) -> str:
    """Return an item in words."""
    return (
        f"curve {item['curve']}" if item["kind"] == "curve" else f"seed {item['seed']} on {item['clips'][0]}"
    )
