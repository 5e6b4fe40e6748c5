"""What the robustness benchmark runs: figures 4 to 6 and table 1 of da Silva et al. 2008."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..common.cache import Item
from ..common.clips import START_NOISE
from .body_changes import CHANGES

FRICTIONS = (0.5, 0.75, 1.0, 1.25, 1.5)
"""That the controller counts on (figure 5)."""
GROUND_FRICTION = 1.0
"""Of the simulated ground in figure 5."""
TOLD = {
    "all": "told, motion prepared for this body",
    "controller": "told, motion prepared for the usual body",
    "nobody": "not told",
}
"""Who knows of a change. The paper's controllers knew; their motions came from another body."""
SPRINGS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0)
SPRINGS_OF_PAPER = (0.005, 0.5)
"""k of table 1, and its range there."""
STIFFNESS = (50.0, 100.0, 300.0, 600.0, 1000.0, 1400.0, 2000.0, 4000.0)
STIFFNESS_OF_PAPER = (300.0, 2000.0)
"""k_os of table 1 [1/s^2], and its range there."""


@dataclass(frozen=True)
class Plan:
    clips: tuple[str, ...]
    seeds: tuple[int, ...]
    gain_seeds: tuple[int, ...]


def _item(clip: str, seed: int, change: str = "none", told: str = "all") -> Item:
    return {
        "clip": clip,
        "seed": seed,
        "noise": START_NOISE,
        "change": change,
        "told": told,
        "ground_friction": None,
        "tuning": {},
    }


def body_items(plan: Plan) -> list[Item]:
    """Changed bodies, told to the controller or not, and wrong friction."""
    items = []
    for clip in plan.clips:
        for change in CHANGES:
            for told in ("all",) if change == "none" else TOLD:
                items += [_item(clip, seed, change, told) for seed in plan.seeds]
        for friction in FRICTIONS:
            wrong = {"tuning": {"friction": friction}, "ground_friction": GROUND_FRICTION}
            items += [_item(clip, seed) | wrong for seed in plan.seeds]
    return items


def gain_items(plan: Plan) -> list[Item]:
    """The grid of table 1's two gains."""
    return [
        _item(clip, seed) | {"tuning": {"springs": springs, "stiffness": stiffness}}
        for clip in plan.clips
        for stiffness in STIFFNESS
        for springs in SPRINGS
        for seed in plan.gain_seeds
    ]


def tasks_of(items: Sequence[Item]) -> list[list[Item]]:
    """Items with one reference go to one worker, which prepares it once."""
    tasks: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        reference = item["change"] if item["told"] == "all" else "none"
        tasks.setdefault((item["clip"], reference), []).append(item)
    return list(tasks.values())
