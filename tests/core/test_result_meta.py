"""The meta of a result survives its JSON, and what is broken in it is named."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.errors import InputError
from sim_core.base.json_codec import from_object, to_object
from sim_core.base.json_files import to_json
from sim_core.report.score import HALF, PART_WORDS
from sim_core.result import records as r
from sim_core.result.meta import ResultMeta, meta_from_json, meta_to_json
from sim_core.result.metrics import MotionMetrics
from sim_core.result.report_records import (
    Judgement,
    MotionProblem,
    ReportRecord,
    ScoreRecord,
    WorstFrameRecord,
)
from sim_core.result.soft_records import SoftRecord
from sim_core.result.support_records import GripRecord
from tests.core.sample_files import small_meta, small_metrics

WHAT = "The meta"
JUDGEMENT = Judgement(
    {"skate_cm_s": 1.5, "full": True, "effort_worst_joint": "shin.L/x", "tipping_m": None},
    ScoreRecord(50.0, "faults that show", feet=40.0),
    "Not judged: forces.",
    (MotionProblem("slide", 0.0, 0.5, 0.2, 20.0, 3.0, "cm", "the left foot slides 20 cm"),),
    (WorstFrameRecord(0.2, "the left foot slides 20 cm"),),
)
FULL = small_meta(
    fell_at=0.5,
    pushes=(r.PushRecord("chest", (10.0, 0.0, 0.0), 0.1, 0.2),),
    plausible_metrics=small_meta().source_metrics,
    reference=r.ReferenceChange(1.0, 2.0, {"shin.L": r.JointChange(1.0, 3.0)}, 0.1, 0.01, 0.0),
    failure=r.Failure(
        0.5, (r.Cause("slip", 0.3, "a foot slips", {"slip_m": 0.1, "foot": "left"}),), 50.0, (25.0, 50.0)
    ),
    repairs=(r.JointRepair("LeftFoot", 8, 156, 1.18, 29.0, 41.0, True),),
    search=r.SearchRecord(0.2, 1.2, 300.0, 12.5),
    animated=r.AnimatedShare(0.1, {"arm": 0.5}),
    loop=r.LoopGap(1.0, 2.0, 3),
    report=ReportRecord(JUDGEMENT, None),
    mjcf="eJw=",
    mjb="eJw=",
    parts=(
        r.SequencePart("a", 0.0, 1.0, None),
        r.SequencePart("b", 0.9, 2.0, r.TransitionFigures(0.1, 0.2, 1.0, 0.3, 5.0)),
    ),
    input=r.MotionInput(
        "a.bvh", 0.01, 1, 30.0, (0.0, 1.0), (1.0, 2.0, 90.0), None, "hand.R", ("run",), ("A note.",)
    ),
    retarget=r.RetargetRecord(
        "1", r.RetargetInput("a.bvh", "b.glb", 0.01, None), {"leg_ratio": 1.1}, {"leg_ratio": 1.1}
    ),
    live=r.LiveTake(200, 50, ({"tick": 60, "do": "Push", "force": [10.0, 0.0, 0.0]},), 10.0),
    grips=(GripRecord("hand.L", 0.1, 0.9, 0.5, 200.0, 450.0, 456.0, 0.6),),
    soft=(SoftRecord(("tail_01", "tail_02"), "tail", 0.35, 0.25, True, 1.2, 40.0),),
    get_ups=(r.GetUpRecord(0.5, 1.0, 4.0, 4.5, 0.6, "from the back", 30.0),),
)


def through_json(meta: ResultMeta) -> ResultMeta:
    return meta_from_json(json.loads(to_json(meta_to_json(meta))), WHAT)


@pytest.mark.parametrize("meta", [small_meta(), small_meta(metrics=None, attempt=None), FULL])
def test_it_comes_back_the_same(meta: ResultMeta) -> None:
    assert through_json(meta) == meta


def test_entries_without_anything_to_say_are_left_out() -> None:
    optional = {
        "search",
        "animated",
        "loop",
        "report",
        "mjcf",
        "mjb",
        "parts",
        "repairs",
        "input",
        "retarget",
        "live",
        "get_ups",
        "grips",
        "soft",
    }
    assert {each.name for each in fields(ResultMeta)} - set(meta_to_json(small_meta())) == optional
    assert set(meta_to_json(FULL)) == {each.name for each in fields(ResultMeta)}
    assert meta_to_json(FULL)["strikes"][0]["place"] == [0.0, 0.0, 1.0]


def test_an_empty_object_is_a_section_without_content() -> None:
    assert meta_from_json(meta_to_json(FULL) | {"metrics": {}, "failure": None}, WHAT).metrics is None


def broken(path: str, value: Any) -> dict[str, Any]:
    """FULL as JSON with another value at a path of keys; `...` takes the entry away."""
    content = json.loads(to_json(meta_to_json(FULL)))
    *above, last = path.split(".")
    inside: Any = content
    for key in above:
        inside = inside[int(key)] if isinstance(inside, list) else inside[key]
    if value is ...:
        del inside[last]
    else:
        inside[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("notes", ..., "The meta lacks the entry 'notes'"),
        ("metrics.rtf", ..., "The 'metrics' of the meta lacks the entry 'rtf'"),
        ("seed", 1.5, "The 'seed' of the meta must be a whole number, but is 1.5"),
        ("seed", True, "must be a whole number, but is True"),
        ("name", 3, "must be a text"),
        ("fell_at", "late", "must be a number, but is 'late'"),
        ("metrics.full", 1, "The 'full' of the 'metrics' of the meta must be true or false"),
        ("notes", "one", "must be a list"),
        ("notes", [1], "Entry 1 of the 'notes' of the meta must be a text"),
        ("hits.0.by", None, "The 'by' of entry 1 of the 'hits' of the meta must be a text"),
        ("character", [], "The 'character' of the meta must be a JSON object"),
        ("character.offset", [1.0], "must be a list of 3"),
        ("wall_seconds", [], "must be a JSON object"),
        ("wall_seconds.simulation", "long", "must be a number"),
        ("failure.causes.0.figures.slip_m", [], "must be a number"),
        ("strikes.0.place", ..., "lacks the entry 'place'"),
        ("simulated", [[0.0, 1.0, 2.0]], "must be a list of 2"),
    ],
)
def test_what_is_broken_is_named(path: str, value: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        meta_from_json(broken(path, value), WHAT)
    assert message in str(caught.value) and "make the file again" in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "text", {}, {"format": "other"}])
def test_a_foreign_meta_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="The meta (must be a JSON object|lacks the entry)"):
        meta_from_json(value, WHAT)


def test_numbers_that_are_not_finite_become_null_and_nan() -> None:
    back = through_json(small_meta(metrics=small_metrics(rtf=float("inf"))))
    assert back.measured.rtf != back.measured.rtf and back.measured.joint_error_deg == 1.5


def test_without_a_simulation_nothing_was_measured() -> None:
    with pytest.raises(InputError, match="Nothing was simulated"):
        _ = small_meta(metrics=None).measured


def test_notes_are_added_behind() -> None:
    assert small_meta(notes=("a",)).with_notes("b", "c").notes == ("a", "b", "c")


def test_the_parts_of_a_score_have_one_set_of_names() -> None:
    assert {each.name for each in fields(ScoreRecord)} == {"total", "verdict", *PART_WORDS}
    assert set(HALF) == set(PART_WORDS)


finite = st.floats(allow_nan=False, allow_infinity=False)
word = st.text(max_size=5)
hits = st.builds(r.Hit, finite, word, word, word, finite)
measures = st.builds(
    MotionMetrics,
    seconds=finite,
    full=st.booleans(),
    skate_cm_s=finite,
    penetration_max_mm=finite,
    penetration_mean_mm=finite,
    jitter_deg=finite,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(hits, max_size=3).map(tuple),
    st.none() | measures,
    st.dictionaries(word, finite, max_size=3),
    st.none() | finite,
    st.lists(st.tuples(finite, finite), max_size=3).map(tuple),
)
def test_whatever_the_values_are_they_come_back(
    struck: tuple[r.Hit, ...],
    plausible: MotionMetrics | None,
    seconds: dict[str, float],
    fell_at: float | None,
    windows: tuple[tuple[float, float], ...],
) -> None:
    meta = replace(
        small_meta(fell_at),
        hits=struck,
        plausible_metrics=plausible,
        wall_seconds=seconds,
        simulated=windows,
    )
    assert through_json(meta) == meta


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | finite | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    """Nothing but an InputError comes out of a foreign text."""
    for kind in (ResultMeta, r.Failure, r.Hit, r.AnimatedShare):
        try:
            to_object(from_object(kind, value, WHAT))
        except InputError:
            continue
