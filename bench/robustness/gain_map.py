"""Map of gains: where walks stay up, inside and outside of the ranges of the paper's table 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..common.cache import Cache, Item
from ..common.plots import pyplot, save
from ..common.tables import markdown
from ..common.tracking_error import is_full
from .plan import SPRINGS, SPRINGS_OF_PAPER, STIFFNESS, STIFFNESS_OF_PAPER


@dataclass(frozen=True, eq=False)
class GainMap:
    """Share of full runs, and their mean joint error [deg] (stiffness x springs); NaN where nothing ran."""

    share: np.ndarray
    error_deg: np.ndarray

    @property
    def empty(self) -> bool:
        """Whether nothing ran."""
        return bool(np.isnan(self.share).all())

    @property
    def in_paper(self) -> np.ndarray:
        """Return the cells inside the paper's ranges."""
        rows = [STIFFNESS_OF_PAPER[0] <= k <= STIFFNESS_OF_PAPER[1] for k in STIFFNESS]
        columns = [SPRINGS_OF_PAPER[0] <= k <= SPRINGS_OF_PAPER[1] for k in SPRINGS]
        return np.outer(rows, columns)


def make_map(items: Sequence[Item], cache: Cache) -> GainMap:
    """Return the map of all outcomes that are known."""
    share = np.full((len(STIFFNESS), len(SPRINGS)), np.nan)
    error = share.copy()
    for row, stiffness in enumerate(STIFFNESS):
        for column, springs in enumerate(SPRINGS):
            tuning = {"springs": springs, "stiffness": stiffness}
            outcomes = [cache.get(item) for item in items if item["tuning"] == tuning]
            known = [outcome for outcome in outcomes if outcome is not None]
            good = [o["joint_error_deg"] for o in known if "full" in o and is_full(o)]
            if known:
                share[row, column] = len(good) / len(known)
            if good:
                error[row, column] = np.mean(good)
    return GainMap(share, error)


def map_lines(gains: GainMap) -> list[str]:
    """Return lines for the summary."""
    lines = []
    for where, cells in (("in", gains.in_paper), ("outside", ~gains.in_paper)):
        tried = gains.share[cells & ~np.isnan(gains.share)]
        if len(tried):
            whole, some = int((tried == 1.0).sum()), int((tried > 0.0).sum())
            start = f"- Gains {where} the paper's ranges:"
            lines.append(f"{start} all runs stay up in {whole} of {len(tried)} pairs, some in {some}.")
    return lines


def map_table(gains: GainMap) -> str:
    """Return the map as a table."""
    columns: dict[str, Any] = {"k_os \\ k": "{stiffness:g}"}
    columns |= {f"{k:g}": f"{{c{i}}}" for i, k in enumerate(SPRINGS)}
    rows: list[dict[str, Any]] = []
    for j, stiffness in enumerate(STIFFNESS):
        cells = {f"c{i}": _cell(gains.share[j, i], gains.error_deg[j, i]) for i in range(len(SPRINGS))}
        rows.append({"stiffness": stiffness, **cells})
    return markdown(rows, columns)


def _cell(share: float, error_deg: float) -> str:
    if np.isnan(share):
        return ""
    return f"{100 * share:.0f} %" + ("" if np.isnan(error_deg) else f", {error_deg:.2f} deg")


def plot_gains(gains: GainMap, path: Path) -> None:
    """Plot the map as colours and figures; a frame marks the ranges of the paper's table 1."""
    figure, axis = pyplot.subplots(figsize=(9.0, 5.5))
    image = axis.imshow(
        gains.share, origin="lower", cmap="RdYlGn", vmin=0.0, vmax=1.0, aspect="auto", alpha=0.6
    )
    for row, column in np.ndindex(*gains.share.shape):
        share, error = gains.share[row, column], gains.error_deg[row, column]
        if not np.isnan(share):
            text = f"{100 * share:.0f} %" + ("" if np.isnan(error) else f"\n{error:.2f} deg")
            axis.text(column, row, text, ha="center", va="center", fontsize=8)
    rows, columns = np.flatnonzero(gains.in_paper.any(axis=1)), np.flatnonzero(gains.in_paper.any(axis=0))
    corner = (columns[0] - 0.5, rows[0] - 0.5)
    axis.add_patch(pyplot.Rectangle(corner, len(columns), len(rows), fill=False, linewidth=2.0))
    axis.set_xticks(range(len(SPRINGS)), [f"{k:g}" for k in SPRINGS])
    axis.set_yticks(range(len(STIFFNESS)), [f"{k:g}" for k in STIFFNESS])
    axis.set(xlabel="k, share of the intrinsic stiffness", ylabel="k_os [1/s²]")
    axis.set_title("Walks at 0 N that stay up, and their joint error")
    figure.colorbar(image, label="share of runs")
    save(figure, path)
