"""Hands that hold on to a bar: they carry, up to a limit that is told, and only where the role says so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.notes import grip_notes
from sim_core.bake.pipeline import bake
from sim_core.bake.replay_script import LARGEST_M, replay
from sim_core.bake.search_stage import can_search
from sim_core.bake.setup import set_up
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.base.intervals import true_intervals
from sim_core.cli.main import main
from sim_core.dynamics.contact_forces import GRIP_EDGES, GRIP_WEIGHT
from sim_core.reference.holds import LEAST_S, plan_holds
from sim_core.result.result import Result, save_result
from sim_core.result.support_records import GripRecord
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Capsule
from sim_core.world.grips import STRENGTH
from tests.core.sample_people import HEADS, MAPPING, NAMES, Performance, person

ARM_UP = np.array([np.pi - 0.05, 0.0, 0.0])
ARMS_UP = {"upper_arm.L": ARM_UP, "upper_arm.R": -ARM_UP}
LIFT, SECONDS, RATE = 0.5, 1.0, 60
SHOULDER, WRIST = (HEADS[NAMES.index(f"{name}.L")][2] for name in ("upper_arm", "hand"))
BAR_HEIGHT = LIFT + 2.0 * SHOULDER - WRIST + 0.08
SETTINGS = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)


def hanging(seconds: float = SECONDS, drift: float = 0.0) -> Performance:
    """Hangs with both arms up, the soles above the floor; drift: the speed at which all of it moves ahead."""
    time = np.arange(round(seconds * RATE) + 1) / RATE
    return Performance(time, ARMS_UP, np.outer(time, [drift, 0.0, 0.0]) + [0.0, 0.0, LIFT])


def bar(role: Role = Role.HOLD, height: float = BAR_HEIGHT) -> SceneObject:
    across = rotations.from_vector(np.array([0.5 * np.pi, 0.0, 0.0]))
    return SceneObject("bar", role, Capsule(0.015, 0.6), np.array([0.0, 0.0, height]), across)


def job(*objects: SceneObject, pushes: tuple[Push, ...] = (), seconds: float = SECONDS) -> Job:
    scene = Scene(objects, pushes, floor_height=0.0)
    return Job(person(hanging(seconds)), MAPPING, SETTINGS, scene=scene)


@cache
def hung() -> Result:
    return bake(job(bar()))


def grip_force(result: Result) -> FloatArray:
    """Sum of all forces on the hands (T, 3) [N]."""
    hands = np.flatnonzero([name.startswith("hand.") for name in result.body_name])
    on_hands = np.isin(result.contact_body, hands)
    return np.asarray((result.contact_force * on_hands[..., None]).sum(axis=1))


def test_a_body_hangs_from_a_bar_by_its_grip_alone() -> None:
    """At rest the hands carry the weight: what is left swings, at under 1 % of it after half a second."""
    result = hung()
    weight = result.meta.character.mass * GRAVITY
    assert result.meta.fell_at is None and result.meta.measured.joint_error_deg < 1.0
    np.testing.assert_allclose(result.contact_force[50:-1].sum(axis=1)[:, 2], weight, rtol=0.01)
    np.testing.assert_allclose(grip_force(result)[50:-1, 2], weight, rtol=0.01)
    assert not result.assist.any()


def test_the_forces_explain_the_motion_and_stay_within_the_limit() -> None:
    grips = hung().meta.grips
    limit = STRENGTH * hung().meta.character.mass * GRAVITY
    assert hung().meta.measured.residual_share < 0.01
    assert [own.segment for own in grips] == ["hand.L", "hand.R"]
    for own in grips:
        assert own.limit_n == pytest.approx(limit) and own.peak_n < limit and own.lost_s is None
        assert own.held_s == pytest.approx(SECONDS, abs=0.02)
    assert f"of the {limit:.0f} N that it can hold" in " ".join(hung().meta.notes)


def test_what_the_trunk_feels_of_a_bar_is_in_the_result() -> None:
    """The whole force is recorded where a part of the body other than a hand touches what can be held."""
    chest = SceneObject(
        "rail", Role.HOLD, Capsule(0.05, 0.6), np.array([0.3, 0.0, LIFT + 1.2]), bar().quaternion
    )
    push = Push("chest", np.array([300.0, 0.0, 0.0]), 0.2, 0.6)
    result = bake(job(bar(), chest, pushes=(push,)))
    trunk = np.flatnonzero([name in ("chest", "abdomen", "pelvis") for name in result.body_name])
    felt = (result.contact_force * np.isin(result.contact_body, trunk)[..., None]).sum(axis=1)
    assert felt[:, 0].min() < -200.0
    assert result.meta.measured.residual_share < 0.02


def test_without_the_role_no_hand_pulls() -> None:
    result = bake(job(bar(Role.OBSTACLE), seconds=0.5))
    weight = result.meta.character.mass * GRAVITY
    assert result.meta.grips == () and grip_force(result)[:, 2].mean() < 0.05 * weight
    moved = [np.ptp(own.joint_position[:50, 0, 2]) for own in (result, hung())]
    assert moved[0] > 0.2 and moved[1] < 0.02, "without a hold it flies and falls instead of hanging"


def test_mujoco_alone_computes_a_hanging_body_again(tmp_path: Path) -> None:
    save_result(hung(), tmp_path / "hung.npz")
    assert main(["export", "--replay", str(tmp_path / "hung.npz")]) == 0
    folder = tmp_path / "hung_replay"
    assert replay(folder, dict(np.load(folder / "replay.npz"))).max() < LARGEST_M


def test_pulled_too_hard_the_hands_slip_off_and_the_result_says_so() -> None:
    """Both hands hold 1.3 of the weight; the weight and as much again is more, and tears them off."""
    weight = hung().meta.character.mass * GRAVITY
    pull = Push("chest", np.array([0.0, 0.0, -weight]), 0.4, 0.6)
    result = bake(job(bar(), pushes=(pull,)))
    assert len(result.meta.grips) == 2
    for own in result.meta.grips:
        assert own.lost_s is not None and 0.4 < own.lost_s < 0.7
        assert 0.8 * own.limit_n < own.peak_n <= own.limit_n, "a slipping hand pulls with its limit"
    assert any("slips off" in note for note in result.meta.notes)
    released = grip_force(result)[85:, 2]
    assert np.abs(released).max() < 1e-9, "a hand that slipped off stays open"


def test_a_hand_does_not_close_where_nothing_is() -> None:
    result = bake(job(bar(height=BAR_HEIGHT + 0.3), seconds=0.3))
    assert result.meta.grips == () and np.abs(grip_force(result)).max() < 1.0


def test_holds_are_planned_while_hands_are_near_and_slow() -> None:
    """A body that drifts ahead by 0.2 m/s leaves the bar, of 3 cm, after the reach of the hands."""
    moving = Job(person(hanging(2.0, drift=0.2)), MAPPING, SETTINGS, scene=Scene((bar(),), floor_height=0.0))
    (setup,) = set_up((moving,))
    dt = float(setup.source.time[1] - setup.source.time[0])
    holds = plan_holds(setup.world, setup.source_qpos, dt, 1.0)
    for hand in holds.T:
        ((start, end),) = true_intervals(hand)
        assert start == 0 and LEAST_S < end * dt < 0.6
    fast = replace(moving, motion=person(hanging(0.5, drift=1.0)))
    (setup,) = set_up((fast,))
    assert not plan_holds(setup.world, setup.source_qpos, dt, 1.0).any()


def test_grips_are_not_searched() -> None:
    settings = replace(SETTINGS, quality="standard", search=True)
    for objects, expected in (((bar(),), False), ((), True)):
        (setup,) = set_up((replace(job(*objects), settings=settings),))
        assert can_search(setup) is expected


def test_planned_grip_forces_are_within_the_strength_in_every_direction() -> None:
    corners = np.array(np.meshgrid(*[[0.0, GRIP_WEIGHT]] * 4)).reshape(4, -1).T
    assert np.linalg.norm(corners @ GRIP_EDGES, axis=1).max() == pytest.approx(1.0)
    for axis in np.eye(3):
        best = max(own @ GRIP_EDGES @ axis for own in corners)
        assert best == pytest.approx(1.0)


def test_sentences_on_grips() -> None:
    held = GripRecord("hand.L", 0.0, 1.0, 0.9, 200.0, 300.0, 450.0)
    assert list(grip_notes([held, replace(held, lost_s=0.9, peak_n=449.0)])) == [
        "The left hand holds on for 1.8 s, with at most 449 N of the 450 N that it can hold.",
        "At 0.90 s the left hand slips off, because it is pulled harder than the 450 N that it can hold.",
    ]
    missed = replace(held, segment="hand.R", held_s=0.0)
    assert list(grip_notes([missed])) == [
        "From 0.00 to 1.00 s the right hand does not reach what it should hold."
    ]
