"""Real captures are carried out by the character's own forces, from a start that is a little off."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

SECONDS = 2.5
CLIPS = {"16_31": "a walk", "13_11": "a jump"}
DT = 0.01
"""Interval of the result's samples [s]."""


@cache
def track(clip: Path) -> Result:
    """At 0 N, with noise on the starting velocities."""
    motion = read_bvh(clip).motion.between(0.0, SECONDS)
    settings = BakeSettings(assist_cap=0.0, noise=0.1, seed=1, find_assist=False)
    return bake(Job(motion, recognise(motion.skeleton), settings))


@pytest.fixture(params=list(CLIPS), ids=lambda clip: f"{clip} {CLIPS[clip]}")
def tracked(shared_data: Path, request: pytest.FixtureRequest) -> Result:
    return track(shared_data / f"bvh/cmu/{request.param}.bvh")


def test_it_stays_up_to_the_end(tracked: Result) -> None:
    assert tracked.meta.fell_at is None
    assert tracked.meta.measured.full
    assert tracked.time[-1] - tracked.time[0] == pytest.approx(SECONDS, abs=0.02)


def test_nobody_helps(tracked: Result) -> None:
    assert not tracked.assist.any()


def test_it_follows_the_motion(tracked: Result) -> None:
    assert tracked.meta.measured.joint_error_deg < 2.0
    assert tracked.meta.measured.root_error_m < 0.08


def test_soles_stay_on_the_ground(tracked: Result) -> None:
    assert tracked.meta.measured.penetration_max_mm < 15.0
    assert tracked.meta.measured.skate_cm_s < 10.0


def test_forces_in_the_file_balance_the_motion_in_the_file(tracked: Result) -> None:
    """Newton's law from the arrays alone, and the same by the report's own figure."""
    mass = tracked.body_mass.sum()
    com = np.einsum("tbi,b->ti", tracked.body_com, tracked.body_mass) / mass
    needed = mass * (np.diff(com, n=2, axis=0) / DT**2 + [0.0, 0.0, GRAVITY])
    left = needed - tracked.contact_force.sum(axis=1)[1:-1]
    share = np.sqrt((left**2).sum(axis=1).mean()) / (mass * GRAVITY)
    assert share < 0.02
    assert tracked.meta.measured.residual_share == pytest.approx(share, abs=1e-6)
    assert np.all(np.abs(tracked.torque) <= tracked.torque_limit * (1.0 + 1e-9))


def test_over_the_whole_clip_forces_change_the_momentum(tracked: Result) -> None:
    """The mean force is weight plus what changes the velocity from start to end."""
    mass = tracked.body_mass.sum()
    com = np.einsum("tbi,b->ti", tracked.body_com, tracked.body_mass) / mass
    start, end = (com[1] - com[0]) / DT, (com[-1] - com[-2]) / DT
    impulse = tracked.contact_force.sum(axis=1)[1:-1].sum(axis=0) * DT
    weight = mass * GRAVITY * (len(com) - 2) * DT
    assert impulse == pytest.approx(mass * (end - start) + [0.0, 0.0, weight], abs=1e-3 * weight)


def test_the_reference_became_possible(tracked: Result) -> None:
    change = tracked.meta.reference
    assert change is not None
    assert change.residual_after_share < min(0.02, 0.5 * change.residual_before_share)


def test_the_jump_leaves_the_ground_and_falls_with_gravity(shared_data: Path) -> None:
    jump = track(shared_data / "bvh/cmu/13_11.bvh")
    com = np.einsum("tbi,b->ti", jump.body_com, jump.body_mass) / jump.body_mass.sum()
    airborne = ~np.asarray(jump.contact_force.any(axis=(1, 2)))[1:-1]
    assert airborne.sum() * DT > 0.3
    fall = np.diff(com, n=2, axis=0)[airborne] / DT**2
    assert fall == pytest.approx(np.tile([0.0, 0.0, -GRAVITY], (len(fall), 1)), abs=0.02 * GRAVITY)
