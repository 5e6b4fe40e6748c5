"""What a bake reports to the user."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
from heft.addon.bake.bake_report import BakeReport, HeftOutcome, hit_notes, show_outcome
from heft.addon.bake.bake_summary import detail_lines, summary_lines
from heft.addon.bake.source_figures import SourceFigures
from heft.addon.reading.motion_reader import SampledMotion
from heft.sim_core.result.metrics import Metrics
from heft.sim_core.result.records import Hit


class Frames:
    """An action that starts at frame 100, at 24 frames per second."""

    frame = np.arange(100, 149)
    motion = SimpleNamespace(time=frame / 24.0)
    frame_sample = np.arange(len(frame))
    frame_at = SampledMotion.frame_at


SAMPLED: Any = Frames()
AWAY = SourceFigures(1.52, 11.43, "right ankle", 312, 2.66, 7.04, "left hand", 300)


class Notes(list[Any]):
    """A collection of Blender's, which adds entries by itself."""

    def add(self) -> Any:
        self.append(SimpleNamespace(text=""))
        return self[-1]


def told(
    fell_frame: int | None = None,
    assist_n: float = 0.0,
    changed_cm: float = 2.5,
    faults: tuple[str, ...] = (),
    away: SourceFigures | None = AWAY,
) -> HeftOutcome:
    """What the panel stores of a bake."""
    zero: dict[str, Any] = {each.name: 0.0 for each in fields(Metrics)}
    metrics = Metrics(**(zero | {"joint_error_deg": 0.31, "assist_force_max_n": assist_n}))
    why = "" if fell_frame is None else "The left foot slipped by 12 cm"
    report = BakeReport(
        "Ann", "Action", True, 240, fell_frame, why, metrics, None, away, changed_cm, False, 0.0, faults, ()
    )
    outcome: Any = SimpleNamespace(notes=Notes(), faults=Notes())
    show_outcome(outcome, report)
    return outcome


def test_a_fall_is_told_by_the_frame_of_the_timeline() -> None:
    assert SAMPLED.frame_at(0.5) == 112


def test_three_lines_say_how_it_went_how_far_from_the_source_and_what_was_changed() -> None:
    assert [line.text for line in summary_lines(told())] == [
        "Stays up, without assist",
        "1.5°, 2.7 cm from the source",
        "worst 11.4°, right ankle, frame 312",
        "Moved by 2.5 cm so that it can stand",
    ]
    assert summary_lines(told(assist_n=8.7))[0].text == "Stays up, with 9 N of assist"
    assert len(summary_lines(told(changed_cm=0.0))) == 3


def test_faults_that_anybody_sees_stand_first_and_all_of_them_in_details() -> None:
    faults = ("From frame 3 to 9 the legs pass.", "From frame 4 to 9 the wrist is off.", "A third.")
    lines = summary_lines(told(faults=faults))
    assert [line.text for line in lines[:3]] == [*faults[:2], "and 1 more in Details"]
    assert lines[0].icon == "ERROR" and lines[3].text == "Stays up, without assist"
    assert detail_lines(told(faults=faults))[:3] == faults


def test_a_fall_is_told_first_with_its_cause() -> None:
    assert [line.text for line in summary_lines(told(fell_frame=300))][:2] == [
        "Falls at frame 300",
        "The left foot slipped by 12 cm",
    ]


def test_a_made_motion_is_compared_with_its_plan_because_no_keys_are_its_source() -> None:
    assert [line.text for line in summary_lines(told(away=None))] == [
        "Stays up, without assist",
        "0.3°, hips 0.0 cm from the planned motion",
        "Moved by 2.5 cm so that it can stand",
    ]
    assert len(summary_lines(told(fell_frame=300, away=None))) == 2
    assert not any("orst" in line for line in detail_lines(told(away=None)))


def test_the_prepared_motion_is_a_detail_and_no_assist_is_not_mentioned() -> None:
    lines = detail_lines(told())
    assert any(line.startswith("From the prepared motion: 0.3°") for line in lines)
    assert not any("ssist" in line for line in lines)


def test_hits_are_told_by_the_frame_of_the_timeline() -> None:
    hit = Hit(0.5, "arm.L", "forearm.L", "ball", 12.34)
    result: Any = SimpleNamespace(meta=SimpleNamespace(hits=(hit,)))
    assert hit_notes(result, SAMPLED) == ["Frame 112: 'ball' hits the left forearm with 12.3 Ns."]
