"""A long bake does not drift away or blow up."""

from __future__ import annotations

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import MAPPING, Performance, person, standing

SECONDS = 12.1
JOINT_DEG = 0.5
"""A drift of a hundredth of a degree a frame would be six degrees by the end."""
DRIFT_M = 0.005
"""Likewise: a hundredth of a millimetre a frame would be six by the end."""


def test_six_hundred_frames_end_as_they_began() -> None:
    stand = standing(SECONDS)
    swing = 0.15 * np.sin(np.pi * stand.time) ** 2
    turns = {"head": np.outer(swing, [0.0, 1.0, 0.0]), "upper_arm.L": np.outer(swing, [0.0, 1.0, 0.0])}
    motion = person(Performance(stand.time, turns, stand.hips_offset))
    settings = BakeSettings(quality="draft", assist_cap=0.0, correction=0.0, find_assist=False)
    result = bake(Job(motion, MAPPING, settings))
    places = result.bone_position
    assert len(places) > 600
    assert result.meta.fell_at is None and result.meta.measured.full
    assert result.meta.measured.joint_error_deg < JOINT_DEG
    assert all(np.isfinite(array).all() for array in (places, result.torque, result.energy))
    nod = round(1.0 / (stand.time[1] - stand.time[0]))
    drift = places[11 * nod : 12 * nod] - places[nod : 2 * nod]
    assert np.abs(drift).max() < DRIFT_M, "the same nod, ten later"
