"""The live run: commands and their log, segments that follow each other, and takes."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.monitor import Monitor
from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.base.progress import ignore_progress
from sim_core.live.commands import (
    KINDS,
    CommandLog,
    Dial,
    Grab,
    LoggedCommand,
    MoveObject,
    Pull,
    Push,
    Release,
    TakeOver,
    Throw,
    command_from_dict,
    command_to_dict,
    load_log,
    save_log,
)
from sim_core.live.placement import PlacedController, Placement
from sim_core.live.repeated import GO_ON, stage_of
from sim_core.live.run import LiveRun
from sim_core.live.take import Stage, replay
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.protocol import State
from tests.core.sample_people import MAPPING, person, standing

JOB = Job(person(standing(0.4)), MAPPING, BakeSettings(quality="draft", assist_cap=0.0))
COMMANDS = (
    LoggedCommand(10, Push("chest", (40.0, 0.0, 0.0), 0.1)),
    LoggedCommand(20, Grab("hand.L", (0.0, 0.0, 0.0), (0.4, 0.6, 1.2), 200.0, 60.0)),
    LoggedCommand(30, Pull((0.5, 0.5, 1.3))),
    LoggedCommand(44, Release()),
    LoggedCommand(46, Dial("stiffness", 0.7)),
    LoggedCommand(50, Throw(2.0, (1.5, 0.0, 1.2), (-6.0, 0.0, 1.0))),
    LoggedCommand(61, TakeOver(GO_ON)),
)
LOG = CommandLog(90, COMMANDS, first=6)


@pytest.fixture(scope="module")
def stage() -> Stage:
    return stage_of(JOB)


def take() -> Result:
    return replay(stage_of(JOB), LOG, Monitor(ignore_progress))


@pytest.fixture(scope="module")
def kept() -> Result:
    return take()


def test_commands_come_back_the_same(tmp_path: Path) -> None:
    save_log(LOG, tmp_path / "log.json")
    assert load_log(tmp_path / "log.json") == LOG
    moved = MoveObject("box", (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0))
    assert command_from_dict(command_to_dict(moved), "It") == moved


@pytest.mark.parametrize(
    "broken",
    [
        "push",
        {},
        {"do": "Fly"},
        {"do": "Push", "segment": "chest", "force": [1.0, 2.0], "seconds": 1.0},
        {"do": "Push", "segment": "chest", "force": [1.0, 2.0, None], "seconds": 1.0},
        {"do": "Push", "segment": 3, "force": [1.0, 2.0, 3.0], "seconds": 1.0},
        {"do": "Pull"},
    ],
)
def test_broken_commands_are_refused(broken: object) -> None:
    with pytest.raises(InputError, match="It|it"):
        command_from_dict(broken, "It")


def test_logs_out_of_order_or_without_anything_kept_are_refused() -> None:
    with pytest.raises(InputError, match="order"):
        CommandLog(10, (LoggedCommand(5, Release()), LoggedCommand(4, Release())))
    with pytest.raises(InputError, match="nothing"):
        CommandLog(10, first=10)


def test_every_kind_of_command_is_known() -> None:
    assert all(kind.__name__ == name and fields(kind) is not None for name, kind in KINDS.items())


def test_a_log_repeats_the_run_to_the_last_digit(kept: Result) -> None:
    again = take()
    arrays = [each.name for each in fields(Result) if each.metadata]
    assert len(arrays) > 40
    for name in arrays:
        np.testing.assert_array_equal(getattr(kept, name), getattr(again, name), err_msg=name)


def test_a_take_has_what_a_bake_has(kept: Result) -> None:
    assert len(kept.time) == LOG.ticks - LOG.first + 1
    assert kept.meta.report is not None and kept.meta.mjb is not None and kept.meta.fell_at is None
    assert kept.prop_name.tolist() == ["heft ball 2 kg"], "balls that were not thrown are left out"
    assert kept.meta.live is not None and len(kept.meta.live.commands) == len(COMMANDS)
    assert 40.0 <= kept.meta.live.most_push_n <= 60.0 + 1e-9, "no pull is longer than its limit"


def test_a_placed_controller_answers_as_in_its_own_place(stage: Stage) -> None:
    """Physics over flat ground is the same everywhere, so only rounding differs (1e-9 of 100 Nm)."""
    segment = stage.library.segment(stage.first)
    here, there = segment.controlled().controller, segment.controlled().controller
    reference = segment.prepared.reference
    place = Placement(rotations.about_vertical(2.0), np.array([3.0, -4.0, 0.0]))
    own = State(0.0, reference.qpos[0] + 0.0, reference.qvel[0] + 0.1)
    moved = State(0.5, place.poses(own.qpos), place.rates(own.qvel))
    expected = here.command(own)
    found = PlacedController(there, place, 0.5).command(moved)
    np.testing.assert_allclose(found.torque, expected.torque, atol=1e-4)
    np.testing.assert_allclose(place.inverse.poses(moved.qpos), own.qpos, atol=1e-12)


def test_a_placement_turns_and_moves_points_over_others() -> None:
    own, wanted = np.array([[1.0, 2.0, 0.9], [1.0, 3.0, 0.1]]), np.array([[-3.0, 1.0, 0.8], [-1.0, 1.0, 0.0]])
    place = Placement.over(-1.4, own, wanted)
    placed = place.points(own)
    np.testing.assert_allclose(placed.mean(axis=0)[:2], wanted.mean(axis=0)[:2], atol=1e-12)
    np.testing.assert_array_equal(placed[:, 2], own[:, 2], "heights stay")
    np.testing.assert_allclose(rotations.heading(place.turn), -1.4, atol=1e-12)


def test_a_take_over_keeps_the_heading_of_the_plan_when_a_foot_has_turned(stage: Stage) -> None:
    """Both plans stand in the same direction, so that nothing turns, whatever the foot does."""
    run = LiveRun(stage.setup, stage.library, stage.first)
    names, model = stage.setup.scenario.spec.names, stage.setup.world.engine.model
    for part in ("thigh.L", "thigh.R"):
        joint = model.body_jntadr[run.setup.world.index.body[names.index(part)]]
        turned = slice(int(model.jnt_qposadr[joint]), int(model.jnt_qposadr[joint]) + 4)
        run.data.qpos[turned] = rotations.multiply(rotations.about_vertical(0.3), run.data.qpos[turned])
    run.tick((TakeOver(GO_ON),))
    assert run.playing.segment.name == GO_ON
    assert abs(rotations.heading(run.playing.placement.turn)) < 1e-3


def test_placements_one_after_the_other_are_one() -> None:
    first = Placement(rotations.about_vertical(0.7), np.array([1.0, 0.0, 0.0]))
    second = Placement(rotations.about_vertical(-2.0), np.array([0.5, 3.0, 0.0]))
    point = np.array([0.3, -0.2, 1.0])
    np.testing.assert_allclose(second.after(first).points(point), second.points(first.points(point)))
    np.testing.assert_allclose(first.inverse.after(first).points(point), point, atol=1e-12)


def test_a_clip_that_ends_at_rest_stands_for_ever(stage: Stage) -> None:
    run = LiveRun(stage.setup, stage.library, stage.first)
    for _ in range(400):
        run.tick()
    assert run.playing.segment.name == GO_ON and not run.now.fallen
    assert np.linalg.norm(run.now.qvel[:3]) < 0.02
    position, _ = run.bones()
    np.testing.assert_allclose(position[0], JOB.motion.position_world[-1, 0], atol=0.02)


def test_a_body_that_fell_stays_down_when_the_next_segment_takes_over(stage: Stage) -> None:
    run = LiveRun(stage.setup, stage.library, stage.first)
    run.tick([Push("chest", (600.0, 0.0, 0.0), 0.5)])
    while not run.now.fallen:
        assert run.ticks < 300
        run.tick()
    run.tick([TakeOver(GO_ON)])
    run.tick()
    assert run.playing.segment.name == GO_ON and run.now.fallen


def test_a_body_stands_on_after_many_take_overs_where_it_was(stage: Stage) -> None:
    """Each segment goes on over the feet; over the pelvis, its error would add up until the body falls."""
    run = LiveRun(stage.setup, stage.library, stage.first)
    for _ in range(60):
        run.tick([TakeOver(GO_ON)])
        for _ in range(9):
            run.tick()
    assert not run.now.fallen
    position, _ = run.bones()
    np.testing.assert_allclose(position[0], JOB.motion.position_world[-1, 0], atol=0.02)


def test_what_cannot_be_done_is_said_in_a_sentence(stage: Stage) -> None:
    run = LiveRun(stage.setup, stage.library, stage.first)
    for command, words in (
        (Push("tail", (1.0, 0.0, 0.0), 0.1), "tail"),
        (TakeOver("fly"), "fly"),
        (Dial("weight", 0.7), "weight"),
        (Dial("softness", 7.0), "between 0 and 1"),
    ):
        with pytest.raises(InputError, match=words):
            run.carry_out(command)


def test_settings_for_bakes_do_not_disturb_a_run() -> None:
    settings = replace(JOB.settings, only="upper", blend_in_s=0.2, loop="on")
    made = stage_of(replace(JOB, settings=settings)).setup
    assert made.kinematic_segments == () and made.settings.blend_in_s == 0.0
