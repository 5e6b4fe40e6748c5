"""The steps of a bake, each by itself: set up, reference, controller, simulation, judgement, assembly."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake import pipeline
from sim_core.bake.assemble import assemble
from sim_core.bake.attempt import Attempt, Outcome, judge, rank
from sim_core.bake.baked import BakedCharacter
from sim_core.bake.make_controller import make_controller, start_noise
from sim_core.bake.make_reference import make_reference
from sim_core.bake.methods import RETRIES, USUAL, methods_for
from sim_core.bake.monitor import Monitor
from sim_core.bake.pipeline import bake, run_attempt
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.bake.simulate import SHOWN_S, simulate
from sim_core.base.conventions import GRAVITY
from sim_core.base.progress import Progress, ignore_progress
from sim_core.control.tracking.inputs import InputCost
from sim_core.motion.motion import CONTROL_DT
from sim_core.reference.prepare import Prepared
from sim_core.result.metrics import FALL_SECONDS
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Scene
from sim_core.world.world import World
from tests.core.sample_people import MAPPING, person, standing

SETTINGS = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)
SECONDS = 0.4


def job(settings: BakeSettings = SETTINGS) -> Job:
    return Job(person(standing(SECONDS)), MAPPING, settings)


@pytest.fixture(scope="module")
def setup() -> CharacterSetup:
    (made,) = set_up((job(),))
    return made


@pytest.fixture(scope="module")
def prepared(setup: CharacterSetup) -> Prepared:
    return make_reference(setup, Attempt(USUAL))


@pytest.fixture(scope="module")
def outcome(setup: CharacterSetup) -> Outcome:
    (found,) = run_attempt((setup,), (Attempt(USUAL),), Monitor(ignore_progress))
    return found


def test_the_setup_holds_the_source_on_the_control_grid(setup: CharacterSetup) -> None:
    assert len(setup.source.time) == round(SECONDS / CONTROL_DT) + 1
    assert setup.source_qpos.shape == (len(setup.source.time), setup.world.model.nq)
    assert setup.kinematic_segments == () and setup.aiming is None


def test_characters_of_one_bake_share_one_engine() -> None:
    first, second = set_up((job(), replace(job(), name="other")))
    assert first.world.engine.model is second.world.engine.model
    assert (first.index, second.index) == (0, 1)


def test_a_reference_is_made_once_for_each_preparation(setup: CharacterSetup) -> None:
    made = make_reference(setup, Attempt(USUAL))
    stiffer = replace(USUAL, tracker=replace(USUAL.tracker, stiffness=900.0))
    assert make_reference(setup, Attempt(stiffer)) is made, "tracking changes nothing of the reference"
    assert make_reference(setup, Attempt(replace(USUAL, cutoff_hz=5.0))) is not made


def test_the_reference_of_a_stand_is_carried_by_its_feet(setup: CharacterSetup, prepared: Prepared) -> None:
    """The filter leaves 4.4 N (one sigma) of root force unexplained, under 1 % of the weight."""
    weight = setup.scenario.spec.mass * GRAVITY
    carried = prepared.support_force[:, :, 2].sum(axis=1)[1:-1]
    np.testing.assert_allclose(carried, weight, rtol=0.01)


def test_a_controller_starts_on_the_reference(setup: CharacterSetup, prepared: Prepared) -> None:
    controlled = make_controller(setup, setup.world, prepared, USUAL, 0.0)
    np.testing.assert_array_equal(controlled.start.qvel, prepared.reference.qvel[0])
    # Only raised, and by no more than a sole sinks in.
    change = controlled.start.qpos - prepared.reference.qpos[0]
    assert np.all(np.delete(change, 2) == 0.0) and 0.0 <= change[2] < 0.02


def test_starting_velocities_are_random_by_seed_and_character() -> None:
    noisy = replace(SETTINGS, noise=0.1, seed=3)
    np.testing.assert_array_equal(start_noise(noisy, 10), start_noise(noisy, 10))
    assert not np.array_equal(start_noise(noisy, 10), start_noise(noisy, 10, index=1))
    assert not start_noise(SETTINGS, 10).any()


def test_a_simulation_reports_and_records_every_control_interval(
    setup: CharacterSetup, prepared: Prepared
) -> None:
    seen: list[Progress] = []
    controlled = make_controller(setup, setup.world, prepared, USUAL, 0.0)
    (trace,) = simulate((setup,), (setup.world,), (controlled,), "Simulating", Monitor(seen.append))
    assert len(trace.time) == len(prepared.reference) == len(seen) + 1
    assert [progress.fraction for progress in seen] == sorted(progress.fraction for progress in seen)
    assert not trace.assist.any()


def test_a_stand_is_judged_to_be_up_and_near(outcome: Outcome) -> None:
    assert outcome.succeeded and outcome.fell_s is None
    assert outcome.joint_error_deg < 1.0 and outcome.strikes == ()


def test_a_body_on_the_floor_is_judged_to_have_fallen(setup: CharacterSetup, outcome: Outcome) -> None:
    """From half of the time on the pelvis is a leg's length too low, which is more than 0.35 of it."""
    qpos = outcome.trace.qpos.copy()
    half = len(qpos) // 2
    qpos[half:, 2] -= setup.scenario.leg_length
    fallen = judge(setup, outcome.attempt, outcome.prepared, replace(outcome.trace, qpos=qpos), ())
    assert fallen.fell_s is not None and not fallen.succeeded
    assert abs(fallen.fell_s - half * CONTROL_DT) <= 0.1 + CONTROL_DT


def test_outcomes_are_ranked_by_falls_then_misses_then_errors(outcome: Outcome) -> None:
    late, early = replace(outcome, fell_s=0.3), replace(outcome, fell_s=0.1)
    missed, far = replace(outcome, relative_miss=3.0), replace(outcome, joint_error_deg=5.0)
    ordered = [outcome, far, missed, late, early]
    assert sorted((early, late, missed, far, outcome), key=lambda own: rank((own,))) == ordered


def test_standard_quality_retries_and_a_draft_does_not() -> None:
    assert methods_for("draft", 1.0) == (USUAL,)
    assert methods_for("standard", 1.0) == (USUAL, *RETRIES)


def test_assembling_gives_what_the_whole_bake_gives(setup: CharacterSetup, outcome: Outcome) -> None:
    kept = replace(outcome, methods_tried=(USUAL.name,))
    alone = assemble(BakedCharacter(setup, kept), SETTINGS, {"simulation": 1.0})
    whole = bake(job())
    for name, values in whole.arrays().items():
        np.testing.assert_array_equal(alone.arrays()[name], values, err_msg=name)


def test_an_attempt_that_falls_sooner_than_another_ends_soon_after_its_fall() -> None:
    """It is not kept, so nobody sees how its body comes to rest; one that may be kept goes on to the end."""
    shove = Scene(pushes=(Push("chest", np.array([900.0, 0.0, 0.0]), 0.1, 0.3),))
    (setup,) = set_up((Job(person(standing(1.5)), MAPPING, SETTINGS, shove),))
    attempts, monitor = (Attempt(USUAL),), Monitor(ignore_progress)
    (whole,) = run_attempt((setup,), attempts, monitor)
    assert whole.fell_s is not None and len(whole.trace.time) == len(whole.prepared.reference)
    (kept,) = run_attempt((setup,), attempts, monitor, beaten_s=whole.fell_s - 0.05)
    assert len(kept.trace.time) == len(whole.trace.time)
    (beaten,) = run_attempt((setup,), attempts, monitor, beaten_s=np.inf)
    assert beaten.fell_s == whole.fell_s, "the fall is in the trace"
    samples = len(beaten.trace.time)
    assert samples * CONTROL_DT < whole.fell_s + FALL_SECONDS + SHOWN_S + 3 * CONTROL_DT
    np.testing.assert_array_equal(beaten.trace.qpos, whole.trace.qpos[:samples])


def test_nothing_of_a_bake_that_is_done_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds, costs = list[weakref.ref[World]](), list[weakref.ref[InputCost]]()

    def watched(jobs: Sequence[Job]) -> tuple[CharacterSetup, ...]:
        made = set_up(jobs)
        worlds.extend(weakref.ref(own.world) for own in made)
        return made

    def stacked(cost: InputCost, others: tuple[InputCost, ...]) -> InputCost:
        found = unwatched(cost, others)
        costs.append(weakref.ref(found))
        return found

    unwatched = InputCost.stacked
    monkeypatch.setattr(pipeline, "set_up", watched)
    monkeypatch.setattr(InputCost, "stacked", stacked)
    gc.disable()  # what waits for the collector waits long: it does not know how large an engine model is
    try:
        bake(job())
        assert worlds and costs, "the bake was watched"
        assert all(world() is None for world in worlds)
        assert all(cost() is None for cost in costs)
    finally:
        gc.enable()
