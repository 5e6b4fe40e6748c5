"""Trials of the robustness benchmark: figures 4 to 6 and table 1 of da Silva et al. 2008."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..common.cache import Item
from ..common.clips import START_NOISE
from .body_changes import CHANGES

FRICTIONS = (0.5, 0.75, 1.0, 1.25, 1.5)
"""Friction coefficients that the controller assumes (figure 5)."""
GROUND_FRICTION = 1.0
"""Friction coefficient of the simulated ground in figure 5."""
INFORMED = {
    "all": "true model, motion prepared for this body",
    "controller": "true model, motion prepared for the usual body",
    "nobody": "model of the usual body",
}
"""Which parts have the model of the changed body. The paper's controllers had it; their motions came from
another body.
"""
SPRINGS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0)
SPRINGS_OF_PAPER = (0.005, 0.5)
"""The range of k in table 1."""
STIFFNESS = (50.0, 100.0, 300.0, 600.0, 1000.0, 1400.0, 2000.0, 4000.0)
STIFFNESS_OF_PAPER = (300.0, 2000.0)
"""The range of k_os in table 1 [1/s^2]."""


@dataclass(frozen=True)
class Plan:
    """Clips, seeds of the changed bodies, and seeds of the map of gains."""

    clips: tuple[str, ...]
    seeds: tuple[int, ...]
    gain_seeds: tuple[int, ...]


def _item(clip: str, seed: int, change: str = "none", informed: str = "all") -> Item:
    return {
        "clip": clip,
        "seed": seed,
        "noise": START_NOISE,
        "change": change,
        "informed": informed,
        "ground_friction": None,
        "tuning": {},
    }


def body_items(plan: Plan) -> list[Item]:
    """Return trials of changed bodies, with and without the right model, and of wrong friction."""
    items = []
    for clip in plan.clips:
        for change in CHANGES:
            for informed in ("all",) if change == "none" else INFORMED:
                items += [_item(clip, seed, change, informed) for seed in plan.seeds]
        for friction in FRICTIONS:
            wrong = {"tuning": {"friction": friction}, "ground_friction": GROUND_FRICTION}
            items += [_item(clip, seed) | wrong for seed in plan.seeds]
    return items


def gain_items(plan: Plan) -> list[Item]:
    """Return trials of a grid of the two gains of table 1."""
    return [
        _item(clip, seed) | {"tuning": {"springs": springs, "stiffness": stiffness}}
        for clip in plan.clips
        for stiffness in STIFFNESS
        for springs in SPRINGS
        for seed in plan.gain_seeds
    ]


def tasks_of(items: Sequence[Item]) -> list[list[Item]]:
    """Group items by their reference, which a worker then prepares once."""
    tasks: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        reference = item["change"] if item["informed"] == "all" else "none"
        tasks.setdefault((item["clip"], reference), []).append(item)
    return list(tasks.values())
