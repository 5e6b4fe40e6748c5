"""Captures in sequence and in NLA strips are read as single actions are: rest pose left out, own rate."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import PreparedBake, prepare_bakes
from heft.addon.bake.bake_options import participants_of
from heft.addon.blender.steps import run_all

from tests.blender.rigs import import_bvh

pytestmark = pytest.mark.usefixtures("heft_registered")

CAPTURED_HZ, SCENE_HZ = 120.0, 24.0
MOST_DROPPED_S = 2.0 * 0.8
"""What a transition may drop of both its motions (docs/sequence.md)."""


@pytest.fixture
def walker(shared_data: Path) -> Object:
    """A walk with a T-pose in front as the importer makes it: 30 m tall, at 24 frames a second."""
    obj = import_bvh(shared_data / "bvh" / "cmu" / "02_01.bvh", 1.0)
    obj.animation_data.action.name = "walk"
    return obj


def use_sequence(obj: Object, *actions: str) -> None:
    obj.heft.source_mode = "SEQUENCE"
    for action in actions:
        assert bpy.ops.heft.clip_add(action=action) == {"FINISHED"}


def read() -> PreparedBake:
    return run_all(prepare_bakes(bpy.context, participants_of(bpy.context)))[0]


def widest_reach(prepared: PreparedBake) -> float:
    """The largest distance of the hands, as a share of the body's height; over 0.75 in a T-pose."""
    motion, index = prepared.sampled.motion, prepared.sampled.skeleton.index
    apart = motion.position_world[:, index["LeftHand"]] - motion.position_world[:, index["RightHand"]]
    return float(np.linalg.norm(apart, axis=1).max()) / prepared.found.pace.height_m


def test_each_capture_loses_its_rest_pose_and_a_short_one_has_the_rate_of_the_others(walker: Object) -> None:
    use_sequence(walker, "walk", "walk")
    short_frames = 60
    walker.heft.sequence[1].frame_end = short_frames
    prepared = read()
    assert prepared.sampled.fps == pytest.approx(CAPTURED_HZ)
    assert prepared.found.rest_frames == 2 and prepared.sampled.frame[0] == 2
    assert widest_reach(prepared) < 0.7
    whole_s = (walker.heft.sequence[0].frame_end - 2 + short_frames - 2) / CAPTURED_HZ
    assert whole_s - MOST_DROPPED_S < prepared.sampled.motion.duration < whole_s
    told = " ".join(prepared.notes)
    assert "'walk': The first frame is a rest pose" in told and "'walk': Read at 120 frames" in told


def test_the_rest_pose_of_a_sequence_can_be_kept(walker: Object) -> None:
    use_sequence(walker, "walk", "walk")
    for row in walker.heft.sequence:
        row.frame_end = 60
    walker.heft_reading.keep_rest_frames = True
    prepared = read()
    assert prepared.found.rest_frames == 0 and prepared.sampled.frame[0] == 1
    assert widest_reach(prepared) > 0.75


def test_a_capture_after_keys_by_hand_plays_at_its_own_rate(walker: Object) -> None:
    walk_frames = walker.animation_data.action.frame_range[1]
    keyed = bpy.data.actions.new("keyed")
    walker.animation_data.action = keyed
    for frame, angle in ((1, 0.0), (24, 0.3), (49, 0.0)):
        walker.pose.bones["Head"].rotation_euler.x = angle
        walker.pose.bones["Head"].keyframe_insert("rotation_euler", frame=frame)
    use_sequence(walker, "keyed", "walk")
    prepared = read()
    whole_s = 48 / SCENE_HZ + (walk_frames - 2) / CAPTURED_HZ
    assert prepared.sampled.fps == pytest.approx(SCENE_HZ), "the frames are those of the first action"
    assert whole_s - MOST_DROPPED_S < prepared.sampled.motion.duration < whole_s
    assert prepared.found.rest_frames == 1


def test_a_capture_in_the_nla_is_read_as_the_action_is(walker: Object) -> None:
    animation = walker.animation_data
    animation.nla_tracks.new().strips.new("walk", 11, animation.action)
    animation.action = None
    prepared = read()
    assert prepared.sampled.fps == pytest.approx(CAPTURED_HZ)
    assert prepared.found.rest_frames == 1 and prepared.sampled.frame[0] == 12
