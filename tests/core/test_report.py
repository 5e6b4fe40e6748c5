"""What the report says of motions whose faults are known."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY
from sim_core.cli.batch import sheet
from sim_core.report import page
from sim_core.report.frame_numbers import file_frames, whole_frame
from sim_core.report.motion_series import figures_of
from sim_core.report.problems import find_problems, worst_frames
from sim_core.report.score import HALF, halved, score_of
from sim_core.report.soles import Soles
from sim_core.result import metrics
from sim_core.result.records import MotionInput
from sim_core.result.report_records import MotionProblem
from tests.core.sample_files import small_meta, small_metrics
from tests.core.sample_series import DT, MASS, SAMPLES, over, series

WEIGHT = MASS * GRAVITY
PERFECT = {name: 0.0 for halves in HALF.values() for name in halves} | {
    "up_s": 2.0,
    "seconds": 2.0,
    "full": True,
}


def column(values: np.ndarray, index: int, width: int) -> np.ndarray:
    wide = np.zeros((SAMPLES, width))
    wide[:, index] = values
    return wide


def test_a_motion_without_faults_has_no_problems() -> None:
    assert find_problems(series()) == ()
    assert score_of(PERFECT).total == 100.0


def test_a_joint_that_would_need_too_much_is_told_with_its_limit() -> None:
    needed = over({(0.5, 0.7): 300.0, (0.7, 0.71): 412.0, (1.5, 1.6): 250.0})
    (problem,) = find_problems(series(torque=column(-needed, 2, 3)))
    assert (problem.kind, problem.value, problem.limit, problem.unit) == ("torque", 412.0, 260.0, "Nm")
    assert (problem.start_s, problem.at_s) == (pytest.approx(0.5), pytest.approx(0.7))
    assert problem.text == "the right knee would need 412 Nm, limit 260"


def test_an_axis_without_a_limit_is_never_told() -> None:
    assert find_problems(series(torque=column(over({(0.0, 2.0): 1e6}), 1, 3))) == ()


def test_a_simulated_joint_that_gives_all_it_has() -> None:
    given = column(over({(0.5, 0.62): 200.0}), 0, 3)
    (problem,) = find_problems(series(simulated=True, torque=given))
    assert problem.text == "the right hip gives all of its 200 Nm for 0.12 s"


def test_sliding_is_a_way_and_not_a_speed() -> None:
    slip = column(over({(0.2, 0.7): 0.22, (1.0, 1.1): 0.22, (1.5, 1.9): 0.05}), 0, 2)
    (problem,) = find_problems(series(foot_slip=slip))
    assert problem.text == "the left foot slides 11 cm"
    assert problem.value == pytest.approx(11.0) and problem.severity == pytest.approx(11.0 / 3.0)


def test_spells_that_are_close_are_one_problem_and_short_ones_none() -> None:
    twice = column(over({(0.2, 0.3): 0.03, (0.4, 0.5): 0.02}), 1, 2)
    (problem,) = find_problems(series(foot_depth=twice))
    assert problem.text == "the right foot sinks 30 mm into the ground"
    assert problem.end_s == pytest.approx(0.5)
    apart = column(over({(0.2, 0.3): 0.03, (0.6, 0.7): 0.02}), 1, 2)
    assert len(find_problems(series(foot_depth=apart))) == 2
    blink = column(over({(0.2, 0.24): 0.03}), 1, 2)
    assert find_problems(series(foot_depth=blink)) == ()


def test_forces_from_nowhere_are_told_as_a_share_of_the_weight() -> None:
    missing = column(over({(1.0, 1.2): 0.2 * WEIGHT}), 2, 6)
    (problem,) = find_problems(series(residual=missing))
    assert problem.kind == "force" and "not explained by contacts (20 % of its weight)" in problem.text
    assert find_problems(series(residual=0.2 * missing)) == ()
    unknown = series(residual=missing, known=np.zeros(SAMPLES, dtype=bool))
    assert find_problems(unknown) == (), "forces that nobody knows are no problem"


def test_help_is_always_told_and_rounding_is_no_help() -> None:
    push = column(over({(1.0, 1.2): 0.2 * WEIGHT}), 0, 6)
    (problem,) = find_problems(series(simulated=True, assist=push))
    assert problem.text == "the assist pushes with 20 N (20 % of its weight)"
    assert find_problems(series(simulated=True, residual=push)) == ()


def test_problems_that_come_together_are_told_together() -> None:
    def problem(at_s: float, value: float) -> MotionProblem:
        return MotionProblem("slide", at_s, at_s, at_s, value, 1.0, "cm", f"{value:g}")

    frames = worst_frames([problem(1.0, 2.0), problem(0.5, 9.0), problem(1.05, 5.0), problem(0.42, 1.0)])
    assert [(frame.at_s, frame.text) for frame in frames] == [(0.5, "9; 1"), (1.05, "5; 2")]
    assert len(worst_frames([problem(k, 1.0) for k in range(5)], most=3)) == 3


@pytest.mark.parametrize("part", HALF)
def test_each_part_is_halved_by_its_own_figures(part: str) -> None:
    for name, half in HALF[part].items():
        score = score_of(PERFECT | {name: half})
        assert (
            score.parts[part] == pytest.approx(50.0) and min(score.parts, key=score.parts.__getitem__) == part
        )
        # Half way between the mean of five parts and the worst of them.
        assert score.total == pytest.approx(0.5 * (90.0 + 50.0))


def test_the_score_falls_with_every_fault_and_ends_at_zero() -> None:
    values = [halved(value, 5.0) for value in (0.0, 1.0, 5.0, 10.0, 1e6)]
    assert values == sorted(values, reverse=True) and values[0] == 100.0 and values[-1] == 0.0


def test_who_falls_cannot_have_a_good_score() -> None:
    score = score_of(PERFECT | {"full": False, "up_s": 1.0})
    assert score.total == pytest.approx(20.0) and score.parts["balance"] == pytest.approx(20.0)


def test_parts_without_figures_are_left_out() -> None:
    score = score_of({"skate_cm_s": 5.0, "full": True, "up_s": 1.0, "seconds": 1.0})
    assert dict(score.parts) == {"feet": pytest.approx(50.0)} and score.total == pytest.approx(50.0)


def test_figures_of_forces() -> None:
    wrench = np.tile([0.0, 0.0, 0.3 * WEIGHT, 0.1 * WEIGHT, 0.0, 0.0], (SAMPLES, 1))
    figures = figures_of(
        series(residual=wrench, torque=column(np.full(SAMPLES, 390.0), 2, 3)), small_metrics(seconds=2.0)
    )
    assert figures["outside_share"] == figures["residual_share"] == pytest.approx(0.3)
    assert figures["tipping_m"] == pytest.approx(0.1)
    assert (figures["effort_share"], figures["effort_worst_joint"]) == (1.0, "shin.R/x")
    assert figures["overload_mean"] == pytest.approx(0.5) and figures["seconds"] == 2.0
    unknown = figures_of(series(known=np.zeros(SAMPLES, dtype=bool)), small_metrics())
    assert unknown == asdict(small_metrics())


def test_a_foot_slides_as_its_slowest_loaded_point() -> None:
    time = np.arange(SAMPLES) * DT
    points = np.zeros((SAMPLES, 4, 3))
    points[:, 0, 0], points[:, 1, 0] = 0.5 * time, 0.2 * time
    points[:, 2, 0] = 3.0 * time
    points[:, 3, 2] = -0.004
    loaded = np.tile([True, True, False, False], (SAMPLES, 1))
    nothing = np.zeros((SAMPLES, 4))
    soles = Soles(points, loaded, np.array([0, 0, 1, 1]), nothing, np.zeros((SAMPLES, 4, 3)))
    assert soles.slip(DT)[50] == pytest.approx([0.2, 0.0])
    assert soles.depth[50] == pytest.approx([0.0, 0.004])


def test_trembling_over_time_makes_up_the_jitter() -> None:
    rng = np.random.default_rng(1)
    poses = rng.normal(size=(200, 2, 4))
    poses /= np.linalg.norm(poses, axis=-1, keepdims=True)
    parent = np.array([-1, 0])
    series = metrics.tremble_deg(poses, parent, DT)
    assert metrics.rms(series) == pytest.approx(metrics.jitter_deg(poses, parent, DT)) and len(series) == 200


def test_frames_are_those_of_the_file() -> None:
    """A rest frame before the take was left out, so the take starts at the second."""
    record = MotionInput("a.bvh", 0.01, 1, None, None, None, None, None, (), ())
    result: Any = SimpleNamespace(
        source_time=5.0 + np.arange(50) / 25.0,
        time=5.0 + np.arange(197) * 0.01,
        meta=small_meta(input=record),
    )
    frames = file_frames(result)
    assert whole_frame(frames, 0.0) == 2 and whole_frame(frames, 1.0) == 27


def test_the_templates_are_where_the_pages_look_for_them() -> None:
    assert page.TEMPLATE.is_file() and sheet.TEMPLATE.is_file()
