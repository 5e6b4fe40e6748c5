"""The benchmark of aimed punches: its grid, and what it says of what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.aim.report import summary_of, write_aim_report
from bench.aim.strikes import grid


def strike(**changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": "jab",
        "kind": "grid",
        "asked": "+0/+0/+0 cm",
        "offset": (0.0, 0.0, 0.0),
        "refused": "",
    }
    row |= {"miss_m": 0.01, "first_miss_m": 0.04, "speed": 4.0, "wanted_speed": 4.0, "rounds": 2}
    return row | {"fell_at": None} | changes


def test_the_grid_has_all_points_once() -> None:
    near, wide = np.array(grid(False)), np.array(grid(True))
    assert len(near) == 27 and np.abs(near).max() == 0.1
    assert len(np.unique(wide, axis=0)) == len(wide) == 27 + 16 and np.abs(wide).max() == 0.2


def test_misses_are_counted_and_those_who_fell_or_were_refused_are_named(tmp_path: Path) -> None:
    rows = [strike(), strike(miss_m=0.05, speed=4.8), strike(fell_at=1.0, miss_m=9.0)]
    rows.append(strike(refused="It is too far.") | dict.fromkeys(("miss_m", "speed", "rounds", "fell_at")))
    figures = summary_of(rows, "jab", "grid")
    assert (figures["count"], figures["fell"], figures["refused"]) == (4, 1, 1)
    assert np.isclose(figures["mean"], 3.0) and np.isclose(figures["speed"], 20.0)
    said = write_aim_report(rows, tmp_path)
    assert "3.00 cm" in said and "1 of 2" in said and "Fell: 1 of 4" in said
    assert "It is too far." in (tmp_path / "aim.md").read_text()
