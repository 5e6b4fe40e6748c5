"""The benchmark of markers: faults that it puts into takes, and what its report says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.common.tables import Row
from bench.markers.captures import CAPTURES
from bench.markers.report import FAULT_LIMITS_CM, Tables, bars, write_markers_report
from bench.markers.trials import FAULTS, NOISE_MM, flexions
from sim_core.markers.marker_fit import fit_take
from sim_core.markers.subject import calibrate_subject
from tests.core.sample_subject import walker


def fit_row(**changed: object) -> Row:
    return {
        "name": "walk",
        "held_out": False,
        "markers": 41,
        "used": "41 of 41 markers",
        "marker_share": 1.0,
        "frames": 100,
        "marker_rms_cm": 0.4,
        "marker_p95_cm": 0.8,
        "marker_worst_cm": 2.0,
        "marker_worst": "LTOE",
        "marker_worst_frame": 7,
        "leg_length_m": 0.85,
        "leg_reference_m": 0.86,
        "leg_error": -0.0116,
        "leg_alone": None,
        "calibration_s": 1.0,
        "preview_fps": 2000.0,
        "final_fps": 600.0,
        **changed,
    }


def keypoint_row(**changed: object) -> Row:
    return {
        **fit_row(),
        "jitter_ratio": 0.1,
        "knee_beyond_deg": 0.0,
        "turn_deg_s": 500.0,
        "noise_cm": 3.0,
        "joint_error_cm": 1.5,
        "length_error": 0.02,
        "end": "to the end",
        "to_the_end": True,
        **changed,
    }


def tables(fits: list[Row]) -> Tables:
    angles = [
        {"name": "walk", "angle": angle, "r": 0.995, "spread_deg": 1.0, "offset_deg": 3.0}
        for angle in ("hip L", "knee L")
    ]
    robust = [{"name": "walk", **{name.replace(".", "_"): 0.5 for name in FAULTS}}]
    noise = [
        {
            "noise_mm": level,
            "quality": "final",
            "joint_deg": 1.0,
            "joint_sem_deg": 0.1,
            "joint_worst_deg": 1.2,
            "marker_mm": 2.0,
            "marker_sem_mm": 0.1,
        }
        for level in NOISE_MM
    ]
    return Tables(fits, angles, robust, noise, [keypoint_row()], [keypoint_row()], 5)


def test_misses_are_told_with_the_true_figure(tmp_path: Path) -> None:
    held_out = fit_row(held_out=True, marker_rms_cm=9.0, leg_error=None, leg_reference_m=None)
    told = write_markers_report(tables([fit_row(leg_error=0.031), held_out]), tmp_path)
    assert "**missed**: leg length off by <= 2 % (worst: 3.10 %)" in told
    assert told.count("missed") == 1
    text = (tmp_path / "markers.md").read_text()
    assert "walk (held out)" in text and "| 9.00 |" in text


def test_all_bars_are_asked() -> None:
    assert len(bars(tables([fit_row()]))) == 11 + len(FAULT_LIMITS_CM) + 2 + 7
    assert all(ok for _, ok, _ in bars(tables([fit_row()])))


def test_keypoints_that_fall_or_jitter_are_misses() -> None:
    fallen = keypoint_row(end="fell at 1.00 s", to_the_end=False, jitter_ratio=0.5)
    found = replace(tables([fit_row()]), keypoints=[keypoint_row(), fallen])
    missed = [(text, value) for text, ok, value in bars(found) if not ok]
    assert [value for _, value in missed] == ["0.50 ", "2 of 3"]


@pytest.mark.parametrize("name", FAULTS)
def test_faults_change_what_they_say(name: str) -> None:
    take = walker(60).take
    position, concerned = FAULTS[name](take, np.random.default_rng(0))
    same = np.isclose(position, take.position_world).all(axis=2)
    assert np.array_equal(same, ~concerned) and concerned.any()
    share = concerned.mean()
    expected = {"50 % dropped": 0.5, "3 % outliers of 30 cm": 0.03}.get(name)
    if expected is not None:
        # Within four standard deviations of a binomial share.
        assert abs(share - expected) < 4.0 * np.sqrt(expected * (1.0 - expected) / concerned.size)


def test_flexion_of_a_known_gait() -> None:
    known = walker(60)
    angles = flexions(fit_take(known.take, calibrate_subject(known.take, known.table), "preview"))
    phase = 2.0 * np.pi * known.take.time
    assert np.corrcoef(angles["knee L"], np.cos(phase))[0, 1] > 0.99
    assert np.corrcoef(angles["hip L"], np.sin(phase))[0, 1] > 0.99


def test_references_are_legs_of_people(shared_data: Path) -> None:
    legs = [capture.leg() for capture in CAPTURES if capture.leg is not None]
    assert len(legs) == 7 and 0.75 < min(legs) < max(legs) < 0.95
