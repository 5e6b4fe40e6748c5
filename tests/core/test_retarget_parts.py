"""The parts of retargeting by themselves: limbs of two bones, gaps, spells, soles."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import IDENTITY_QUATERNION
from sim_core.retarget.foot_goals import foot_goals
from sim_core.retarget.gaps import EASE_SECONDS, bridged
from sim_core.retarget.heel_rise import raised_heels
from sim_core.retarget.limbs import STRAIGHTEST, reach_turns
from sim_core.retarget.stances import FootPath, with_hysteresis

SOLE = np.array([[x, y, -0.08] for x in (-0.06, 0.18) for y in (0.04, -0.04)])


def test_two_bones_reach_any_place_within_their_lengths() -> None:
    rng = np.random.default_rng(0)
    count = 200
    root = rng.normal(size=(count, 3))
    upper = rng.normal(size=(count, 3))
    upper *= 0.4 / np.linalg.norm(upper, axis=1, keepdims=True)
    lower = rng.normal(size=(count, 3))
    lower *= 0.35 / np.linalg.norm(lower, axis=1, keepdims=True)
    lower[:20] = upper[:20] * 0.35 / 0.4  # straight ones bend about the given axis
    goal = rng.normal(size=(count, 3))
    goal *= rng.uniform(0.06, STRAIGHTEST * 0.75, (count, 1)) / np.linalg.norm(goal, axis=1, keepdims=True)
    axis = np.cross(upper, rng.normal(size=(count, 3)))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    first, second = reach_turns(root, root + upper, root + upper + lower, root + goal, axis)
    end = rotations.rotate(first, upper) + rotations.rotate(second, lower)
    np.testing.assert_allclose(end, goal, atol=1e-9)



def test_a_limb_that_is_there_stays_whichever_way_it_is_bent() -> None:
    """By 30 to 120 degrees, in all directions about its own line."""
    around, bend = np.meshgrid(np.linspace(0.0, 6.0, 13), np.radians([30.0, 70.0, 120.0]))
    aside = np.stack([np.cos(around), np.sin(around), np.zeros_like(around)], axis=-1)
    lower = np.sin(bend)[..., None] * aside - np.cos(bend)[..., None] * [0.0, 0.0, 1.0]
    lower = 0.25 * lower.reshape(-1, 3)
    root, upper = np.zeros_like(lower), np.tile([0.0, 0.0, -0.3], (len(lower), 1))
    axis = np.tile([0.0, 1.0, 0.0], (len(lower), 1))
    for turn in reach_turns(root, upper, upper + lower, upper + lower, axis):
        np.testing.assert_allclose(np.abs(turn[:, 0]), 1.0, atol=1e-9)


def test_a_straight_limb_bends_about_the_axis_it_is_given() -> None:
    down = np.array([[0.0, 0.0, -0.4]])
    root = np.zeros((1, 3))
    first, _ = reach_turns(root, down, 2.0 * down, 1.6 * down, np.array([[0.0, 1.0, 0.0]]))
    knee = rotations.rotate(first, down)[0]
    assert knee[0] > 0.1 and abs(knee[1]) < 1e-9  # forwards, as knees do


def test_shortest_turn_of_opposite_directions_is_a_half_turn() -> None:
    ahead = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    turned = rotations.rotate(rotations.shortest_rotation(ahead, -ahead), ahead)
    np.testing.assert_allclose(turned, -ahead, atol=1e-9)


def test_gaps_are_bridged_without_kinks() -> None:
    time = np.arange(60.0)
    values = np.stack([0.5 * time, np.cos(0.1 * time)], axis=1)
    known = (time < 20) | (time >= 40)
    result = bridged(np.where(known[:, None], values, 99.0), known, 120.0)
    np.testing.assert_array_equal(result[known], values[known])
    slope = np.diff(result[:, 0])
    assert np.all(slope > 0.0) and np.abs(np.diff(slope)).max() < 0.1  # stopping at once would be 0.5
    assert np.abs(np.diff(result[:, 1], 2)).max() < 0.06  # a jump of the slope would be 0.1
    assert not bridged(values, np.zeros(60, dtype=bool), 120.0).any()
    ends = bridged(values, (time >= 10) & (time < 50), 120.0)
    outwards = np.diff(ends[50 - 2 :, 0])
    assert outwards[0] == pytest.approx(0.5) and np.all(np.diff(outwards[1:]) < 0.0)  # comes to rest
    assert np.all(np.abs(ends[:10] - values[10]) <= 0.5 * 10)


@pytest.mark.parametrize("rate_hz", [30.0, 120.0])
def test_long_gaps_do_not_run_away(rate_hz: float) -> None:
    """Whatever the rates at its edges, a bridge of two seconds stays near what is known."""
    time = np.arange(round(3.0 * rate_hz)) / rate_hz
    known = (time < 0.5) | (time >= 2.5)
    speed = np.where(time < 1.0, 0.6, -0.6)
    values = (speed * (time - np.where(time < 1.0, 0.5, 2.5)))[:, None]
    result = bridged(values, known, rate_hz)[~known]
    assert np.abs(result).max() < 0.6 * EASE_SECONDS / 3.0 + 0.6 / rate_hz  # a cubic curve: 0.18
    assert np.abs(np.diff(result, axis=0)).max() < 0.7 / rate_hz


def test_heels_rise_until_the_leg_is_as_long_as_in_the_style() -> None:
    """A foot stands flat, then on its toes; its hip goes ahead as far as a leg of 0.8 m would not reach."""
    count, ground = 120, 0.0
    ankle = np.tile([0.0, 0.0, 0.08], (count, 1))
    rests = np.ones((count, 2), dtype=bool)
    rests[60:, 0] = False
    path = FootPath(ankle, np.tile(IDENTITY_QUATERNION, (count, 1)), SOLE)
    hip = np.array([0.25, 0.0, 0.87]) + 0.0 * ankle
    style = np.full(count, np.linalg.norm(hip[0] - ankle[0]) - 0.02)
    raised = raised_heels(path, rests, hip, style, ground, 120.0)
    apart = np.linalg.norm(hip - raised.ankle_world, axis=1)
    np.testing.assert_allclose(raised.ankle_world[:40], ankle[:40], atol=1e-9)  # long before: flat
    assert np.abs(apart[62:] - style[62:]).max() < 0.3 * 0.02  # the turn is damped
    points = raised.points_world
    assert points[..., 2].min() > ground - 1e-9
    np.testing.assert_allclose(points[:, 2:], path.points_world[:, 2:], atol=1e-3)  # toes stay
    assert np.abs(np.diff(points[:, 0, 2], 2)).max() < 5e-4  # no jump when the heel leaves
    near = raised_heels(path, rests, hip, style + 0.05, ground, 120.0)
    assert near.points_world[..., 2].min() > ground - 1e-9  # a heel on the ground cannot go lower


def test_hysteresis_begins_late_and_ends_late() -> None:
    measure = np.array([2.0, 1.3, 0.9, 1.2, 1.4, 1.6, 1.4, 2.0])
    flags = with_hysteresis(measure < 1.0, measure < 1.5)
    np.testing.assert_array_equal(flags, [False, False, True, True, True, False, False, False])


@pytest.mark.parametrize("seed", range(4))
def test_a_trembling_foot_is_locked_and_never_below_ground(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time = np.arange(120) / 120.0
    way = np.stack([time, 0.1 * np.sin(3.0 * time), 0.08 + 0.1 * np.sin(9.0 * time)], axis=1)
    tilt = np.cumsum(rng.normal(scale=0.02, size=(120, 3)), axis=0)
    path = FootPath(way, rotations.from_vector(tilt), SOLE)
    rests = np.zeros((120, 2), dtype=bool)
    rests[20:50, 0] = True
    rests[30:60, 1] = True
    rests[90:] = True
    goals = foot_goals(path, rests, 0.01, 120.0)
    points = goals.points_world
    pairs = points.reshape(120, 2, 2, 3).mean(axis=2)
    assert points[..., 2].min() > 0.01 - 1e-9
    for k, (first, past) in ((0, (20, 50)), (1, (30, 60)), (0, (90, 120)), (1, (90, 120))):
        assert np.ptp(pairs[first:past, k, :2], axis=0).max() < 1e-9
    flat = rests.all(axis=1)
    np.testing.assert_allclose(points[flat][..., 2], 0.01, atol=1e-9)
    free = ~rests.any(axis=1)
    assert np.linalg.norm(np.diff(goals.ankle_world[free], axis=0), axis=1)[:18].max() < 0.05
