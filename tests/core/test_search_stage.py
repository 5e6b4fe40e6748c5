"""The search inside a bake: when it runs, that it leaves a good run alone, and what a result says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_reference import make_reference
from sim_core.bake.methods import USUAL
from sim_core.bake.monitor import Monitor
from sim_core.bake.notes import search_notes
from sim_core.bake.pipeline import bake
from sim_core.bake.search_stage import can_search, search_after_fall
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.base.progress import ignore_progress
from sim_core.result.records import SearchRecord
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import FLAT, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from tests.core.sample_people import MAPPING, person, standing

SETTINGS = BakeSettings(assist_cap=0.0, find_assist=False)
PROP = SceneObject("stone", Role.PROP, Box(np.full(3, 0.1)), np.array([3.0, 0.0, 0.1]), mass=1.0)
STEP = SceneObject("step", Role.OBSTACLE, Box(np.full(3, 0.1)), np.array([3.0, 0.0, 0.1]))


def setup_of(settings: BakeSettings = SETTINGS, scene: Scene = FLAT) -> CharacterSetup:
    (made,) = set_up((Job(person(standing(0.4)), MAPPING, settings, scene),))
    return made


@pytest.mark.parametrize(
    ("settings", "scene", "searches"),
    [
        (SETTINGS, FLAT, True),
        (SETTINGS, Scene((STEP,)), True),
        (replace(SETTINGS, quality="draft"), FLAT, False),
        (replace(SETTINGS, search=False), FLAT, False),
        (replace(SETTINGS, only="upper"), FLAT, False),
        (SETTINGS, Scene((PROP,)), False),
        (SETTINGS, Scene((), (Push("chest", np.array([50.0, 0.0, 0.0]), 0.1, 0.1),)), False),
    ],
)
def test_it_searches_only_where_it_knows_all_that_acts(
    settings: BakeSettings, scene: Scene, searches: bool
) -> None:
    assert can_search(setup_of(settings, scene)) == searches


def test_a_run_that_stays_up_is_left_to_the_tracker() -> None:
    setup = setup_of()
    make_reference(setup, Attempt(USUAL))
    outcome = search_after_fall(setup, USUAL, Monitor(ignore_progress)).outcome
    assert outcome.search is None and outcome.succeeded


def test_a_bake_that_succeeds_is_not_searched() -> None:
    assert bake(Job(person(standing(0.3)), MAPPING, SETTINGS)).meta.search is None


def test_the_notes_say_when_and_how_long_was_searched() -> None:
    assert search_notes(None) == ()
    (found,) = search_notes(SearchRecord(1.2, 2.4, 600.0, 30.0))
    assert "1.20 to 2.40 s" in found and "600 s" in found
    (ended,) = search_notes(SearchRecord(1.2, 2.4, 600.0, 30.0, "it stays far from the motion"))
    assert "far from the motion" in ended
