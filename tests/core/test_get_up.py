"""What comes of a fall after which the character should get up: the longer motion, or a sentence."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np
import pytest

from sim_core.bake.attempt import Attempt, Outcome
from sim_core.bake.get_up_run import GetUpRun, GetUpTry
from sim_core.bake.longer_motion import frames_until, joined_reference, last_tick, longer_scenario
from sim_core.bake.make_reference import make_reference
from sim_core.bake.pipeline import bake
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.base.errors import InputError
from sim_core.character.posing import pose_from_motion
from sim_core.getup.guide import load_guide
from sim_core.getup.plan import plan_get_up
from sim_core.motion.motion import CONTROL_DT, on_control_grid
from sim_core.result.records import GetUpRecord
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Scene
from sim_core.simulation.trace import Trace
from tests.core.sample_motions import still, walk
from tests.core.sample_people import MAPPING, person

FELL, RESTS = 60, 140


def job(settings: BakeSettings, scene: Scene | None = None, seconds: float = 1.8) -> Job:
    steps = walk(seconds) if scene is None else still(seconds)
    return Job(person(steps.performance), MAPPING, settings, scene or Scene())


@pytest.fixture(scope="module")
def setup() -> CharacterSetup:
    return set_up([job(BakeSettings(get_up=True, quality="draft"))])[0]


def a_run(setup: CharacterSetup) -> GetUpRun:
    """A walk that stops to exist at its fall; then the plan is followed to the letter."""
    ready = make_reference(setup, Attempt(setup.methods[0]))
    walked = ready.reference.qpos
    lying = walked[FELL].copy()
    lying[2], lying[3:7] = 0.12, np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
    plan = plan_get_up(setup.world, lying, ready, FELL, load_guide())
    copied = replace(ready, reference=replace(ready.reference, qpos=plan.qpos))
    rest = np.repeat(lying[None], RESTS - FELL, axis=0)
    qpos = np.concatenate([walked[:FELL], rest, plan.qpos])
    qpos = qpos[: last_tick(len(qpos) - 1, setup.scenario.motion.rate_hz) + 1]
    nothing = np.zeros((len(qpos), 0))
    known: dict[str, Any] = {
        "time": np.arange(len(qpos)) * CONTROL_DT,
        "qpos": qpos,
        "simulated": np.ones(len(qpos)),
        "wall_seconds": 1.0,
        "steps": 1,
    }
    needed = [own.name for own in fields(Trace) if own.default is own.default_factory is MISSING]
    trace = Trace(**(dict.fromkeys(needed, nothing) | known))
    touches = np.zeros((len(plan.qpos), len(ready.schedule.foot)), dtype=bool)
    force = np.zeros((*touches.shape, 3))
    copied = replace(copied, schedule=replace(ready.schedule, touches=touches), support_force=force)
    made = GetUpTry(FELL, RESTS, plan, copied, np.zeros(len(plan.qpos), dtype=bool))
    return GetUpRun(trace, (made,), None, (), 0.0)


@pytest.mark.parametrize("rate_hz", [24.0, 25.0, 29.97, 30.0, 60.0, 120.00048])
def test_a_longer_motion_ends_at_a_whole_frame_and_at_a_whole_tick(rate_hz: float) -> None:
    for tick in range(40, 700, 13):
        last = last_tick(tick, rate_hz)
        assert tick - np.ceil(1.0 / rate_hz / CONTROL_DT) < last <= tick
        assert int(frames_until(last, rate_hz) / rate_hz / CONTROL_DT + 1e-6) == last


def test_the_longer_source_is_the_clip_the_body_and_the_clip_again(setup: CharacterSetup) -> None:
    run = a_run(setup)
    scenario = longer_scenario(setup.scenario, run)
    grid = on_control_grid(scenario.motion)
    assert len(grid.time) == len(run.trace.qpos)
    new = pose_from_motion(scenario.spec, scenario.binding, grid)
    # Before the fall it is the clip, to the error of interpolating between frames.
    assert new[: FELL - 2, :3] == pytest.approx(setup.source_qpos[: FELL - 2, :3], abs=2e-3)
    # While it lies it is the simulated body.
    assert new[RESTS - 20, :7] == pytest.approx(run.trace.qpos[RESTS - 20, :7], abs=1e-3)
    # Then it is the clip from another time on, turned and moved: its own height is kept.
    plan = run.tries[0].plan
    late = RESTS + plan.follows + 5
    clip = round(float(plan.clip_sample[late - RESTS]))
    assert new[late, 2] == pytest.approx(setup.source_qpos[clip, 2], abs=5e-3)
    assert new[late, 7:] == pytest.approx(setup.source_qpos[clip, 7:], abs=0.05)
    assert np.abs(np.diff(new[:, :3], axis=0)).max() < 0.1  # nowhere a jump of the hips


def test_the_joined_reference_is_what_was_followed(setup: CharacterSetup) -> None:
    run, ready = a_run(setup), make_reference(setup, Attempt(setup.methods[0]))
    joined = joined_reference(setup, ready, run)
    assert joined.reference.qpos[:FELL] == pytest.approx(ready.reference.qpos[:FELL])
    assert joined.reference.qpos[FELL:] == pytest.approx(run.trace.qpos[FELL:])
    assert joined.schedule.touches[:FELL].sum() == ready.schedule.touches[:FELL].sum()


def test_errors_are_measured_only_where_the_clip_is_followed(setup: CharacterSetup) -> None:
    trace = a_run(setup).trace
    record = GetUpRecord(0.6, 1.4, 3.0, 3.5, 0.8, "from the front", 10.0)
    ready = make_reference(setup, Attempt(setup.methods[0]))
    outcome = Outcome(Attempt(setup.methods[0]), ready, trace, (), None, 0.0, get_ups=(record,))
    away = np.flatnonzero(~outcome.follows_clip)
    assert trace.time[away[[0, -1]]] == pytest.approx([0.6, 3.49])


def test_a_pushed_body_that_has_no_time_to_search_stays_down_and_says_so() -> None:
    push = Push("chest", np.array([900.0, 0.0, 0.0]), 0.1, 0.3)
    settings = BakeSettings(
        get_up=True, quality="draft", assist_cap=0.0, search_seconds=1.0, find_assist=False, loop="off"
    )
    result = bake(job(settings, Scene((), pushes=(push,)), 1.0))
    assert result.meta.fell_at is not None and not result.meta.get_ups
    assert any(note.startswith("It stays down after its fall, because") for note in result.meta.notes)
    assert result.time[-1] == pytest.approx(1.0, abs=0.02)


def test_a_body_that_stays_up_is_as_long_as_its_clip() -> None:
    settings = BakeSettings(quality="draft", assist_cap=0.0, loop="off")
    plain, asked = (bake(job(replace(settings, get_up=own), Scene(), 0.5)) for own in (False, True))
    assert np.array_equal(plain.joint_position, asked.joint_position)


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(InputError, match="leave out one of the two"):
        BakeSettings(get_up=True, loop="on")
    motion = person(walk(0.6).performance)
    share = np.full(motion.position_world.shape[:2], 0.5)
    with pytest.raises(InputError, match="whole body"):
        Job(motion, MAPPING, BakeSettings(get_up=True), bone_share=share)
