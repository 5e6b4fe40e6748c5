"""Bars that hands hang from: found where weight is missing, with the role that lets hands hold on to them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY
from sim_core.base.intervals import smooth_step
from sim_core.motion.motion import Motion
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role
from sim_core.scene.scene_file import scene_from_dict, scene_to_dict
from sim_core.scene.shapes import Box
from sim_core.supports.find import FoundSupports, find_supports, on_supports
from sim_core.supports.support import SupportKind
from sim_core.supports.wording import offer_sentence
from tests.core.sample_people import MAPPING, Performance, person
from tests.core.test_holds import ARMS_UP, BAR_HEIGHT, LIFT

SETTINGS = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)


def pulled_up(lift: float = LIFT) -> Motion:
    """Stands with its arms up, and comes up to hang from them, with feet whose toes point down."""
    time = np.arange(151) / 50.0
    share = smooth_step((time - 1.0) / 0.6)
    toes_down = np.outer((lift > 0.0) * np.radians(45.0) * share, [0.0, 1.0, 0.0])
    turns = {**ARMS_UP, "foot.L": toes_down, "foot.R": toes_down}
    return person(Performance(time, turns, np.outer(lift * share, [0.0, 0.0, 1.0])))


@cache
def hanging() -> FoundSupports:
    return find_supports(Job(pulled_up(), MAPPING, SETTINGS))


def test_hands_that_hang_above_the_floor_have_one_bar() -> None:
    found = hanging()
    assert [own.kind for own in found.supports] == [SupportKind.BAR]
    (bar,), (support,) = found.scene.objects, found.supports
    assert bar.role is Role.HOLD and not bar.captured and isinstance(bar.shape, Box)
    # The palms are within a hand's breadth of where the bar of the other tests is, which hands can hold.
    assert support.height == pytest.approx(BAR_HEIGHT, abs=0.08)
    across = rotations.rotate(bar.quaternion, np.array([0.0, 1.0, 0.0]))
    assert abs(across[1]) > 0.99
    ends = bar.position[1] + bar.shape.half_size[1] * np.array([-1.0, 1.0])
    assert ends[0] < -0.18 < 0.18 < ends[1], "it reaches from hand to hand"
    assert support.spans[0][0] > 1.0 and "add a bar" in offer_sentence(support)
    assert scene_from_dict(scene_to_dict(found.scene), "the test").objects[0].role is Role.HOLD


def test_somebody_hangs_from_the_bar_that_was_found() -> None:
    job = Job(pulled_up().between(1.7, 3.0), MAPPING, SETTINGS)
    result = bake(on_supports(job, hanging())[0])
    weight = result.meta.character.mass * GRAVITY
    assert [own.segment for own in result.meta.grips] == ["hand.L", "hand.R"]
    assert result.contact_force[60:-1].sum(axis=1)[:, 2].mean() == pytest.approx(weight, rel=0.02)


def test_arms_that_are_held_up_need_no_bar() -> None:
    assert find_supports(Job(pulled_up(lift=0.0), MAPPING, SETTINGS)).supports == ()
