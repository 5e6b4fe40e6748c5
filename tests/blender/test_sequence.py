"""Several actions as one bake: each is read on its own, the result is one new action, all else stays."""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from heft.addon.bake.bake_job import PreparedBake, prepare_bakes
from heft.addon.bake.bake_options import Participant, options_of
from heft.addon.blender import compat
from heft.addon.blender.steps import run_all
from heft.sim_core.base import rotations
from heft.sim_core.base.errors import InputError

from tests.blender.at_once import read_motion, read_world_poses
from tests.blender.rigs import LAST_FRAME, animate, fingerprint, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")


def with_actions(carrier: str | None = "Hips", root_bone: bool = False) -> tuple[Object, Action, Action]:
    """A humanoid with two actions, the second of which is its present one."""
    obj = humanoid(root_bone)
    bpy.ops.object.mode_set(mode="EDIT")
    finger = obj.data.edit_bones.new("Ring")
    hand = obj.data.edit_bones["Hand.L"]
    finger.head, finger.tail, finger.parent = hand.tail, hand.tail + hand.vector, hand
    bpy.ops.object.mode_set(mode="OBJECT")
    animate(obj, carrier)
    first = obj.animation_data.action
    first.name, first.use_fake_user = "walk", True
    obj.animation_data.action = None
    animate(obj, carrier, "QUATERNION")
    second = obj.animation_data.action
    second.name = "stroll"
    for curve in compat.curves_of(compat.action_of(obj)):
        if curve.data_path.endswith("rotation_quaternion") and curve.array_index:
            for key in curve.keyframe_points:
                key.co.y *= 0.8
            curve.update()
    return obj, first, second


def use_sequence(obj: Object, *names: str) -> None:
    obj.heft.source_mode = "SEQUENCE"
    for name in names:
        assert bpy.ops.heft.clip_add(action=name) == {"FINISHED"}


def read(obj: Object) -> PreparedBake:
    alone = Participant(obj, options_of(bpy.context, obj, simulate=False))
    return run_all(prepare_bakes(bpy.context, [alone]))[0]


@pytest.mark.parametrize("carrier", ["Hips", "Root", "object"])
def test_two_actions_become_one_and_all_else_stays(carrier: str) -> None:
    obj, walk, _ = with_actions(carrier, root_bone=carrier == "Root")
    obj.animation_data.nla_tracks.new().strips.new("walk", 40, walk)
    bpy.context.scene.frame_set(7)
    use_sequence(obj, "walk", "stroll", "walk")
    before, tracks = fingerprint(obj), len(obj.animation_data.nla_tracks)
    prepared = read(obj)
    assert fingerprint(obj) == before
    assert bpy.ops.heft.simulate(simulate=False) == {"FINISHED"}
    assert obj.animation_data.action.name == "walk_to_walk_heft"
    assert fingerprint(obj, skip_actions=("walk_to_walk_heft",)) == before
    assert len(obj.animation_data.nla_tracks) == tracks
    sampled = prepared.sampled
    assert LAST_FRAME < len(sampled.frame) < 3 * LAST_FRAME
    position, quaternion = read_world_poses(bpy.context, obj, sampled.frame, sampled.skeleton)
    # Every bone, also those that are not simulated.
    wanted = sampled.motion.quaternion_world[sampled.frame_sample]
    assert np.degrees(rotations.angle_between(quaternion, wanted).max()) < 0.1
    assert np.abs(position - sampled.motion.position_world[sampled.frame_sample]).max() < 1e-3
    assert sum("goes over into" in note.text for note in obj.heft.outcome.notes) == 2
    bpy.ops.heft.toggle_source()
    assert obj.animation_data.action.name == "stroll"


def test_the_first_action_is_where_it_was() -> None:
    obj, walk, stroll = with_actions()
    use_sequence(obj, "walk", "stroll")
    chained = read(obj).sampled
    obj.animation_data.action = walk
    alone = read_motion(bpy.context, obj, 1, LAST_FRAME)
    untouched = 3  # later ones may already be on their way to the blend
    np.testing.assert_allclose(
        chained.motion.position_world[chained.frame_sample[:untouched]],
        alone.motion.position_world[alone.frame_sample[:untouched]],
        atol=1e-5,
    )


def test_nla_strips_fill_the_list_and_blender_plays_them() -> None:
    obj, walk, stroll = with_actions()
    animation = obj.animation_data
    late, early = animation.nla_tracks.new(), animation.nla_tracks.new()
    second = late.strips.new("stroll", 200, stroll)
    first = early.strips.new("walk", 10, walk)
    first.repeat, first.scale, first.action_frame_end = 2.0, 1.5, 13.0
    early.strips.new("muted", 150, walk).mute = True
    animation.action = None
    alone = read_motion(bpy.context, obj, int(first.frame_start), int(first.frame_end))
    before = fingerprint(obj)
    assert bpy.ops.heft.clips_from_nla() == {"FINISHED"}
    rows = obj.heft.sequence
    assert [row.action.name for row in rows] == ["walk", "stroll"]
    assert (rows[0].repeat, rows[0].scale, rows[0].frame_end) == (2.0, 1.5, 13.0)
    assert second.frame_start == 200
    obj.heft.source_mode = "SEQUENCE"
    bpy.ops.heft.clip_remove()
    sampled = read(obj).sampled
    assert fingerprint(obj) == before
    assert len(sampled.frame) == len(alone.frame) == 1 + 2 * 12 * 1.5
    np.testing.assert_allclose(sampled.motion.position_world, alone.motion.position_world, atol=1e-5)


def test_stopping_puts_everything_back() -> None:
    obj, _, _ = with_actions()
    obj.animation_data.nla_tracks.new().is_solo = True
    use_sequence(obj, "walk", "stroll")
    bpy.context.scene.frame_set(5)
    pose = [tuple(bone.matrix_basis.to_quaternion()) for bone in obj.pose.bones]
    before = fingerprint(obj)
    reading = prepare_bakes(bpy.context, [Participant(obj, options_of(bpy.context, obj))])
    for _ in range(30):
        next(reading)
    reading.close()
    assert fingerprint(obj) == before
    assert obj.animation_data.action.name == "stroll"
    assert [track.is_solo for track in obj.animation_data.nla_tracks] == [True]
    np.testing.assert_allclose(
        [tuple(b.matrix_basis.to_quaternion()) for b in obj.pose.bones], pose, atol=1e-6
    )


def test_rows_are_moved_and_removed() -> None:
    obj, _, _ = with_actions()
    use_sequence(obj, "walk", "stroll")
    bpy.ops.heft.clip_move(direction="UP")
    assert [row.action.name for row in obj.heft.sequence] == ["stroll", "walk"]
    assert bpy.ops.heft.clip_move(direction="UP") == {"CANCELLED"}
    bpy.ops.heft.clip_remove()
    assert [row.action.name for row in obj.heft.sequence] == ["walk"]
    bpy.ops.heft.clip_remove()
    assert not bpy.ops.heft.clip_remove.poll()
    assert not bpy.ops.heft.simulate.poll()


def without_action(obj: Object) -> None:
    obj.heft.sequence[0].action = None


def no_frames(obj: Object) -> None:
    obj.heft.sequence[0].frame_end = obj.heft.sequence[0].frame_start


def without_keys(obj: Object) -> None:
    obj.heft.sequence[1].action = bpy.data.actions.new("empty")


def turning(obj: Object) -> None:
    for frame, angle in ((1, 0.0), (LAST_FRAME, math.pi)):
        obj.rotation_euler.z = angle
        obj.keyframe_insert("rotation_euler", frame=frame)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without_action, "has no action"),
        (no_frames, "hold no motion"),
        (without_keys, "holds no keys"),
        (turning, "turn or scale 'Figure' itself"),
    ],
)
def test_bad_lists_are_one_sentence_and_change_nothing(spoil: Callable[[Object], None], words: str) -> None:
    obj, _, _ = with_actions()
    use_sequence(obj, "walk", "stroll")
    spoil(obj)
    before, actions = fingerprint(obj), len(bpy.data.actions)
    with pytest.raises(InputError, match=words) as caught:
        read(obj)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
    assert fingerprint(obj) == before and len(bpy.data.actions) == actions
