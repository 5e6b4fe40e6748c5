"""The map of gains: where walks stay up, inside and outside the ranges of the paper's table 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bars import is_full
from .cache import Cache, Item
from .robustness_plan import SPRINGS, SPRINGS_OF_PAPER, STIFFNESS, STIFFNESS_OF_PAPER
from .tables import markdown


@dataclass(frozen=True, eq=False)
class GainMap:
    """Share of full runs and mean joint error [deg] of those (stiffness x springs); nan where nothing ran."""

    share: np.ndarray
    error_deg: np.ndarray

    @property
    def empty(self) -> bool:
        return bool(np.isnan(self.share).all())

    @property
    def in_paper(self) -> np.ndarray:
        """Cells inside the paper's ranges."""
        rows = [STIFFNESS_OF_PAPER[0] <= k <= STIFFNESS_OF_PAPER[1] for k in STIFFNESS]
        columns = [SPRINGS_OF_PAPER[0] <= k <= SPRINGS_OF_PAPER[1] for k in SPRINGS]
        return np.outer(rows, columns)


def make_map(items: Sequence[Item], cache: Cache) -> GainMap:
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
    """For the summary."""
    lines = []
    for where, cells in (("in", gains.in_paper), ("outside", ~gains.in_paper)):
        tried = gains.share[cells & ~np.isnan(gains.share)]
        if len(tried):
            whole, some = int((tried == 1.0).sum()), int((tried > 0.0).sum())
            start = f"- Gains {where} the paper's ranges:"
            lines.append(f"{start} all runs stay up in {whole} of {len(tried)} pairs, some in {some}.")
    return lines


def map_table(gains: GainMap) -> str:
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
