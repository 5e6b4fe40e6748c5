"""The table of measures before and after, described for users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..recognition.mapping import joint_label

NOTHING = "–"


@dataclass(frozen=True)
class MeasureRow:
    """One row; name: in docs/metrics.md; before, after: text with the unit, a dash if not known.

    better: the smaller value, "before" or "after"; empty if both are equal
    """

    name: str
    words: str
    before: str
    after: str
    better: str


@dataclass(frozen=True)
class _Measure:
    """How a measure is described and formatted."""

    name: str
    words: str
    unit: str
    factor: float = 1.0
    digits: int = 1


MEASURES = (
    _Measure("skate_cm_s", "Standing feet slide", "cm/s"),
    _Measure("penetration_max_mm", "Feet sink, at most", "mm", digits=0),
    _Measure("penetration_mean_mm", "Feet sink, on average", "mm"),
    _Measure("outside_share", "External force", "% of weight", 100.0),
    _Measure("tipping_m", "External moment, as lever arm of the weight", "cm", 100.0),
    _Measure("assist_force_mean_n", "Assist, on average", "N", digits=0),
    _Measure("assist_force_max_n", "Assist, at most", "N", digits=0),
    _Measure("assist_torque_mean_nm", "Assist torque, on average", "Nm", digits=0),
    _Measure("assist_torque_max_nm", "Assist torque, at most", "Nm", digits=0),
    _Measure("residual_share", "Unexplained force", "% of weight", 100.0),
    _Measure("effort_share", "Time near a joint's limit", "%", 100.0, 0),
    _Measure("effort_max_share", "Hardest working joint", "% of its limit", 100.0, 0),
    _Measure("jitter_deg", "Trembling", "deg", digits=2),
    _Measure("joint_error_deg", "Joints, from the prepared motion", "deg"),
    _Measure("joint_error_source_deg", "Joints, from the source", "deg"),
    _Measure("joint_error_repaired_deg", "Joints, from the repaired source", "deg"),
    _Measure("root_error_m", "Hips, from the prepared motion", "cm", 100.0),
    _Measure("root_error_source_m", "Hips, from the source", "cm", 100.0),
    _Measure("mpjpe_mm", "Joint positions about the hips, from the prepared motion", "mm", digits=0),
    _Measure("mpjpe_source_mm", "Joint positions about the hips, from the source", "mm", digits=0),
    _Measure("mpjpe_global_mm", "Joint positions, from the prepared motion", "mm", digits=0),
    _Measure("mpjpe_global_source_mm", "Joint positions, from the source", "mm", digits=0),
    _Measure("rtf", "Simulated seconds a second", "", digits=1),
    _Measure("limit_ratio", "Bake over the bare engine", "x", digits=1),
)


def table_of(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> tuple[MeasureRow, ...]:
    """Return the rows for the figures of both motions; measures that neither has are left out."""
    after = after or {}
    rows = [_up(after)]
    rows += [_row(measure, before, after) for measure in MEASURES]
    return tuple(row for row in rows if (row.before, row.after) != (NOTHING, NOTHING))


def _up(after: Mapping[str, Any]) -> MeasureRow:
    text = f"{after['up_s']:.1f} of {after['seconds']:.1f} s" if "up_s" in after else NOTHING
    return MeasureRow("up_s", "Stays up", NOTHING, text, "")


def _row(measure: _Measure, before: Mapping[str, Any], after: Mapping[str, Any]) -> MeasureRow:
    first, second = before.get(measure.name), after.get(measure.name)
    texts = [_text(measure, figures) for figures in (before, after)]
    better = ""
    if first is not None and second is not None and texts[0] != texts[1]:
        better = "before" if first < second else "after"
    return MeasureRow(measure.name, measure.words, texts[0], texts[1], better)


def _text(measure: _Measure, figures: Mapping[str, Any]) -> str:
    value = figures.get(measure.name)
    if value is None:
        return NOTHING
    text = f"{measure.factor * float(value):.{measure.digits}f} {measure.unit}".rstrip()
    if measure.name == "effort_max_share":
        return f"{text} ({joint_label(str(figures['effort_worst_joint']).partition('/')[0])})"
    return text
