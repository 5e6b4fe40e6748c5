"""Abstract models against known answers, and their motion on a character."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY
from sim_core.base.errors import InputError
from sim_core.character.anthropometry import leg_length
from sim_core.character.binding import bind
from sim_core.hopper.dials import HopDials
from sim_core.hopper.hopper import STEP_S, Hopper, Wish
from sim_core.hopper.on_character import CLEARANCE, OVER_HIPS, hop_motion, standing_pose, standing_sample
from sim_core.hopper.pendulum import STEP_S as FINE_STEP_S
from sim_core.hopper.pendulum import SpringLeg, pendulum_motion
from sim_core.hopper.standing import largest_push, stands_after_push
from sim_core.jobs.hop_job import HopJob, load_hop, make_hops, save_hop
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, NAMES, person, standing

LEG = SpringLeg(70.0, 0.9, 14.0)


def test_a_vertical_hop_returns_to_its_apex_after_its_known_period() -> None:
    """The step of 0.5 ms bounds both: it is late by at most a step, at 1.4 m/s at most 0.7 mm."""
    made = pendulum_motion(LEG, 0.1, 0.0, 0.0, 3.0)
    assert made.states[:, 1].max() == pytest.approx(1.0, abs=7e-4)
    np.testing.assert_allclose(np.diff(made.landings_s), LEG.period_s(0.1), atol=2.0 * FINE_STEP_S)


def test_a_pendulum_that_hops_along_keeps_its_energy() -> None:
    """Runge-Kutta keeps it but for the step in which the leg touches: k (v dt)^2 / 2 each time, 5 mJ."""
    made = pendulum_motion(LEG, 0.1, 1.0, 0.15, 1.0)
    speed = np.abs(made.states[:, 3]).max()
    changes = np.count_nonzero(np.diff(made.touches.astype(int)))
    lost = 0.5 * LEG.stiffness * (speed * FINE_STEP_S) ** 2 * (changes + 1)
    assert np.ptp(made.energy) < 3.0 * lost + 1e-6 * made.energy[0]


@pytest.mark.parametrize(("height", "speed"), [(0.05, 0.0), (0.1, 0.5), (0.15, 1.0)])
def test_the_hopper_reaches_its_height_and_speed(height: float, speed: float) -> None:
    hops = Hopper(LEG, 8.0).run(Wish(height, speed), 20.0)
    assert not hops.fell
    assert np.mean(hops.apexes[-5:]) - LEG.length == pytest.approx(height, abs=0.005)
    second = hops.hip[len(hops.hip) // 2 :, 0]
    assert (second[-1] - second[0]) / (len(second) * STEP_S) == pytest.approx(speed, abs=0.08)


def test_the_hopper_turns_its_trunk_upright() -> None:
    hopper = Hopper(LEG, 8.0)
    hopper.pitch = 0.2
    hops = hopper.run(Wish(0.1, 0.3), 10.0)
    assert not hops.fell
    assert np.abs(hops.pitch[-2000:]).max() < 0.02


def test_a_stiffer_ankle_and_a_larger_foot_stand_after_harder_pushes() -> None:
    """Figure 6.7. The capture point must stay over the foot: v sqrt(l / g) < half, for any stiffness."""
    soft, firm, stiff = (largest_push(0.9, k, 0.1) for k in (0.9, 1.2, 3.0))
    assert soft < firm < stiff
    assert largest_push(0.9, 2.0, 0.05) < largest_push(0.9, 2.0, 0.1)
    assert stiff <= 0.1 / np.sqrt(0.9 / GRAVITY) + 0.01
    assert not stands_after_push(0.9, np.array(2.0), np.array(0.1), np.array(1.0))


def test_a_character_hops_as_the_hopper_does() -> None:
    """Its hips go along with the mass, its feet with the hopper's foot, to the pose fit's millimetres.

    In a low hop the feet are pulled up besides, or nobody could tell the flight from a stance.
    """
    pose = person(standing())
    made = hop_motion(pose, MAPPING, Wish(0.1, 0.3), 3.0)
    foot = NAMES.index("foot.L")
    rise = made.motion.position_world[:, foot, 2] - pose.position_world[0, foot, 2]
    every = (len(made.hops.foot) - 1) // (len(made.motion.time) - 1)
    stands = made.hops.stands[::every]
    np.testing.assert_allclose(rise[stands], made.hops.foot[::every, 1][stands], atol=0.01)
    leg = (1.0 + OVER_HIPS) * leg_length(bind(pose.skeleton, MAPPING))
    assert rise.max() == pytest.approx(CLEARANCE * leg, abs=0.01)
    hips = made.motion.position_world[:, NAMES.index("hips"), 2]
    assert np.ptp(hips) == pytest.approx(np.ptp(made.hops.hip[:, 1]), abs=0.01)


def test_the_simulated_character_leaves_the_ground() -> None:
    """Also in a hop of 6 cm, as long as the model does but for taking off and landing."""
    job = Job(person(standing()), MAPPING, BakeSettings(loop="off", find_assist=False, search=False))
    made = make_hops(HopJob(job, HopDials(0.06, 0.0, 3.0)))
    result = bake(replace(job, motion=made.motion))
    assert result.meta.fell_at is None
    in_air = float((np.abs(result.contact_force).max(axis=(1, 2)) == 0.0).mean())
    assert in_air == pytest.approx(float((~made.hops.stands).mean()), rel=0.35)


def test_hops_that_no_body_makes_are_refused() -> None:
    pose = person(standing())
    for wish, seconds, told in (
        (Wish(2.0, 0.0), 5.0, "2 m cannot"),
        (Wish(0.1, 9.0), 5.0, "9 m/s"),
        (Wish(0.1, 0.0), 1.0, "1 s is too short"),
    ):
        with pytest.raises(InputError, match=told):
            hop_motion(pose, MAPPING, wish, seconds)


def test_the_pose_that_stands_is_taken() -> None:
    steps = walk(1.8)
    sample = standing_sample(person(steps.performance), MAPPING)
    assert steps.stands[sample].all() or sample == 0


def test_a_hop_has_its_height_at_the_size_at_which_it_is_simulated(tmp_path: Path) -> None:
    """A giant that moves like a person of 1.7 m hops as high as that person, on its own scale."""
    pose, dials = person(standing()), HopDials(0.1, 0.0, 3.0)
    usual = make_hops(HopJob(Job(pose, MAPPING, BakeSettings()), dials))
    height = make_scenario(Job(pose, MAPPING, BakeSettings())).spec.height
    giant = HopJob(Job(pose.scaled(3.0), MAPPING, BakeSettings(height=height)), dials)
    save_hop(giant, tmp_path / "job.npz")
    made = make_hops(load_hop(tmp_path / "job.npz"))
    np.testing.assert_allclose(
        made.motion.position_world, 3.0 * usual.motion.position_world, rtol=1e-3, atol=0.01
    )
    assert made.note == usual.note


def test_the_pose_at_the_end_of_a_clip_can_be_taken() -> None:
    """The last sample stands best, and a part of the clip from there on is still a motion."""
    steps = person(walk(1.8).performance)
    sample = standing_sample(steps, MAPPING)
    cut = steps.first(sample + 1) if sample else steps
    part = standing_pose(cut, MAPPING)
    at = max(sample - 1, 0)
    np.testing.assert_array_equal(part.position_world[0], steps.position_world[at])
