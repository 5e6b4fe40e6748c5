"""Real walks on ground that is not flat, at 0 N, from a start that is a little off."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bench.common.grounds import GROUNDS, walking_path
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings

SECONDS = 2.5
HARD = ("down 10 deg", "5 cm steps up", "platform along, +-10 cm", "see-saw")


@cache
def walk(clip: Path, ground: str) -> Result:
    motion = read_bvh(clip).motion.between(0.0, SECONDS)
    settings = BakeSettings(quality="draft", assist_cap=0.0, noise=0.1, seed=1, find_assist=False)
    job = Job(motion, recognise(motion.skeleton), settings)
    path = walking_path(motion, job.mapping, make_scenario(job).ground_height)
    return bake(Job(motion, job.mapping, settings, GROUNDS[ground](path)))


@pytest.fixture(params=HARD)
def walked(shared_data: Path, request: pytest.FixtureRequest) -> Result:
    return walk(shared_data / "bvh/cmu/16_31.bvh", request.param)


def test_it_stays_up_and_follows_without_help(walked: Result) -> None:
    figures = walked.meta.measured
    assert figures.full and not walked.assist.any()
    assert figures.joint_error_deg < 2.0
    assert figures.root_error_m < 0.08


def test_soles_rest_on_the_ground_that_is_there(walked: Result) -> None:
    figures = walked.meta.measured
    assert figures.penetration_max_mm < 15.0
    assert figures.skate_cm_s < 10.0


def test_its_forces_explain_its_motion(walked: Result) -> None:
    assert walked.meta.measured.residual_share < 0.02
    change = walked.meta.reference
    assert change is not None and change.residual_after_share < 0.02


def test_downhill_the_body_goes_down_and_friction_holds_it(shared_data: Path) -> None:
    result = walk(shared_data / "bvh/cmu/16_31.bvh", "down 10 deg")
    hips = result.joint_position[:, 0]
    path = np.linalg.norm((hips[-1] - hips[0])[:2])
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(-path * np.tan(np.radians(10.0)), abs=0.1)
    # Over the clip the slope's forces carry the weight straight up.
    mean = result.contact_force.sum(axis=1).mean(axis=0) / (result.body_mass.sum() * GRAVITY)
    assert mean[2] == pytest.approx(1.0, abs=0.1)


def test_the_board_is_tipped_and_comes_back_as_a_prop(shared_data: Path) -> None:
    result = walk(shared_data / "bvh/cmu/16_31.bvh", "see-saw")
    assert result.prop_name.tolist() == ["board"]
    assert np.abs(np.diff(result.prop_position, axis=0)).max() < 1e-9, "it turns in its place"
    turn = 2.0 * np.arccos(
        np.clip(np.abs(np.sum(result.prop_quaternion[0, 0] * result.prop_quaternion[:, 0], axis=1)), 0, 1)
    )
    assert turn.max() > 0.05
