"""Parts that must carry a body because it would tip over what was found to touch."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray
from sim_core.reference.tipping import LOW, TIPPING, nearest_between, rests_as_before, support_against_tipping

SAMPLES, DT = 40, 0.01
HEELS = [[0.9, 0.1, 0.0], [0.9, -0.1, 0.0]]


def over_time(points: list[list[float]]) -> FloatArray:
    return np.tile(points, (SAMPLES, 1, 1))


def added(
    points: list[list[float]], touching: list[bool], com: list[float], speed: float = 0.0, fall: float = 0.0
) -> BoolArray:
    """Which points (K) carry a body in the middle of its motion; fall: its acceleration downwards [m/s^2]."""
    time = DT * np.arange(SAMPLES)
    path = np.tile(com, (SAMPLES, 1)) - np.outer(0.5 * fall * time**2, [0.0, 0.0, 1.0])
    touches = np.tile(touching, (SAMPLES, 1))
    speeds = np.full(touches.shape, speed)
    return support_against_tipping(over_time(points), speeds, touches, path, DT, 1.0)[SAMPLES // 2]


def test_who_sits_with_the_heels_on_the_ground_sits_on_the_seat() -> None:
    """The seat is 5 cm above the ground; the head, which is as far, is not low."""
    points = [*HEELS, [0.0, 0.1, 0.05], [0.0, -0.1, 0.06], [0.0, 0.0, 0.8]]
    assert added(points, [True, True, False, False, False], [0.1, 0.0, 0.3]).tolist() == [
        False, False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(("out", "helped"), [(TIPPING - 0.01, False), (TIPPING + 0.01, True)])
def test_a_body_above_its_contacts_needs_no_more(out: float, helped: bool) -> None:
    points = [*HEELS, [0.0, 0.0, 0.05]]
    assert added(points, [True, True, False], [0.9 - out, 0.0, 0.5])[2] == helped


def test_what_is_high_or_fast_or_on_the_other_side_does_not_help() -> None:
    com = [0.1, 0.0, 0.3]
    assert not added([*HEELS, [0.0, 0.0, LOW + 0.01]], [True, True, False], com).any()
    assert not added([*HEELS, [0.0, 0.0, 0.05]], [True, True, False], com, speed=1.0).any()
    assert not added([*HEELS, [1.2, 0.0, 0.05]], [True, True, False], com).any()


def test_who_flies_or_touches_nothing_rests_on_nothing() -> None:
    points, com = [*HEELS, [0.0, 0.0, 0.05]], [0.1, 0.0, 0.3]
    assert not added(points, [True, True, False], com, fall=0.9 * GRAVITY).any()
    assert not added(points, [False, False, False], com).any()


def test_who_accelerates_leans_without_tipping() -> None:
    """At 3 m/s^2 a body 1 m up leans by 3 / 9.81 m: its zero-moment point lies between its feet."""
    time = DT * np.arange(SAMPLES)
    com = np.stack([1.5 * time**2 + 3.0 / GRAVITY, 0.0 * time, np.ones(SAMPLES)], axis=1)
    com[:, 0] -= com[SAMPLES // 2, 0] - 3.0 / GRAVITY
    feet = over_time([[0.05, 0.1, 0.0], [-0.05, -0.1, 0.0], [0.5, 0.0, 0.05]])
    touches = np.tile([True, True, False], (SAMPLES, 1))
    found = support_against_tipping(feet, np.zeros(touches.shape), touches, com, DT, 1.0)
    assert not found[SAMPLES // 2].any()


def test_the_nearest_point_of_an_area_is_found() -> None:
    """The unit square, without a far point that does not touch: beside an edge, a corner, and inside."""
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [9.0, 9.0]])
    targets = np.array([[0.5, -0.3], [1.4, 1.3], [0.2, 0.7]])
    touches = np.tile([True, True, True, True, False], (3, 1))
    nearest = nearest_between(np.tile(square, (3, 1, 1)), touches, targets)
    assert nearest == pytest.approx(np.array([[0.5, 0.0], [1.0, 1.0], [0.2, 0.7]]), abs=0.01)


def test_a_seat_that_hovers_carries_wherever_it_is_as_low_and_slow() -> None:
    """It has carried for 0.6 s at 8 cm; then it is as high, 3 cm higher, and as high but fast."""
    samples, dt = 40, 0.05
    height, speed = np.full((samples, 1), 0.08), np.zeros((samples, 1))
    carries = np.zeros((samples, 1), dtype=bool)
    carries[:12] = True
    height[20:28] = 0.11
    speed[32:] = 2.0
    rests = rests_as_before(height, speed, carries, dt)[:, 0]
    assert rests[:20].all() and not rests[20:28].any() and rests[28:32].all() and not rests[32:].any()
    carries[6:] = False
    assert not rests_as_before(height, speed, carries, dt).any()
