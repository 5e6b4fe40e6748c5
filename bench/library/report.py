"""The tables of the library benchmark: one row a group, and one row a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_core.cli.batch.batch_folder import FAILED, ItemRecord

from ..common.tables import Columns, markdown
from ..common.tracking_error import is_full
from .clips import LibraryClip


@dataclass(frozen=True)
class Row:
    """A clip and what became of it; record: None where it was not run yet."""

    clip: LibraryClip
    record: ItemRecord | None

    @property
    def is_full(self) -> bool:
        """Whether it stayed up to the end without tumbling."""
        return self.record is not None and self.record.state != FAILED and is_full(self.record.metrics)

    @property
    def outcome(self) -> str:
        """What became of it, in a few words."""
        if self.record is None:
            return "not run yet"
        if self.record.state == FAILED:
            return f"refused: {self.record.reason}"
        if self.is_full:
            return "to the end"
        figures = self.record.metrics
        return "tumbles" if figures["full"] else f"falls at {figures['up_s']:.1f} s"

    @property
    def figures(self) -> dict[str, Any]:
        """Measures, and processor seconds for a second of the clip."""
        if self.record is None or self.record.state == FAILED:
            return {}
        figures = dict(self.record.metrics)
        return figures | {"cost": self.record.cpu_seconds / figures["seconds"]}


MEASURES = {
    "joint error, deg": ("joint_error_deg", "{:.1f}"),
    "from the source, deg": ("joint_error_source_deg", "{:.1f}"),
    "MPJPE, mm": ("mpjpe_source_mm", "{:.0f}"),
    "global MPJPE, mm": ("mpjpe_global_source_mm", "{:.0f}"),
    "CPU s per second": ("cost", "{:.1f}"),
}
"""Measures of both tables: heading, name and format."""


def tables(rows: Sequence[Row]) -> str:
    """Return both tables as Markdown."""
    groups = sorted({row.clip.group for row in rows})
    by_group = [_summary(name, [row for row in rows if row.clip.group == name]) for name in groups]
    total = [_summary("all clips", rows)] if len(groups) > 1 else []
    by_clip = [
        {"name": row.clip.name, "group": row.clip.group, "outcome": row.outcome, **_shown(row.figures)}
        for row in rows
    ]
    headings = {heading: f"{{{name}}}" for heading, (name, _) in MEASURES.items()}
    group_columns: Columns = {"group": "{name}", "to the end": "{full} of {clips}"} | headings
    clip_columns: Columns = {"clip": "{name}", "group": "{group}", "outcome": "{outcome}"} | headings
    return "\n\n".join([markdown([*by_group, *total], group_columns), markdown(by_clip, clip_columns)])


def _summary(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Return how many clips of a group reach their end, and the medians of these."""
    done = [row for row in rows if row.record is not None]
    full = [row.figures for row in done if row.is_full]
    medians = {
        measure: float(np.median([figures[measure] for figures in full])) if full else None
        for measure, _ in MEASURES.values()
    }
    return {"name": name, "full": len(full), "clips": len(done), **_shown(medians)}


def _shown(figures: dict[str, Any]) -> dict[str, str]:
    """Return the measures of a row as texts; a dash where there is none."""
    known = {name: figures.get(name) for name, _ in MEASURES.values()}
    return {
        name: "-" if known[name] is None else form.format(known[name]) for name, form in MEASURES.values()
    }
