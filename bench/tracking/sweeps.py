"""Bakes of the tracking benchmark, in the order of importance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..common.cache import Item
from ..common.clips import START_NOISE, clip_of
from .bars import CAPS_WITH_BARS, bar_of

CAPS = (0.0, 15.0, 50.0)
PLOTTED = ("02_01", "09_01", "138_01", "91_19", "104_28")
"""Clips with error curves. None walks backwards, which figure 3 of the paper also shows."""
FULL_BODY = "dasilva2008_3d"
"""The preset with 57 degrees of freedom, on which speed is measured."""
SPEED_CLIPS = ("02_01", "13_11")

SWEEPS = {
    "bars": "standard quality, filter on, footsteps: the caps that have bars, four seeds",
    "strong": "the same with a cap of 50 N, one seed",
    "quality": "draft and best on some clips, one seed",
    "filter off": "the reference as captured, one seed",
    "swing hip": "balance by the paper's swing-hip rule, one seed",
    "swing hip, filter off": "both, one seed",
    "speed": f"the {FULL_BODY} character, one bake at a time",
}
ALONE = ("speed",)
"""Sweeps during which no other bake runs."""


@dataclass(frozen=True)
class Selection:
    """Clips and seeds that are baked."""

    clips: tuple[str, ...]
    quality_clips: tuple[str, ...]
    seeds: tuple[int, ...]


def make_item(
    clip: str,
    assist: float,
    seed: int,
    quality: str = "standard",
    balance: str = "footsteps",
    correction: float = 1.0,
    character: str | None = None,
    curve: bool = False,
) -> Item:
    """Return a bake: its clip and its settings."""
    return {
        "clip": clip,
        "assist": assist,
        "seed": seed,
        "noise": START_NOISE,
        "quality": quality,
        "balance": balance,
        "correction": correction,
        "character": character,
        "curve": curve,
    }


def items_of(sweep: str, selection: Selection) -> list[Item]:
    """Return all bakes of a sweep."""
    first = selection.seeds[0]
    if sweep == "bars":
        return [
            make_item(clip, cap, seed, curve=clip in PLOTTED and seed == first)
            for clip in selection.clips
            for cap in CAPS_WITH_BARS
            for seed in (selection.seeds if _is_judged(clip, cap) else selection.seeds[:1])
        ]
    if sweep == "strong":
        return [make_item(clip, CAPS[-1], first) for clip in selection.clips]
    if sweep == "quality":
        chosen = [clip for clip in selection.quality_clips if clip in selection.clips]
        return [
            make_item(clip, cap, first, quality)
            for clip in chosen
            for quality in ("draft", "best")
            for cap in CAPS
        ]
    if sweep == "speed":
        chosen = [clip for clip in SPEED_CLIPS if clip in selection.clips]
        return [
            make_item(clip, CAPS[1], first, quality, character=FULL_BODY)
            for clip in chosen
            for quality in ("draft", "standard", "best")
        ]
    balance = "swing_hip" if "swing hip" in sweep else "footsteps"
    correction = 0.0 if "filter off" in sweep else 1.0
    return [
        make_item(clip, cap, first, balance=balance, correction=correction)
        for clip in selection.clips
        for cap in CAPS
    ]


def _is_judged(clip: str, cap: float) -> bool:
    """Whether this clip has limits, so that all seeds count."""
    bar = bar_of(clip, clip_of(clip).group, cap)
    return bar is not None and not bar.bakes


def tasks_of(items: Sequence[Item]) -> list[list[Item]]:
    """Group bakes so that seeds of one clip with the same options go to one worker."""
    tasks: dict[tuple[str, str, float], list[Item]] = {}
    for item in items:
        tasks.setdefault((item["clip"], item["quality"], item["assist"]), []).append(item)
    return list(tasks.values())
