"""Bars of the tracking benchmark, and whether they are reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bar:
    """What one clip must reach at one assist cap.

    joint_deg: limit of the joint error; root_m: of the root error, None where there is none
    best_found: there is no limit; bakes: a bake is enough, if it explains its fall
    """

    joint_deg: float = 0.0
    root_m: float | None = None
    best_found: bool = False
    bakes: bool = False

    def __str__(self) -> str:
        if self.best_found:
            return "best found"
        if self.bakes:
            return "bakes"
        root = "" if self.root_m is None else f", root <= {100 * self.root_m:g} cm"
        return f"full, <= {self.joint_deg:g} deg{root}"


@dataclass(frozen=True)
class Miss:
    """A measure beyond its limit, with a sentence that has the figure."""

    measure: str
    text: str


_BARS: dict[str, tuple[Bar, Bar]] = {
    "walk": (Bar(2.0, 0.08), Bar(1.5, 0.05)),
    "style": (Bar(3.0), Bar(2.0)),
    "stand": (Bar(2.5), Bar(2.5)),
    "jump": (Bar(2.0), Bar(2.0)),
    "run": (Bar(4.0), Bar(3.0)),
    "dance": (Bar(4.0), Bar(3.0)),
    "spin kick": (Bar(best_found=True), Bar(5.0)),
    "ground": (Bar(bakes=True), Bar(bakes=True)),
}
"""Bars by group, for caps of 0 and of 15 N."""
_OWN_BARS: dict[tuple[str, float], Bar] = {("02_04", 0.0): Bar(4.0)}
_NO_BAR = {"60_01"}
"""Clips at a wrong frame rate."""
CAPS_WITH_BARS = (0.0, 15.0)

SOURCE_MORE_DEG = 1.5
"""The joint error against the source may be this much more than against the reference."""
EVERYWHERE = {
    "source": ("source_more_deg", SOURCE_MORE_DEG, "{:.2f} deg further from the source (<= {:g})"),
    "skate": ("skate_cm_s", 5.0, "skate {:.1f} cm/s (<= {:g})"),
    "penetration": ("penetration_max_mm", 15.0, "penetration {:.1f} mm (<= {:g})"),
    "jitter": ("jitter_ratio", 1.5, "jitter {:.2f} x source (<= {:g})"),
    "residual": ("residual_share", 0.02, "residual {:.4f} of the weight (<= {:g})"),
    "filter": ("residual_after_share", 0.02, "residual of the reference {:.4f} of the weight (<= {:g})"),
    "filter time": ("filter_share", 1.0, "filter {:.2f} x the clip's length (<= {:g})"),
}
"""Column, limit and sentence of each measure."""
RUN_SKATE_CM_S = 15.0


def bar_of(label: str, group: str, assist: float) -> Bar | None:
    """Return the bar of a clip at an assist cap, or None."""
    if assist not in CAPS_WITH_BARS or group not in _BARS or label in _NO_BAR:
        return None
    return _OWN_BARS.get((label, assist), _BARS[group][CAPS_WITH_BARS.index(assist)])


def misses(bar: Bar, row: Mapping[str, Any]) -> list[Miss]:
    """Return what a row (worst figures of its seeds) misses of the clip's own bar."""
    if row["error"]:
        return [Miss("bake", f"no result: {row['error']}")]
    if bar.best_found:
        return []
    if bar.bakes:
        return [] if row["explained"] else [Miss("report", "a fall without an explanation")]
    found = []
    if row["full"] < row["seeds"]:
        text = f"full on {row['full']} of {row['seeds']} (up {row['up_s']:.2f} of {row['seconds']:.2f} s)"
        found.append(Miss("full", text))
    if row["joint_error_deg"] > bar.joint_deg:
        found.append(Miss("joint", f"joint error {row['joint_error_deg']:.2f} deg (<= {bar.joint_deg:g})"))
    if bar.root_m is not None and row["root_error_m"] > bar.root_m:
        text = f"root error {100 * row['root_error_m']:.1f} cm (<= {100 * bar.root_m:g})"
        found.append(Miss("root", text))
    return found


def misses_everywhere(bar: Bar, row: Mapping[str, Any]) -> list[Miss]:
    """Return what a row misses of the limits that hold for every clip with a bar."""
    if row["error"] or bar.bakes:
        return []
    found = []
    for measure, (column, usual, words) in EVERYWHERE.items():
        limit = RUN_SKATE_CM_S if measure == "skate" and row["group"] == "run" else usual
        if row[column] is not None and row[column] > limit:
            found.append(Miss(measure, words.format(row[column], limit)))
    return found
