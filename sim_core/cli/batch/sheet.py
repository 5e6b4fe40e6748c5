"""The contact sheet: one page with a strip of pictures and the main figures of each item, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...base.files import write_text_atomically
from ...drawing.camera import Camera, Picture
from ...drawing.svg import ASSIST, RESULT, SOURCE, svg_of
from ...report.page import fill_template
from ...result.result import load_result
from .batch_folder import FAILED, FELL, UP, BatchFolder, ItemRecord

TEMPLATE = Path(__file__).with_name("sheet.html.jinja")
FIGURES = {
    "joint error [deg]": ("joint_error_deg", "{:.2f}"),
    "from source [deg]": ("joint_error_source_deg", "{:.2f}"),
    "assist, mean [N]": ("assist_force_mean_n", "{:.1f}"),
    "assist, largest [N]": ("assist_force_max_n", "{:.0f}"),
    "feet slide [cm/s]": ("skate_cm_s", "{:.1f}"),
    "in the ground [mm]": ("penetration_max_mm", "{:.1f}"),
    "unexplained [weight]": ("residual_share", "{:.4f}"),
    "up for [s]": ("up_s", "{:.2f}"),
}
"""Figures of a card, with their format."""
STRIP = 7
"""Number of pictures of an item."""


@dataclass(frozen=True)
class Card:
    """One item of the page; pictures: empty if there is no result."""

    rank: int
    name: str
    state: str
    fate: str
    reason: str | None
    pictures: tuple[Picture, ...]
    figures: tuple[tuple[str, str], ...]


def write_sheet(
    records: Sequence[ItemRecord],
    rows: Sequence[Mapping[str, Any]],
    folder: BatchFolder,
    title: str,
    order: str,
) -> None:
    """Write the page of records and their rows of the table, best first.

    order: a description of the order
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = fill_template(
        TEMPLATE,
        title=title,
        summary=summary_of(records),
        order=order,
        cards=[_card(rank, record, folder) for rank, record in enumerate(records, 1)],
        columns=columns,
        svg_of=svg_of,
        colours={"source": SOURCE.plain, "result": RESULT.plain, "assist": ASSIST.plain},
        rows=[[_cell(row.get(name)) for name in columns] for row in rows],
    )
    write_text_atomically(folder.sheet, text)


def summary_of(records: Sequence[ItemRecord]) -> str:
    """Return the numbers of outcomes as a sentence."""
    count = {state: sum(record.state == state for record in records) for state in (UP, FELL, FAILED)}
    return (
        f"{len(records)} items: {count[UP]} stayed up, {count[FELL]} fell, "
        f"{count[FAILED]} failed and have no result."
    )


def _card(rank: int, record: ItemRecord, folder: BatchFolder) -> Card:
    fell_at = record.metrics.get("fell_at")
    fell = "another fell" if fell_at is None else f"fell at {fell_at:.2f} s"
    fate = {UP: "stayed up", FAILED: "failed", FELL: fell}
    figures = tuple(
        (label, how.format(record.metrics[name]))
        for label, (name, how) in FIGURES.items()
        if record.metrics.get(name) is not None
    )
    pictures, reason = _pictures(record, folder)
    return Card(rank, record.name, record.state, fate[record.state], reason, pictures, figures)


def _pictures(record: ItemRecord, folder: BatchFolder) -> tuple[tuple[Picture, ...], str | None]:
    """Return the pictures, or the reason why there are none."""
    if record.state == FAILED:
        return (), record.reason
    try:
        return Camera(load_result(folder.result(record.name))).strip(STRIP), None
    except InputError as problem:
        return (), str(problem)


def _cell(value: object) -> object:
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else value
