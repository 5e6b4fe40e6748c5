"""Dials: their middle changes nothing, they are monotone, and each does what its name says."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from sim_core.bake.methods import BEST_ONLY, RETRIES, USUAL, methods_for
from sim_core.bake.pipeline import bake
from sim_core.base.errors import InputError
from sim_core.control.balance.capture_region import StepTrigger
from sim_core.control.hit_reaction import DELAY_SHARE, HitSettings
from sim_core.result.result import Result
from sim_core.scenario.dials import HEAVIEST, STRONGEST, DialFactors, dial_factors, factor
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import DIALS, BakeSettings
from sim_core.scenario.several import make_scenarios
from sim_core.scene.scene import FLAT, Push, Scene
from sim_core.scene.shapes import Sphere
from tests.core.sample_motions import Steps, still, walk
from tests.core.sample_people import MAPPING, person
from tests.core.test_props import prop

DRAFT: dict[str, Any] = {"quality": "draft", "assist_cap": 0.0, "find_assist": False}
CHEST_PUSH = Scene(pushes=(Push("chest", np.array([120.0, 0.0, 0.0]), 0.3, 0.1),))
HARD_PUSH = Scene(pushes=(Push("chest", np.array([180.0, 0.0, 0.0]), 0.3, 0.2),))
BALL = prop("ball", Sphere(0.1), np.array([0.6, 0.0, 1.25]), velocity=[-4.0, 0.0, 0.0], mass=5.0)
SCENES = {"flat": FLAT, "push": CHEST_PUSH, "hard push": HARD_PUSH, "ball": Scene((BALL,))}
STEPS: dict[str, Steps] = {"still": still(1.2), "walk": walk(1.8)}


def job(motion: str, scene: str, **dials: Any) -> Job:
    performance = STEPS[motion].performance
    return Job(person(performance), MAPPING, BakeSettings(**DRAFT, **dials), SCENES[scene])


@cache
def baked(motion: str, scene: str, dial: str = "effort", value: float = 0.5) -> Result:
    return bake(job(motion, scene, **{dial: value}))


def figure(name: str, *how: Any) -> float:
    return float(getattr(baked(*how).meta.measured, name))


def test_the_middle_is_exactly_as_usual() -> None:
    assert dial_factors(BakeSettings()) == DialFactors()
    methods = methods_for("best", 1.0, dial_factors(BakeSettings()))
    assert [own.tracker for own in methods] == [own.tracker for own in (USUAL, *RETRIES, *BEST_ONLY)]
    assert StepTrigger().scaled(1.0) == StepTrigger()
    assert HitSettings(0.3, 0.5, DELAY_SHARE * 1.0) == HitSettings()


def test_the_middle_leaves_the_body_as_it_was() -> None:
    one = job("still", "flat")
    plain, (dialled,) = make_scenario(one).spec, make_scenarios([one])
    for before, scaled in zip(plain, dialled.spec, strict=True):
        assert before.mass == scaled.mass and np.array_equal(before.inertia, scaled.inertia)
        assert before.joint.torque_limit == scaled.joint.torque_limit


def test_a_motion_at_the_middle_is_the_same_to_the_last_digit() -> None:
    dials = {name: getattr(BakeSettings(), name) for name in DIALS}
    explicit = bake(job("still", "push", **dials))
    assert np.array_equal(explicit.bone_position, baked("still", "push").bone_position)


@pytest.mark.parametrize("dial", [name for name in DIALS if name != "softness"])
def test_dials_are_monotone_and_move_one_thing_each(dial: str) -> None:
    courses = [dial_factors(BakeSettings(**{dial: value})) for value in np.linspace(0.0, 1.0, 11)]
    moved = [f.name for f in fields(DialFactors) if getattr(courses[0], f.name) != 1.0]
    assert moved == {"stiffness": ["tracking", "springs"]}.get(dial, moved) and 1 <= len(moved) <= 2
    for name in moved:
        slope = np.diff([getattr(tuning, name) for tuning in courses])
        assert np.all(slope > 0.0) or (dial == "alertness" and np.all(slope < 0.0))


def test_ends_are_reciprocal() -> None:
    assert factor(0.0, 3.0) * factor(1.0, 3.0) == pytest.approx(1.0)
    assert factor(0.5, 3.0) == 1.0


def test_given_parameters_go_before_the_dial() -> None:
    tuning = dial_factors(BakeSettings(stiffness=1.0, tracking_gain=600.0, springs=0.15))
    assert (tuning.tracking, tuning.springs) == (1.0, 0.5)


def test_three_links_keep_their_own_balance_dial() -> None:
    assert dial_factors(BakeSettings(balance="three_link", balance_weight=1.0)) == DialFactors()


@pytest.mark.parametrize("dial", DIALS)
def test_values_outside_are_refused(dial: str) -> None:
    too_large: dict[str, Any] = {dial: 1.01}
    with pytest.raises(InputError, match=dial):
        replace(BakeSettings(), **too_large)


def test_effort_scales_torque_limits_and_the_weak_are_at_their_limits() -> None:
    weak, strong = (baked("walk", "flat", "effort", value) for value in (0.0, 1.0))
    assert strong.torque_limit == pytest.approx(STRONGEST**2 * weak.torque_limit)
    assert weak.meta.measured.effort_share > 0.1 > strong.meta.measured.effort_share
    assert np.all(np.abs(weak.torque) <= weak.torque_limit + 1e-9)


def test_stiffness_makes_the_error_after_a_push_smaller() -> None:
    errors = [figure("joint_error_deg", "still", "push", "stiffness", value) for value in (0.0, 0.5, 1.0)]
    assert errors[0] > errors[1] > errors[2]


def test_balance_keeps_a_walk_nearer_to_its_path() -> None:
    style, balance = (figure("root_error_m", "walk", "flat", "balance_weight", v) for v in (0.0, 1.0))
    assert balance < 0.5 * style


def test_softness_lets_the_region_that_was_hit_go_further() -> None:
    def excursion(softness: float) -> float:
        result = baked("still", "ball", "softness", softness)
        chest = list(result.body_name).index("chest")
        way = result.body_com[:, chest] - result.body_com[:, 0]
        return float(np.linalg.norm(way - way[0], axis=1).max())

    assert excursion(1.0) > 1.1 * excursion(0.0)


def test_alertness_takes_a_step_sooner() -> None:
    def lifted_at(alertness: float) -> float:
        result = baked("still", "hard push", "alertness", alertness)
        feet = [k for k, name in enumerate(result.body_name) if str(name).startswith("foot")]
        height = result.body_com[:, feet, 2]
        lifted = np.flatnonzero((height > height[0] + 0.02).any(axis=1))
        return float(result.time[lifted[0]]) if len(lifted) else float("inf")

    assert lifted_at(1.0) < lifted_at(0.5) < lifted_at(0.0)


def test_weight_scales_masses_and_ground_forces_but_not_strength() -> None:
    light, heavy = (baked("still", "flat", "weight", value) for value in (0.0, 1.0))
    assert heavy.body_mass == pytest.approx(HEAVIEST**2 * light.body_mass)
    force = [result.contact_force.sum(axis=1)[20:, 2].mean() for result in (light, heavy)]
    assert force[1] / force[0] == pytest.approx(HEAVIEST**2, rel=0.02), "a body at rest weighs m g"
    assert np.array_equal(light.torque_limit, heavy.torque_limit)


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_all_dials_at_an_end_explode_nothing(end: float) -> None:
    dials: dict[str, Any] = dict.fromkeys(DIALS, end)
    settings = BakeSettings(**DRAFT, **dials)
    result = bake(replace(job("walk", "ball"), settings=settings))
    assert np.isfinite(result.bone_position).all()
    speed = np.diff(result.body_com, axis=0) / np.diff(result.time)[:, None, None]
    # Nobody gets faster than a body that falls from its own height and is hit by the ball on the way.
    assert np.linalg.norm(speed, axis=-1).max() < np.sqrt(2.0 * 9.81 * 1.8) + 4.0
    assert result.meta.settings["effort"] == end
