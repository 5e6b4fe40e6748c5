"""Strikes meet their targets, in the plan and in the simulation, and leave the rest of the motion alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.aiming.aiming import Aiming, make_aiming
from sim_core.aiming.correction import Correction
from sim_core.aiming.offset import moved_to
from sim_core.aiming.strike import contact_of, strike_times
from sim_core.aiming.time_warp import FASTEST, SLOWEST, warped, warped_clock, window
from sim_core.bake.pipeline import bake
from sim_core.bake.setup import make_worlds
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.base.json_files import to_json
from sim_core.character.posing import pose_from_motion, segment_poses
from sim_core.motion.motion import CONTROL_DT, Motion, on_control_grid
from sim_core.result.result import Result
from sim_core.scenario.job import Job, load_job, save_job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim, aims_from_dict, aims_to_dict, load_aims
from sim_core.world.world import World
from tests.core.sample_motions import punch
from tests.core.sample_people import MAPPING, person

CONTACT_S = 0.8
PHYSICAL = BakeSettings(assist_cap=0.0, find_assist=False)


def motion() -> Motion:
    return person(punch(CONTACT_S))


def scenario_of(*aims: Aim) -> Scenario:
    return make_scenario(Job(motion(), MAPPING, PHYSICAL, aims=aims))


def world_of(scenario: Scenario) -> World:
    return make_worlds([scenario], ["standard"])[0]


def aiming_of(*aims: Aim) -> Aiming:
    scenario = scenario_of(*aims)
    grid = on_control_grid(scenario.motion)
    return make_aiming(scenario, world_of(scenario), grid, grid, CONTROL_DT)


def poses(scenario: Scenario, moved: Motion | None = None) -> FloatArray:
    return pose_from_motion(scenario.spec, scenario.binding, moved or on_control_grid(scenario.motion))


@cache
def fist() -> FloatArray:
    """Where the middle of the hand is at the contact (3) [m]."""
    (strike,) = aiming_of(Aim("hand.R", np.array([0.0, 0.0, 1.0]), time=CONTACT_S)).strikes
    return contact_of(strike, scenario_of().spec, poses(scenario_of()), CONTROL_DT).position


def aim_at(x: float = 0.0, y: float = 0.0, z: float = 0.0, **more: Any) -> Aim:
    """Beside where the hand is at the contact [m]."""
    return Aim("hand.R", fist() + [x, y, z], **({"time": CONTACT_S} | more))


def planned(*aims: Aim) -> tuple[Aiming, FloatArray, FloatArray]:
    """The aiming, and the poses without and with it, before anything is simulated."""
    aiming, scenario = aiming_of(*aims), scenario_of(*aims)

    def plan(correction: Correction | None) -> FloatArray:
        grid = on_control_grid(scenario.motion)
        if correction is None:
            return poses(scenario, grid)
        return aiming.moved(poses(scenario, aiming.warped(grid, correction)), correction)

    return aiming, plan(None), plan(aiming.first(plan))


def test_the_window_is_one_at_the_contact_and_zero_outside() -> None:
    (strike,) = aiming_of(aim_at(blend=0.3)).strikes
    time = np.linspace(0.0, 1.6, 161)
    weights = window(time, strike)
    assert weights[80] == 1.0 and np.all((weights >= 0.0) & (weights <= 1.0))
    assert not weights[np.abs(time - CONTACT_S) >= 0.3].any()
    # No speed and no acceleration at the ends: half of a ramp's cube is left a tenth inside.
    assert weights[80 + 27] == pytest.approx(10.0 * 0.1**3 - 15.0 * 0.1**4 + 6.0 * 0.1**5, rel=1e-6)


@pytest.mark.parametrize("offset", [(0.1, 0.0, 0.0), (0.0, 0.2, 0.1), (-0.1, -0.1, -0.2)])
def test_the_plan_hits_and_the_rest_stays(offset: tuple[float, float, float]) -> None:
    aiming, before, after = planned(aim_at(*offset, blend=0.3))
    (contact,), (strike,) = aiming.contacts(after), aiming.strikes
    assert contact.position == pytest.approx(strike.target, abs=1e-3)
    time = CONTROL_DT * np.arange(len(before))
    outside = np.abs(time - CONTACT_S) >= 0.3
    assert np.array_equal(after[outside], before[outside])
    spec = aiming.world.spec
    legs = [
        i for i, name in enumerate(spec.names) if name.split(".")[0] in ("pelvis", "thigh", "shin", "foot")
    ]
    for now, then in zip(segment_poses(spec, after), segment_poses(spec, before), strict=True):
        assert np.array_equal(now[:, legs], then[:, legs])


@pytest.mark.parametrize("ratio", [0.4, 0.8, 1.3, 1.9])
def test_the_clock_gives_the_speed_that_is_asked_for(ratio: float) -> None:
    (own,) = aiming_of(aim_at()).contacts(poses(scenario_of()))
    aiming, _, after = planned(aim_at(0.05, 0.0, 0.05, speed=ratio * own.speed))
    (contact,), (strike,) = aiming.contacts(after), aiming.strikes
    assert contact.speed == pytest.approx(ratio * own.speed, rel=0.01)
    assert contact.position == pytest.approx(strike.target, abs=2e-3)


@pytest.mark.parametrize("rate", [SLOWEST, FASTEST])
def test_the_clock_always_goes_on_and_is_right_outside(rate: float) -> None:
    (strike,) = aiming_of(aim_at(blend=0.3)).strikes
    time = np.linspace(0.0, 1.6, 1601)
    clock = warped_clock(time, [strike], np.array([rate]))
    assert np.diff(clock).min() > 0.0
    outside = np.abs(time - CONTACT_S) >= 0.3
    assert np.array_equal(clock[outside], time[outside])
    assert clock[800] == pytest.approx(CONTACT_S, abs=1e-12)
    assert (clock[801] - clock[799]) / 0.002 == pytest.approx(rate, abs=1e-3)


def test_a_clock_that_is_right_changes_no_motion() -> None:
    (strike,) = aiming_of(aim_at()).strikes
    grid = on_control_grid(motion())
    assert warped(grid, [strike], np.ones(1)) is grid


def test_a_strike_is_found_where_the_hand_is_fastest_on_its_way_out() -> None:
    (strike,) = aiming_of(aim_at(time=None)).strikes
    path = strike.striker.path(scenario_of().spec, poses(scenario_of()))
    speed = np.linalg.norm(np.gradient(path, CONTROL_DT, axis=0), axis=1)
    fastest = int(speed[:100].argmax())
    assert strike.time_s == pytest.approx(CONTROL_DT * fastest, abs=CONTROL_DT)
    shoulder = strike.striker.shoulder(scenario_of().spec, poses(scenario_of()))
    assert strike_times(path, shoulder, CONTROL_DT) == pytest.approx([strike.time_s])
    # Seen backwards in time, the way back is the way out.
    back = strike_times(path[::-1], shoulder[::-1], CONTROL_DT)
    assert CONTROL_DT * (len(path) - 1) - back == pytest.approx([1.2], abs=0.1)


def test_strikes_in_quick_succession_do_not_disturb_each_other() -> None:
    aims = (aim_at(0.0, 0.0, 0.1), replace(aim_at(0.1, 0.0, 0.0), time=1.0))
    aiming, _, after = planned(*reversed(aims))
    assert [strike.time_s for strike in aiming.strikes] == pytest.approx([0.8, 1.0])
    assert aiming.strikes[0].after_s == pytest.approx(0.2) == aiming.strikes[1].before_s
    for contact, strike in zip(aiming.contacts(after), aiming.strikes, strict=True):
        assert contact.position == pytest.approx(strike.target, abs=1e-3)


def test_a_moving_target_is_met_where_it_is_at_the_contact() -> None:
    time = np.linspace(0.0, 1.6, 9)
    path = fist() + np.outer(time - CONTACT_S, [0.5, -0.2, 0.0]) + [0.0, 0.05, 0.0]
    for contact_s in (0.7, 0.8):
        aiming, _, after = planned(Aim("hand.R", path, time, time=contact_s))
        there = fist() + (contact_s - CONTACT_S) * np.array([0.5, -0.2, 0.0]) + [0.0, 0.05, 0.0]
        assert aiming.contacts(after)[0].position == pytest.approx(there, abs=1e-3)
    held = Aim("hand.R", path, time)
    assert held.target(99.0) == pytest.approx(path[-1]) and held.target(-1.0) == pytest.approx(path[0])


def test_a_bone_s_point_and_what_it_carries_can_strike() -> None:
    tip = np.array([0.0, 0.05, 0.3])
    aiming, _, after = planned(Aim("hand.R", fist() + [0.2, 0.0, 0.1], time=CONTACT_S, point=tip))
    (strike,) = aiming.strikes
    assert aiming.contacts(after)[0].position == pytest.approx(strike.target, abs=1e-3)
    turn = motion().quaternion_world[0, motion().skeleton.index["hand.R"]]
    head = motion().position_world[0, motion().skeleton.index["hand.R"]]
    place = strike.striker.path(scenario_of().spec, poses(scenario_of()))[0]
    assert place == pytest.approx(head + rotations.rotate(turn, tip), abs=1e-9)
    toes = aiming_of(Aim("toe.R", np.array([0.0, 0.0, 0.0]), time=CONTACT_S)).strikes[0].striker
    assert scenario_of().spec.names[toes.segment] == "foot.R"


def carried_out(*aims: Aim, settings: BakeSettings = PHYSICAL) -> Result:
    return bake(Job(motion(), MAPPING, settings, aims=aims))


def test_the_simulated_bone_hits_at_the_speed_asked_for() -> None:
    # The head of the hand's bone, so that the result's own keys can be looked at.
    target, contact_s = fist() + [0.0, 0.1, 0.1], CONTACT_S + 0.004
    result = carried_out(Aim("hand.R", target, time=contact_s, speed=2.5, point=np.zeros(3)))
    (strike,) = result.meta.strikes
    assert result.meta.fell_at is None and not result.assist.any()
    assert strike.miss_m < 0.01 and strike.speed == pytest.approx(2.5, rel=0.03)
    hand = result.bone_position[:, [str(name) for name in result.bone_name].index("hand.R")]
    seen = np.array([np.interp(contact_s, result.source_time, axis) for axis in hand.T])
    # Between two keys the hand goes straight; its way bends by less than 1 mm in 10 ms.
    assert np.linalg.norm(seen - target) == pytest.approx(strike.miss_m, abs=1e-3)


def test_who_strikes_where_the_hand_is_changes_nothing() -> None:
    _, before, after = planned(aim_at())
    assert after == pytest.approx(before, abs=1e-6)


def test_without_aims_nothing_is_simulated_twice() -> None:
    plain = carried_out(settings=replace(PHYSICAL, quality="draft"))
    assert plain.meta.strikes == () and plain.meta.rounds == 1


def test_a_larger_character_strikes_a_larger_target() -> None:
    aim = aim_at(0.1, 0.0, 0.0, speed=2.0)
    scenario = make_scenario(Job(motion(), MAPPING, replace(PHYSICAL, height=3.4), aims=(aim,)))
    assert scenario.aims[0].at == pytest.approx(scenario.scale * aim.at) and scenario.scale > 1.5
    assert scenario.aims[0].speed == pytest.approx(scenario.scale * 2.0)


def test_a_correction_moves_the_aim_by_what_was_missed_and_not_without_end() -> None:
    aiming, before, _ = planned(aim_at(0.1, 0.0, 0.0, speed=2.0))
    (contact,), (strike,) = aiming.contacts(before), aiming.strikes
    start = Correction(np.zeros((1, 3)), np.ones(1))
    once = start.after(aiming.strikes, [contact])
    assert once.shift[0] == pytest.approx(strike.target - contact.position)
    assert once.rate[0] == pytest.approx(2.0 / contact.speed)
    for _ in range(20):
        once = once.after(aiming.strikes, [contact])
    assert np.linalg.norm(once.shift) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("aim", "words"),
    [
        (
            lambda: aim_at(1.0, 0.0, 0.0),
            r"m from the right shoulder, where it reaches 0\.\d\d m; it comes no nearer than \d\d cm",
        ),
        (lambda: aim_at(speed=20.0), r"shall strike at 20.0 m/s, but moves at 1\.5 m/s there"),
        (lambda: aim_at(time=1.55), "strikes at 1.55 s, but the motion goes from 0.00 to 1.60 s"),
        (lambda: aim_at(time=-3.0), "strikes at -3.00 s"),
        (
            lambda: Aim("tail", np.array([0.0, 0.0, 1.0])),
            "'tail' is no part of the character and hangs on none",
        ),
    ],
)
def test_what_cannot_be_hit_is_refused(aim: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        carried_out(aim())


def test_strikes_need_room() -> None:
    with pytest.raises(InputError, match="strikes 0.05 s from another strike"):
        aiming_of(aim_at(), replace(aim_at(), time=CONTACT_S + 0.05))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"at": [0.0, 1.0]}, "must be three numbers"),
        ({"at": [[0.0, 0.0, 1.0]] * 2, "at_time": [1.0, 1.0]}, "must rise"),
        ({"at": [[0.0, 0.0, 1.0]] * 2}, "three for each of its times"),
        ({"at": [0.0, 0.0, np.nan]}, "must be three numbers"),
        ({"speed": -1.0}, "must be 0 to 30"),
        ({"blend": 0.0}, "must be 0.1 to 2"),
        ({"time": np.inf}, "not a number"),
        ({"point": [1.0]}, "The point of 'hand.R'"),
        ({"tiem": 1.0}, "'tiem', which is unknown"),
        ({"bone": None}, "lacks the entry 'bone'"),
    ],
)
def test_bad_aims_are_refused(values: dict[str, Any], words: str) -> None:
    data = {"bone": "hand.R", "at": [0.0, 0.0, 1.0]} | values
    data = {name: value for name, value in data.items() if value is not None}
    with pytest.raises(InputError, match=words):
        aims_from_dict(aims_to_dict([]) | {"aims": [data]}, "'x'")


def test_aims_survive_files(tmp_path: Path) -> None:
    aims = (aim_at(speed=2.0), Aim("foot.L", np.eye(3), np.arange(3.0), point=np.ones(3)))
    (tmp_path / "aims.json").write_text(to_json(aims_to_dict(aims)))
    save_job(Job(motion(), MAPPING, PHYSICAL, aims=aims), tmp_path / "job.npz")
    for back in (load_aims(tmp_path / "aims.json"), load_job(tmp_path / "job.npz").aims):
        for mine, same in zip(aims, back, strict=True):
            assert aims_to_dict([mine])["aims"][0].keys() == aims_to_dict([same])["aims"][0].keys()
            assert np.array_equal(mine.at, same.at) and np.array_equal(mine.at_time, same.at_time)
            assert (mine.bone, mine.time, mine.speed) == (same.bone, same.time, same.speed)
    with pytest.raises(InputError, match="needs .*heft-aims"):
        aims_from_dict({"format": "heft-scene"}, "'x'")


def test_moved_poses_without_strikes_are_the_same() -> None:
    scenario = scenario_of()
    qpos = poses(scenario)
    assert np.array_equal(moved_to(world_of(scenario), qpos, CONTROL_DT, [], np.zeros((0, 3))), qpos)
