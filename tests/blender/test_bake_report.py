"""What a bake reports to the user."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
from heft.addon.bake.bake_report import BakeReport, _frame_at, hit_notes, show_outcome
from heft.panels.main import distance_lines
from heft.sim_core.result.metrics import Metrics
from heft.sim_core.result.records import Hit


def test_a_fall_is_told_by_the_frame_of_the_timeline() -> None:
    """Half a second into an action that starts at frame 100, at 24 frames per second."""
    frame = np.arange(100, 149)
    motion = SimpleNamespace(time=frame / 24.0)
    sampled: Any = SimpleNamespace(motion=motion, frame=frame, frame_sample=np.arange(len(frame)))
    assert _frame_at(0.5, sampled) == 112


def test_the_panel_names_what_a_distance_is_measured_from() -> None:
    """The simulation follows the prepared motion; the source is what the user animated."""
    zero: dict[str, Any] = {each.name: 0.0 for each in fields(Metrics)}
    own = {"joint_error_deg": 0.31, "joint_error_source_deg": 1.52}
    own |= {"root_error_m": 0.002, "root_error_source_m": 0.027}
    report = BakeReport("Ann", "Action", True, None, Metrics(**(zero | own)), ())
    outcome: Any = SimpleNamespace(notes=[])
    show_outcome(outcome, report)
    assert distance_lines(outcome) == (
        "Joints: 0.3° from the prepared motion",
        "Joints: 1.5° from the source",
        "Hips: 0.2 cm from the prepared motion",
        "Hips: 2.7 cm from the source",
    )


def test_hits_are_told_by_the_frame_of_the_timeline() -> None:
    frame = np.arange(100, 149)
    motion = SimpleNamespace(time=frame / 24.0)
    sampled: Any = SimpleNamespace(motion=motion, frame=frame, frame_sample=np.arange(len(frame)))
    hit = Hit(0.5, "arm.L", "forearm.L", "ball", 12.34)
    result: Any = SimpleNamespace(meta=SimpleNamespace(hits=(hit,)))
    assert hit_notes(result, sampled) == ["Frame 112: 'ball' hits the left forearm with 12.3 Ns."]
