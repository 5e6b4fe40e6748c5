"""The balance benchmark's plan, verdicts and report; not the figures themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.balance.bars import directions_survived, run_time_ratio, verdicts
from bench.balance.plan import DEFAULT, PARTS, PLAIN, POLICIES, items_of, make_item, tasks_of
from bench.balance.report import write_balance_report
from bench.balance.rows import Row, make_rows
from bench.balance.trials import run_item
from bench.common import cache as cache_module
from bench.common.cache import Cache, Item, key_of
from bench.common.clips import missing_data

SEEDS = (1, 2)
LEANS = {"control cost 1": {"20 deg": np.array([1.0, 0.5])}}
FIGURES: dict[str, Any] = {
    "full": True,
    "up_s": 2.0,
    "seconds": 2.0,
    "joint_error_deg": 1.0,
    "root_error_m": 0.01,
    "skate_cm_s": 1.0,
    "penetration_max_mm": 2.0,
    "jitter_deg": 0.1,
    "rtf": 5.0,
}


def outcome(control_ms: float = 1.0, **changed: Any) -> dict[str, Any]:
    return {
        "metrics": FIGURES | changed,
        "residual_after_share": 0.001,
        "precompute_s": 0.5,
        "control_ms": control_ms,
        "tick_ms": 1.0 + control_ms,
        "causes": ["a knee gave way"],
        "message": "",
    }


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setattr(cache_module, "commit_id", lambda files: "c0ffee")
    monkeypatch.setattr(cache_module, "code_id", lambda files: "one")
    return Cache("balance", tmp_path / "x.jsonl", fresh=True)


def rows_where(cache: Cache, fell: Any, parts: tuple[str, ...] = PARTS) -> dict[str, list[Row]]:
    """Of all parts; fell: whether an item did."""
    rows: dict[str, list[Row]] = {part: [] for part in PARTS}
    for part in parts:
        items = items_of(part, SEEDS)
        for item in items:
            cache.add(item, outcome(full=False, up_s=0.5) if fell(item) else outcome())
        rows[part] = make_rows(part, items, cache)
    return rows


def test_every_trial_is_run_once_and_with_those_of_its_motion() -> None:
    items = [item for part in PARTS for item in items_of(part, SEEDS)]
    tasks = tasks_of(items)
    keys = [key_of(item) for task in tasks for item in task]
    assert len(keys) == len(set(keys)) and set(keys) == {key_of(item) for item in items}
    for task in tasks:
        clips = [item["clip"] for item in task]
        assert clips == sorted(clips) and len({item["ground"] for item in task}) == 1


def test_a_direction_is_survived_at_both_times_or_not_at_all(cache: Cache) -> None:
    def fell(item: Item) -> bool:
        return item["push"] in (["left", 0.3], ["back", 0.55], ["right", 0.55])

    rows = rows_where(cache, fell, ("pushes",))["pushes"]
    assert directions_survived(rows, "02_01", DEFAULT) == 2


def test_nothing_is_missed_where_nobody_falls(cache: Cache) -> None:
    found = verdicts(rows_where(cache, lambda item: False), LEANS)
    missed = [verdict.bar for verdict in found if not verdict.reached]
    assert missed == ["full state: less error and smoother than the QP alone"], "all figures are the same"


@pytest.mark.parametrize(
    ("fell", "bar"),
    [
        (lambda i: i["ground"] == "see-saw" and i["clip"] == "07_01", "walks and marches, see-saw"),
        (lambda i: i["ball"] == ["head", 0.3] and i["clip"] == "77_02:0-5", "standing, a 5 kg ball"),
        (lambda i: i["ball"] == ["head", 0.3] and i["clip"] == "02_01", "walking, a 5 kg ball"),
        (lambda i: i["clip"] == "07_01" and i["push"] and i["push"][0] in ("left", "back"), "walking, 200 N"),
        (lambda i: i["ground"] == "up 5 deg" and i["clip"] == "16_17", "stop, start, sideways"),
    ],
)
def test_each_bar_can_be_missed(cache: Cache, fell: Any, bar: str) -> None:
    found = verdicts(rows_where(cache, fell), LEANS)
    missed = [verdict.bar for verdict in found if not verdict.reached and "full state" not in verdict.bar]
    assert len(missed) == 1 and missed[0].startswith(bar)


def test_times_are_compared_on_the_same_clip(cache: Cache) -> None:
    items = items_of("policies", (1,))
    for item in items:
        slow = 2.0 if item["policy"] == POLICIES[1] else 1.0
        cache.add(item, outcome(control_ms=slow * (10.0 if item["clip"] == "02_01" else 1.0)))
    rows = make_rows("policies", items, cache)
    assert run_time_ratio(rows, POLICIES[1], "control_ms") == pytest.approx(2.0)


def test_the_report_says_who_fell_and_why(cache: Cache, tmp_path: Path) -> None:
    parts: dict[str, list[Item]] = {part: [] for part in PARTS}
    parts["terrain"] = [i for i in items_of("terrain", SEEDS) if i["ground"] == "up 5 deg"]
    for item in parts["terrain"]:
        lost = item["clip"] == "138_01"
        cache.add(item, outcome(full=False, up_s=0.5) if lost else outcome())
    said = write_balance_report(parts, cache, tmp_path)
    assert "up 5 deg: MISSED; 12 of 14 to the end; 138_01 0/2, up 0.50 of 2.00 s (a knee gave way)" in said
    page = (tmp_path / "balance.md").read_text("utf-8")
    assert "| up 5 deg | 07_01 | 2/2 | 2.00 of 2.00 |" in page
    assert (tmp_path / "balance.csv").read_text("utf-8").startswith("part,clip,ground,policy")


def test_a_part_is_not_judged_before_all_of_it_is_there(cache: Cache, tmp_path: Path) -> None:
    parts = {part: items_of(part, SEEDS) if part == "balls" else [] for part in PARTS}
    for item in parts["balls"][1:]:
        cache.add(item, outcome())
    said = write_balance_report(parts, cache, tmp_path)
    assert "Missing: 1 trials of 'balls'." in said and "5 kg" not in said
    cache.add(parts["balls"][0], outcome())
    assert "standing, a 5 kg ball at 5 m/s on head, chest and back: reached" in write_balance_report(
        parts, cache, tmp_path
    )


@pytest.mark.skipif(missing_data() is not None, reason="the captures are not on this machine")
@pytest.mark.parametrize(
    ("policy", "disturbance"),
    [(PLAIN, {}), (DEFAULT, {"push": ["left", 0.3]}), (DEFAULT, {"ball": ["chest", 0.3]})],
)
def test_a_trial_gives_all_that_a_row_needs(cache: Cache, policy: str, disturbance: dict[str, Any]) -> None:
    item = make_item("02_01:0-0.8", policy, 1, **disturbance)
    cache.add(item, run_item(item))
    (row,) = make_rows("policies", [item], cache)
    assert row["error"] is None and row["full"] == 1
    assert row["control_ms"] > 0.0 and row["tick_ms"] > row["control_ms"]
