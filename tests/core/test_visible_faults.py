"""Faults that anybody sees are found where they were put, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.notes import fault_sentences
from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import BoolArray, FloatArray
from sim_core.base.wording import for_blender
from sim_core.report.problems import DRIFT, HANDS, JOINT, LEGS
from sim_core.report.report import make_report, with_report
from sim_core.report.visible_faults import DRIFT_SHARE, visible_faults
from sim_core.result.records import JointRepair, PushRecord
from sim_core.result.report_records import MotionProblem
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import MAPPING, person, standing

FROM_S, TO_S = 0.3, 0.7
LEFT_LEG, RIGHT_LEG = ("thigh.L", "shin.L", "foot.L"), ("thigh.R", "shin.R", "foot.R")


@pytest.fixture(scope="module")
def stood() -> Result:
    """A person that stands still for a second."""
    settings = BakeSettings(quality="draft", find_assist=False)
    return bake(Job(person(standing(1.0)), MAPPING, settings))


def during(result: Result, until_s: float = TO_S) -> BoolArray:
    time = result.time - result.time[0]
    return (time > FROM_S - 1e-6) & (time < until_s - 1e-6)


def shifted(result: Result, parts: tuple[str, ...], by: FloatArray, source: bool = False) -> Result:
    """The result with some parts moved by (P, 3) [m] for a while; source: in the source as well."""
    rows = [result.body_name.tolist().index(part) for part in parts]
    names = ["joint_position", "body_com", *(["source_joint_position"] if source else [])]
    arrays = {name: getattr(result, name).copy() for name in names}
    for array in arrays.values():
        array[np.ix_(during(result), rows)] += by
    return replace(result, **arrays)


def turned(result: Result, part: str, degrees: float, until_s: float) -> Result:
    """The result with a last part of a limb turned about its joint for a while."""
    row = result.body_name.tolist().index(part)
    turn = rotations.from_vector(np.array([0.0, np.radians(degrees), 0.0]))
    quaternion = result.joint_quaternion_world.copy()
    chosen = during(result, until_s)
    quaternion[chosen, row] = rotations.multiply(turn, quaternion[chosen, row])
    return replace(result, joint_quaternion_world=quaternion)


def legs_in_each_other(result: Result, source: bool = False) -> Result:
    names = result.body_name.tolist()
    left, right = ([names.index(part) for part in leg] for leg in (LEFT_LEG, RIGHT_LEG))
    across = result.body_com[0, right] - result.body_com[0, left]
    return shifted(result, LEFT_LEG, across, source)


def only(problems: tuple[MotionProblem, ...], kind: str) -> MotionProblem:
    (found,) = [problem for problem in problems if problem.kind == kind]
    assert found.start_s == pytest.approx(FROM_S, abs=0.011)
    return found


def test_a_person_that_stands_has_no_visible_fault(stood: Result) -> None:
    assert visible_faults(stood) == ()
    assert fault_sentences(stood) == ()


def test_legs_in_each_other_are_found_with_their_frames(stood: Result) -> None:
    found = only(visible_faults(legs_in_each_other(stood)), LEGS)
    assert found.end_s == pytest.approx(TO_S, abs=0.011)
    assert found.value > 95.0, "the axes coincide"
    assert found.text.startswith("the legs pass through each other")


def test_what_the_source_does_itself_is_no_fault(stood: Result) -> None:
    problems = visible_faults(legs_in_each_other(stood, source=True))
    assert not [problem for problem in problems if problem.kind == LEGS]


def test_a_hand_in_the_head_is_found(stood: Result) -> None:
    names = stood.body_name.tolist()
    hand, head = names.index("hand.R"), names.index("head")
    into = stood.body_com[0, head] - stood.body_com[0, hand]
    found = only(visible_faults(shifted(stood, ("hand.R",), into)), HANDS)
    assert "the right hand is inside the head" in found.text


def test_a_path_that_leaves_the_source_is_found_by_the_height_of_the_body(stood: Result) -> None:
    everything = tuple(stood.body_name.tolist())
    limit = DRIFT_SHARE * stood.meta.character.height
    found = only(visible_faults(shifted(stood, everything, np.array([limit + 0.1, 0.0, 0.0]))), DRIFT)
    assert found.value == pytest.approx(100.0 * (limit + 0.1), abs=1.0)
    assert visible_faults(shifted(stood, everything, np.array([limit - 0.02, 0.0, 0.0]))) == ()
    assert visible_faults(shifted(stood, everything, np.array([0.0, 0.0, 1.0]))) == (), "a slope is no drift"


def test_a_joint_counts_when_it_is_far_off_for_long(stood: Result) -> None:
    found = only(visible_faults(turned(stood, "hand.L", 40.0, until_s=0.6)), JOINT)
    assert found.text == "the left wrist is 40 deg from the source"
    assert visible_faults(turned(stood, "hand.L", 40.0, until_s=0.45)) == (), "0.15 s"
    assert visible_faults(turned(stood, "hand.L", 24.0, until_s=0.6)) == ()


def test_a_repaired_joint_is_not_compared_with_what_no_body_can_do(stood: Result) -> None:
    bone = str(stood.joint_name[stood.body_name.tolist().index("hand.L")])
    repair = JointRepair(bone, 10, 100, 0.0, 90.0, 90.0, False)
    repaired = replace(stood, meta=replace(stood.meta, repairs=(repair,)))
    assert visible_faults(turned(repaired, "hand.L", 40.0, until_s=0.6)) == ()


def test_a_push_may_take_a_body_from_its_path(stood: Result) -> None:
    push = PushRecord("chest", (100.0, 0.0, 0.0), 0.2, 0.1)
    pushed = replace(stood, meta=replace(stood.meta, pushes=(push,)))
    everything = tuple(stood.body_name.tolist())
    assert visible_faults(shifted(pushed, everything, np.array([0.5, 0.0, 0.0]))) == ()


def test_visible_faults_come_first_and_are_told_with_frames(stood: Result) -> None:
    slipping = replace(legs_in_each_other(stood), foot_slip=np.full_like(stood.foot_slip, 5.0))
    report = make_report(slipping)
    assert report.after is not None
    kinds = [problem.kind for problem in report.after.problems]
    assert kinds[0] == LEGS and "slide" in kinds
    assert report.after.problems[kinds.index("slide")].severity > report.after.problems[0].severity
    assert report.after.worst_frames[0].problems[0].kind == LEGS
    sentence = fault_sentences(with_report(slipping))[0]
    assert sentence.startswith("From 0.30 to 0.7")
    told = for_blender(sentence, lambda time_s: round(100.0 * time_s))
    assert told.startswith("From frame 30 to 7") and "legs pass through each other" in told
