"""The search inside a bake: when it runs, that it leaves a good run alone, and what a result says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.attempt import Attempt
from sim_core.bake.methods import USUAL
from sim_core.bake.monitor import Monitor
from sim_core.bake.notes import search_notes
from sim_core.bake.pipeline import bake, run_attempt
from sim_core.bake.search_stage import can_search, search_after_fall
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.base.progress import Progress, ignore_progress
from sim_core.motion.motion import CONTROL_DT
from sim_core.result.metrics import FALL_SECONDS
from sim_core.result.records import SearchRecord
from sim_core.scenario.job import Job
from sim_core.scenario.search_limit import LEAST_S, MOST_S, budget_seconds
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.aims import Aim
from sim_core.scene.scene import FLAT, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from tests.core.sample_motions import punch
from tests.core.sample_people import MAPPING, person, standing

SETTINGS = BakeSettings(assist_cap=0.0, find_assist=False)
PROP = SceneObject("stone", Role.PROP, Box(np.full(3, 0.1)), np.array([3.0, 0.0, 0.1]), mass=1.0)
STEP = SceneObject("step", Role.OBSTACLE, Box(np.full(3, 0.1)), np.array([3.0, 0.0, 0.1]))


def setup_of(settings: BakeSettings = SETTINGS, scene: Scene = FLAT, seconds: float = 0.4) -> CharacterSetup:
    (made,) = set_up((Job(person(standing(seconds)), MAPPING, settings, scene),))
    return made


@pytest.mark.parametrize(
    ("settings", "scene", "searches"),
    [
        (SETTINGS, FLAT, True),
        (SETTINGS, Scene((STEP,)), True),
        (replace(SETTINGS, quality="draft"), FLAT, False),
        (replace(SETTINGS, search=False), FLAT, False),
        (replace(SETTINGS, only="upper"), FLAT, False),
        (replace(SETTINGS, only_around_hits=True), FLAT, False),
        (SETTINGS, Scene((PROP,)), True),
        (SETTINGS, Scene((), (Push("chest", np.array([50.0, 0.0, 0.0]), 0.1, 0.1),)), True),
    ],
)
def test_it_searches_only_what_nothing_but_forces_moves(
    settings: BakeSettings, scene: Scene, searches: bool
) -> None:
    assert can_search(setup_of(settings, scene)) == searches


def test_a_run_that_stays_up_is_left_to_the_tracker() -> None:
    setup, monitor = setup_of(), Monitor(ignore_progress)
    kept = run_attempt((setup,), (Attempt(USUAL),), monitor)
    (outcome,) = search_after_fall((setup,), kept, monitor).outcomes
    assert outcome.search is None and outcome.succeeded


def test_a_body_that_is_pushed_over_is_searched_until_it_stands_again() -> None:
    """A push of 45 Ns in 0.15 s, which the tracker does not withstand; the bar never goes back."""
    push = Push("chest", np.array([0.0, 300.0, 0.0]), 0.3, 0.15)
    seen: list[Progress] = []
    job = Job(person(standing(1.6)), MAPPING, SETTINGS, Scene((), (push,)))
    result = bake(job, seen.append)
    search = result.meta.search
    assert search is not None and search.start_s < 0.6
    assert result.meta.fell_at is None and result.meta.measured.assist_force_max_n == 0.0
    hard = [own for own in seen if "hard" in own.stage]
    assert len({own.stage for own in hard}) == 1
    assert (np.diff([own.fraction for own in hard]) >= 0.0).all()
    first = seen.index(hard[0])
    assert all("hard" in own.stage for own in seen[first : first + len(hard)])


def test_a_strike_whose_character_was_pushed_over_is_searched() -> None:
    """Without a search it falls and misses by a third of a metre; the aim is not corrected again."""
    target = np.array([0.6, -0.18, 1.31])
    push = Push("chest", np.array([0.0, 300.0, 0.0]), 0.3, 0.15)
    aims = (Aim("hand.R", target, time=0.8),)
    result = bake(Job(person(punch(0.8)), MAPPING, SETTINGS, Scene((), (push,)), aims=aims))
    assert result.meta.search is not None and result.meta.fell_at is None
    (strike,) = result.meta.strikes
    assert strike.miss_m < 0.1 < strike.first_miss_m


def test_a_search_ends_when_its_time_is_used_up() -> None:
    push = Push("chest", np.array([0.0, 300.0, 0.0]), 0.3, 0.15)
    settings = replace(SETTINGS, search_seconds=1.0)
    setups = (setup_of(settings, Scene((), (push,)), seconds=1.6),)
    monitor = Monitor(ignore_progress)
    kept = run_attempt(setups, (Attempt(USUAL),), monitor)
    (outcome,) = search_after_fall(setups, kept, monitor).outcomes
    assert outcome.search is not None and "1 s that it may take were used up" in outcome.search.gave_up
    assert outcome.search.wall_seconds < 10.0


def test_a_search_ends_where_the_body_falls() -> None:
    """A push of 450 Ns, which nothing withstands; a block of 0.1 s may be under way when the fall is seen."""
    push = Push("chest", np.array([0.0, 1500.0, 0.0]), 0.3, 0.3)
    setups = (setup_of(SETTINGS, Scene((), (push,)), seconds=2.5),)
    monitor = Monitor(ignore_progress)
    kept = run_attempt(setups, (Attempt(USUAL),), monitor)
    (outcome,) = search_after_fall(setups, kept, monitor).outcomes
    assert outcome.search is not None and outcome.search.gave_up == "the body fell"
    assert outcome.fell_s is not None
    seen_s = outcome.fell_s + FALL_SECONDS
    assert seen_s <= outcome.search.end_s <= seen_s + 0.1 + 2 * CONTROL_DT


def test_a_search_that_is_asked_to_finish_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked while it searches; the tracker goes on, and the run is judged to its end."""
    seen: list[Progress] = []
    monkeypatch.setattr("sim_core.bake.search_budget.finish_is_wanted", lambda: len(seen) > 150)
    push = Push("chest", np.array([0.0, 300.0, 0.0]), 0.3, 0.15)
    setups = (setup_of(SETTINGS, Scene((), (push,)), seconds=1.6),)
    kept = run_attempt(setups, (Attempt(USUAL),), Monitor(ignore_progress))
    (outcome,) = search_after_fall(setups, kept, Monitor(seen.append)).outcomes
    assert outcome.search is not None and outcome.search.gave_up == "it was asked to finish"
    assert len(outcome.trace.time) == len(outcome.prepared.reference)
    assert [own.can_finish for own in seen[:150]] == [True] * 150 and not seen[-1].can_finish


def test_the_time_of_a_search_grows_with_the_motion_up_to_a_limit() -> None:
    given = replace(SETTINGS, search_seconds=7.0)
    assert budget_seconds(given, 100.0) == 7.0
    times = [budget_seconds(SETTINGS, duration) for duration in (0.1, 10.0, 11.0, 1e4)]
    assert times[0] >= LEAST_S and times[1] < times[2] and times[3] == MOST_S


def test_a_bake_that_succeeds_is_not_searched() -> None:
    assert bake(Job(person(standing(0.3)), MAPPING, SETTINGS)).meta.search is None


def test_the_notes_say_when_and_how_long_was_searched() -> None:
    assert search_notes(None) == ()
    (found,) = search_notes(SearchRecord(1.2, 2.4, 600.0, 30.0))
    assert "1.20 to 2.40 s" in found and "600 s" in found
    (ended,) = search_notes(SearchRecord(1.2, 2.4, 600.0, 30.0, "it stays far from the motion"))
    assert "far from the motion" in ended
    (worse,) = search_notes(SearchRecord(1.2, 2.4, 600.0, 30.0, "it was asked to finish", kept=False))
    assert "nothing better (it was asked to finish)" in worse and "run before it is kept" in worse
