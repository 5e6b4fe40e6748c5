"""The benchmarks' verdicts, tables and memory; not the figures themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.common import cache as cache_module
from bench.common.cache import Cache
from bench.common.clips import CLIPS
from bench.common.tables import markdown, write_csv
from bench.tracking.bars import bar_of, misses, misses_everywhere
from bench.tracking.report import summarise
from bench.tracking.rows import make_row, make_rows
from bench.tracking.sweeps import SWEEPS, Selection, items_of, make_item

GOOD: dict[str, Any] = {
    "seconds": 2.0,
    "up_s": 2.0,
    "full": True,
    "joint_error_deg": 1.0,
    "joint_error_source_deg": 2.0,
    "root_error_m": 0.01,
    "assist_force_mean_n": 0.0,
    "assist_force_max_n": 0.0,
    "assist_torque_max_nm": 0.0,
    "skate_cm_s": 3.0,
    "penetration_max_mm": 5.0,
    "jitter_deg": 0.1,
    "jitter_source_deg": 0.1,
    "jerk_m_s3": 100.0,
    "jerk_reference_m_s3": 100.0,
    "residual_share": 0.001,
    "effort_share": 0.0,
    "effort_worst_joint": "foot.L/y",
    "rtf": 6.0,
    "limit_ratio": 9.0,
}
SELECTION = Selection(tuple(CLIPS), ("02_01",), (1, 2, 3, 4))


def outcome(**changed: Any) -> dict[str, Any]:
    return {
        "metrics": GOOD | changed,
        "residual_before_share": 0.1,
        "residual_after_share": 0.001,
        "wall_seconds": {"reference": 1.0, "simulation": 0.5},
        "core_share": 1.0,
        "explained": True,
        "causes": [],
        "attempt": "usual",
        "dofs": 43,
    }


def row_of(clip: str, assist: float, *outcomes: dict[str, Any]) -> dict[str, Any]:
    return make_row("bars", make_item(clip, assist, 1), outcomes or (outcome(),))


def test_a_row_shows_the_worst_seed() -> None:
    row = row_of("02_01", 0.0, outcome(), outcome(joint_error_deg=1.9, up_s=1.5, full=False))
    assert (row["joint_error_deg"], row["up_s"], row["full"], row["seeds"]) == (1.9, 1.5, 1, 2)


def test_a_good_row_is_ok() -> None:
    assert row_of("02_01", 0.0)["verdict"] == "ok"


@pytest.mark.parametrize(
    ("changed", "measure"),
    [
        ({"full": False, "up_s": 1.0}, "full"),
        ({"joint_error_deg": 2.1}, "joint"),
        ({"root_error_m": 0.09}, "root"),
        ({"joint_error_source_deg": 2.6}, "source"),
        ({"skate_cm_s": 5.1}, "skate"),
        ({"penetration_max_mm": 16.0}, "penetration"),
        ({"jitter_deg": 0.16}, "jitter"),
        ({"residual_share": 0.021}, "residual"),
    ],
)
def test_each_limit_can_be_missed(changed: dict[str, Any], measure: str) -> None:
    assert row_of("02_01", 0.0, outcome(), outcome(**changed))["verdict"] == f"MISSED {measure}"


def test_a_body_that_ends_upright_but_tumbled_is_not_full() -> None:
    row = row_of("02_01", 0.0, outcome(joint_error_deg=8.5, joint_error_source_deg=8.6))
    assert row["full"] == 0
    assert row["verdict"] == "MISSED full, joint"


def test_bars_depend_on_clip_and_cap() -> None:
    assert str(bar_of("02_01", "walk", 15.0)) == "full, <= 1.5 deg, root <= 5 cm"
    assert str(bar_of("02_04", "jump", 0.0)) == "full, <= 4 deg"
    assert str(bar_of("02_04", "jump", 15.0)) == "full, <= 2 deg"
    assert str(bar_of("88_06@60", "spin kick", 0.0)) == "best found"
    assert bar_of("60_01", "dance", 0.0) is None
    assert bar_of("02_01", "walk", 50.0) is None


def test_a_run_may_skate_more() -> None:
    bar = bar_of("09_01", "run", 0.0)
    assert bar is not None
    assert misses_everywhere(bar, row_of("09_01", 0.0, outcome(skate_cm_s=14.0))) == []
    assert misses_everywhere(bar, row_of("09_01", 0.0, outcome(skate_cm_s=16.0))) != []


def test_a_hard_clip_must_bake_and_say_why_it_fell() -> None:
    fallen = outcome(full=False, up_s=1.0)
    assert row_of("90_17", 0.0, fallen)["verdict"] == "ok"
    assert row_of("90_17", 0.0, fallen | {"explained": False})["verdict"] == "MISSED report"


def test_an_error_is_a_miss_and_is_named() -> None:
    row = row_of("02_01", 0.0, {"error": "The file is empty."})
    bar = bar_of("02_01", "walk", 0.0)
    assert bar is not None
    assert [miss.text for miss in misses(bar, row)] == ["no result: The file is empty."]
    assert row["verdict"] == "MISSED bake"


def test_the_summary_names_what_is_missed_with_its_figure() -> None:
    lines = summarise([row_of("02_01", 0.0), row_of("07_01", 0.0, outcome(joint_error_deg=2.34))], [])
    assert "- 0 N: 1 of 2 bars of the clips are reached." in lines
    assert "  - 07_01: joint error 2.34 deg (<= 2)" in lines


def test_nothing_is_judged_before_all_seeds_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "commit_id", lambda files: "c0ffee")
    monkeypatch.setattr(cache_module, "code_id", lambda files: "one")
    cache = Cache("tracking", tmp_path / "x.jsonl", fresh=False)
    items = [make_item("02_01", 0.0, seed) for seed in (1, 2)]
    cache.add(items[0], outcome())
    (row,) = make_rows("bars", items, cache)
    assert row["verdict"] == "incomplete"
    assert summarise([row], []) == []
    cache.add(items[1], outcome())
    assert make_rows("bars", items, cache)[0]["verdict"] == "ok"


def test_every_sweep_has_items_and_each_item_is_its_own() -> None:
    keys = [cache_module.key_of(item) for name in SWEEPS for item in items_of(name, SELECTION)]
    assert all(items_of(name, SELECTION) for name in SWEEPS)
    assert len(set(keys)) == len(keys)


def test_clips_without_a_figure_to_reach_are_baked_once() -> None:
    items = items_of("bars", SELECTION)
    counts = {clip: sum(item["clip"] == clip for item in items) for clip in CLIPS}
    assert (counts["02_01"], counts["88_06@60"], counts["90_17"], counts["60_01"]) == (8, 8, 2, 2)


def test_a_table_shows_a_dash_where_there_is_no_figure() -> None:
    table = markdown([{"a": 1.25, "b": None}], {"first": "{a:.1f}", "second": "{b:.1f}"})
    assert table.splitlines()[-1] == "| 1.2 | - |"


def test_csv_leaves_out_what_is_not_there(tmp_path: Path) -> None:
    write_csv([{"a": 1.0 / 3.0, "b": None}], ("a", "b"), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "a,b\n0.33333,\n"


def test_outcomes_are_kept_for_the_same_code_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "commit_id", lambda files: "c0ffee")
    monkeypatch.setattr(cache_module, "code_id", lambda files: "one")
    item, path = make_item("02_01", 0.0, 1), tmp_path / "x.jsonl"
    Cache("tracking", path, fresh=False).add(item, outcome())
    with path.open("a") as file:
        file.write('{"cut off')
    later = make_item("02_01", 0.0, 2)
    Cache("tracking", path, fresh=False).add(later, outcome())
    again = Cache("tracking", path, fresh=False)
    assert again.missing([item, later]) == []
    assert [row["clip"] for row in make_rows("bars", [item], again)] == ["02_01"]
    monkeypatch.setattr(cache_module, "code_id", lambda files: "two")
    assert Cache("tracking", path, fresh=False).missing([item]) == [item]
    monkeypatch.setattr(cache_module, "code_id", lambda files: "one")
    assert Cache("tracking", path, fresh=True).missing([item]) == [item]


def test_what_was_lost_with_its_process_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "commit_id", lambda files: "c0ffee")
    monkeypatch.setattr(cache_module, "code_id", lambda files: "one")
    item, path = make_item("02_01", 0.0, 1), tmp_path / "x.jsonl"
    first = Cache("tracking", path, fresh=False)
    first.add(item, {"error": "The worker process ended with status -9.", "lost": True})
    assert first.missing([item]) == []
    assert Cache("tracking", path, fresh=False).missing([item]) == [item]
