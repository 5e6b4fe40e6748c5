"""The benchmark of the world that pushes back: walls that stand, distances that are known, a report."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from bench.common.grounds import WalkingPath
from bench.world.blocks import EDGE, walls
from bench.world.report import write_world_report
from bench.world.throws import _closest

WAY = WalkingPath(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), 6.0)


@pytest.mark.parametrize("count", [9, 16, 50])
def test_walls_are_stacked_without_gaps_below_and_do_not_overlap(count: int) -> None:
    places = np.array([block.position for block in walls(WAY, count).objects])
    assert len(places) == count
    for one, another in combinations(places, 2):
        assert np.abs(one - another).max() > EDGE - 1e-9
    for position in places[places[:, 2] > EDGE]:
        below = np.abs(places - (position - [0.0, 0.0, EDGE])).max(axis=1)
        assert below.min() < 1e-9, "it stands on another"


def test_the_closest_point_may_lie_between_two_samples() -> None:
    assert _closest(np.array([[-1.0, 0.3, 0.0], [1.0, 0.3, 0.0], [2.0, 5.0, 0.0]])) == pytest.approx(0.3)


def test_the_report_counts_what_was_reached(tmp_path: Path) -> None:
    march = {"clip": "a", "blocks": 50, "up_s": 1.0, "seconds": 1.0, "full": True, "error_deg": 1.0}
    march |= {"root_m": 0.1, "touched": 2, "kicked": 3, "furthest_m": 1.0, "rtf": 2.5}
    throw = {"clip": "a", "part": "head", "speed": 6.0, "refused": None, "miss_m": 0.04, "touched": True}
    far, refused = throw | {"miss_m": 0.08}, {"clip": "a", "part": "head", "speed": 6.0, "refused": "Why."}
    told = write_world_report([march, march | {"full": False}], [throw, far, refused], tmp_path)
    assert "on to the end: 1 of 2" in told and "50 props, a: RTF 2.5" in told
    assert "1 of 2; mean 6.0 cm, worst 8.0 cm; 1 of 3 refused" in told
    assert "| a | head | 6 | - | - | Why. |" in (tmp_path / "world.md").read_text()
