"""Each measure on an input whose answer is known."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.report.measure_table import MEASURES
from sim_core.result import metrics

DT = 0.01
TIME = np.arange(101) * DT
UPRIGHT = np.tile([1.0, 0.0, 0.0, 0.0], (101, 1))
LEVEL = np.ones(101)
CHAIN = np.array([-1, 0, 1])


def turned(axis: tuple[float, float, float], angle: FloatArray) -> FloatArray:
    return rotations.from_vector(np.asarray(angle)[..., None] * np.array(axis))


def fall(height: FloatArray = LEVEL, trunk: FloatArray = UPRIGHT) -> float | None:
    return metrics.fall_time(TIME, height, LEVEL, trunk, UPRIGHT, leg_length=1.0)


def test_a_body_that_stays_up_has_not_fallen() -> None:
    assert fall() is None
    assert fall(LEVEL - 0.34) is None
    assert fall(trunk=turned((0, 1, 0), np.full(101, np.radians(59.0)))) is None


def test_a_fall_counts_from_its_first_moment_once_it_lasted() -> None:
    low = np.where(TIME >= 0.4 - 1e-9, 0.64, 1.0)
    assert fall(low) == pytest.approx(0.4)
    assert fall(2.0 - low) == pytest.approx(0.4), "thrown up is as bad as sunk"
    tilt = turned((1, 0, 0), np.where(TIME >= 0.3 - 1e-9, np.radians(61.0), 0.0))
    assert fall(trunk=tilt) == pytest.approx(0.3)


def test_a_stumble_of_less_than_a_tenth_of_a_second_is_no_fall() -> None:
    assert fall(np.where((TIME > 0.395) & (TIME < 0.485), 0.5, 1.0)) is None
    assert fall(np.where((TIME > 0.395) & (TIME < 0.495), 0.5, 1.0)) == pytest.approx(0.4)


def test_a_body_that_lies_where_it_should_lie_has_not_fallen() -> None:
    """However it lies there: on its back instead of its belly, or 0.4 m lower than a thick body would."""
    flat = turned((0, 1, 0), np.full(101, np.radians(80.0)))
    other = turned((0, 1, 0), np.full(101, np.radians(-80.0)))

    def fell(height: float, trunk: FloatArray, planned: float, planned_trunk: FloatArray) -> float | None:
        heights = np.full(101, height), np.full(101, planned)
        axes = [rotations.rotate(own, np.array([0.0, 0.0, 1.0])) for own in (trunk, planned_trunk)]
        lying = [metrics.lies(own, axis, 1.7) for own, axis in zip(heights, axes, strict=True)]
        return metrics.fall_time(TIME, *heights, trunk, planned_trunk, 0.9, lying[0] & lying[1])

    assert fell(0.1, flat, 0.5, flat) is None
    assert fell(0.1, other, 0.2, flat) is None
    assert fell(0.1, flat, 0.9, flat) == 0.0, "in a leap the body is high"
    assert fell(0.1, flat, 0.3, UPRIGHT) == 0.0, "one that sits has fallen over"


def test_turning_on_the_spot_is_no_fall() -> None:
    assert fall(trunk=turned((0, 0, 1), np.linspace(0.0, 6.0, 101))) is None


def test_positions_are_compared_in_the_world_and_from_the_root() -> None:
    """All of a body is moved by 30 mm, and one of its three joints by 60 mm more across."""
    still = np.random.default_rng(0).normal(size=(5, 3, 3))
    moved = still + [0.03, 0.0, 0.0]
    assert metrics.mpjpe_mm(moved, still) == pytest.approx(np.full(5, 30.0))
    assert metrics.mpjpe_mm(metrics.from_root(moved), metrics.from_root(still)) == pytest.approx(np.zeros(5))
    moved[:, 2, 1] += 0.06
    assert metrics.mpjpe_mm(moved, still) == pytest.approx(np.full(5, (60.0 + np.hypot(30.0, 60.0)) / 3.0))
    bent = metrics.mpjpe_mm(metrics.from_root(moved), metrics.from_root(still))
    assert bent == pytest.approx(np.full(5, 20.0))


def test_joint_error_counts_each_joint_once() -> None:
    """A bend of the middle joint carries the last one along: one of three local rotations differs."""
    still = np.tile([1.0, 0.0, 0.0, 0.0], (5, 3, 1))
    bent = still.copy()
    bent[:, 1:] = turned((0, 1, 0), np.full((5, 2), np.radians(30.0)))
    assert metrics.joint_error_deg(bent, still, CHAIN) == pytest.approx(np.full(5, 10.0))


def test_the_sign_of_a_quaternion_is_no_error() -> None:
    rng = np.random.default_rng(0)
    poses = rotations.from_vector(rng.normal(size=(50, 3, 3)))
    flipped = poses * rng.choice([-1.0, 1.0], size=(50, 3, 1))
    assert metrics.joint_error_deg(flipped, poses, CHAIN) == pytest.approx(np.zeros(50), abs=1e-5)
    smooth = turned((0, 1, 0), np.outer(np.sin(TIME), np.ones(3)))
    signs = rng.choice([-1.0, 1.0], size=(101, 3, 1))
    plain = metrics.jitter_deg(smooth, CHAIN, DT)
    assert metrics.jitter_deg(smooth * signs, CHAIN, DT) == pytest.approx(plain, abs=1e-9)


def test_root_error_is_a_mean_distance() -> None:
    way = np.zeros((10, 3))
    assert metrics.root_error(way + [0.3, 0.4, 0.0], way) == pytest.approx(0.5)


def test_skate_is_the_speed_of_loaded_points_only() -> None:
    points = np.zeros((101, 2, 3))
    points[:, 0, 0] = 0.2 * TIME  # slides at 20 cm/s
    points[:, 1, 1] = 5.0 * TIME  # swings
    points[:, 0, 2] = TIME**2  # going up is not sliding
    loaded = np.zeros((101, 2), dtype=bool)
    assert metrics.skate_cm_s(points, loaded, DT) == 0.0
    loaded[:, 0] = True
    assert metrics.skate_cm_s(points, loaded, DT) == pytest.approx(20.0)
    # On ground that moves along with it, it stands still; on faster ground it slides back.
    along = np.tile([0.2, 0.0, 3.0], (101, 2, 1))
    assert metrics.skate_cm_s(points, loaded, DT, along) == pytest.approx(0.0, abs=1e-9)
    assert metrics.skate_cm_s(points, loaded, DT, 2.0 * along) == pytest.approx(20.0)


def test_penetration_is_the_depth_of_the_deepest_point() -> None:
    heights = np.array([[0.1, 0.2], [-0.002, 0.1], [-0.001, -0.004], [0.0, 0.0]])
    deepest, mean = metrics.penetration_mm(heights)
    assert (deepest, mean) == (pytest.approx(4.0), pytest.approx((2.0 + 4.0) / 4.0))


@pytest.mark.parametrize(("hz", "share"), [(2.0, 0.0), (30.0, 1.0)])
def test_jitter_is_what_is_faster_than_twelve_hertz(hz: float, share: float) -> None:
    time = np.arange(1000) * DT
    angle = np.radians(1.0) * np.sin(2.0 * np.pi * hz * time)
    # A sine of one degree has an RMS of 0.707 degrees; one of three joints trembles, the others hang on.
    poses = np.tile([1.0, 0.0, 0.0, 0.0], (1000, 3, 1))
    poses[:, 1:] = turned((0, 0, 1), angle)[:, None]
    expected = share * np.sqrt(0.5 / 3.0)
    assert metrics.jitter_deg(poses, CHAIN, DT) == pytest.approx(expected, abs=0.01)


def test_jitter_does_not_grow_with_the_pose() -> None:
    """The same trembling about a bent pose and about a straight one."""
    angle = np.radians(1.0) * np.sin(2.0 * np.pi * 30.0 * TIME)
    straight, bent = (turned((0, 0, 1), angle + about)[:, None] for about in (0.0, 2.0))
    root = np.array([-1])
    assert metrics.jitter_deg(bent, root, DT) == pytest.approx(
        metrics.jitter_deg(straight, root, DT), rel=1e-3
    )


def falling(acceleration: float) -> tuple[FloatArray, FloatArray]:
    """Two bodies of 1 and 3 kg that move together."""
    com = np.zeros((101, 2, 3))
    com[..., 2] = 0.5 * acceleration * TIME[:, None] ** 2
    return com, np.array([1.0, 3.0])


def test_residual_of_free_fall_and_of_rest() -> None:
    none = np.zeros((101, 0, 3))
    no_assist = np.zeros((101, 3))
    com, mass = falling(-GRAVITY)
    assert metrics.residual_share(com, mass, none, no_assist, DT) == pytest.approx(0.0, abs=1e-9)
    com, mass = falling(0.0)
    assert metrics.residual_share(com, mass, none, no_assist, DT) == pytest.approx(1.0)
    ground = np.tile([0.0, 0.0, 3.0 * GRAVITY], (101, 1, 1))
    pull = np.tile([0.0, 0.0, GRAVITY], (101, 1))
    assert metrics.residual_share(com, mass, ground, pull, DT) == pytest.approx(0.0, abs=1e-9)


def test_effort_names_the_joint_that_works_hardest() -> None:
    torque = np.zeros((100, 3))
    torque[:20, 1] = -95.0
    torque[10:15, 2] = 1000.0
    share, worst = metrics.effort(torque, np.array([100.0, 100.0, 1100.0]), ("hip", "knee", "back"))
    assert (share, worst) == (pytest.approx(0.2), "knee")


def test_mean_and_largest_length() -> None:
    assert metrics.norms(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])) == (2.5, 5.0)


def test_the_manual_names_every_measure_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = {each.name for kind in (metrics.Metrics, metrics.ForceFigures) for each in fields(kind)}
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == listed
    assert {measure.name for measure in MEASURES} <= listed
