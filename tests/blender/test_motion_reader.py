"""The evaluated motion is sampled as Blender shows it, and the scene stays as it was."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.reading.motion_reader import MIN_RATE_HZ, sample_motion
from heft.sim_core.base.errors import InputError

from tests.blender.at_once import read_motion
from tests.blender.rigs import LAST_FRAME, animate, fingerprint, humanoid


def walking() -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    return obj


@pytest.mark.parametrize(
    ("fps", "base", "steps"), [(24, 1.0, 3), (30, 1.001, 3), (60, 1.0, 1), (120, 1.0, 1)]
)
def test_samples_lie_between_frames_where_the_scene_is_slow(fps: int, base: float, steps: int) -> None:
    obj = walking()
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps, base
    sampled = read_motion(bpy.context, obj, 3, 10)
    assert sampled.motion.rate_hz >= MIN_RATE_HZ
    assert len(sampled.motion.time) == 7 * steps + 1
    np.testing.assert_allclose(sampled.motion.time[sampled.frame_sample], sampled.frame / (fps / base))


def test_whole_frames_hold_what_blender_evaluates() -> None:
    obj = walking()
    sampled = read_motion(bpy.context, obj, 1, LAST_FRAME)
    bpy.context.scene.frame_set(8)
    expected = np.array(obj.matrix_world @ obj.pose.bones["Foot.L"].head)
    bone = sampled.skeleton.index["Foot.L"]
    np.testing.assert_allclose(
        sampled.motion.position_world[sampled.frame_sample[7], bone], expected, atol=1e-6
    )
    np.testing.assert_allclose(
        sampled.pose_matrix[7, bone], np.array(obj.pose.bones["Foot.L"].matrix), atol=1e-6
    )


def test_constraints_and_drivers_count() -> None:
    obj = walking()
    plain = read_motion(bpy.context, obj, 1, 5)
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    driver = target.driver_add("location", 2).driver
    driver.expression = "frame * 0.1"
    constraint = obj.pose.bones["Hips"].constraints.new("COPY_LOCATION")
    constraint.target = target
    held = read_motion(bpy.context, obj, 1, 5)
    hips = held.skeleton.index["Hips"]
    heights = held.motion.position_world[held.frame_sample, hips, 2]
    np.testing.assert_allclose(heights, 0.1 * held.frame, atol=1e-5)
    assert not np.allclose(plain.motion.position_world[plain.frame_sample, hips, 2], heights)


@pytest.mark.parametrize("stop_early", [True, False])
def test_current_frame_comes_back(stop_early: bool) -> None:
    obj = walking()
    bpy.context.scene.frame_set(7, subframe=0.25)
    before = fingerprint(obj)
    sampling = sample_motion(bpy.context, obj, 1, LAST_FRAME)
    for _ in range(5):
        next(sampling)
    if stop_early:
        sampling.close()
    else:
        list(sampling)
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (7, 0.25)
    assert fingerprint(obj) == before


def test_bones_scaled_to_zero_are_named_and_do_no_harm() -> None:
    obj = walking()
    obj.pose.bones["Toes.L"].scale = (0.0, 0.0, 0.0)
    sampled = read_motion(bpy.context, obj, 1, 5)
    assert sampled.collapsed_bones == ("Toes.L",)
    assert np.isfinite(sampled.motion.quaternion_world).all()


@pytest.mark.parametrize(("start", "end"), [(5, 5), (9, 3)])
def test_short_ranges_are_refused(start: int, end: int) -> None:
    with pytest.raises(InputError, match="fewer than two frames"):
        read_motion(bpy.context, walking(), start, end)


def test_no_animation_is_refused() -> None:
    with pytest.raises(InputError, match="has no animation"):
        read_motion(bpy.context, humanoid(), 1, 10)


def test_what_blender_does_not_evaluate_is_refused() -> None:
    obj = walking()
    obj.data.pose_position = "REST"
    with pytest.raises(InputError, match="Rest Position"):
        read_motion(bpy.context, obj, 1, 10)
    obj.data.pose_position = "POSE"
    obj.hide_viewport = True
    with pytest.raises(InputError, match="hidden"):
        read_motion(bpy.context, obj, 1, 10)


def test_a_hidden_collection_is_named() -> None:
    obj, outer, inner = walking(), *(bpy.data.collections.new(name) for name in ("Outer", "Inner"))
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    for collection in obj.users_collection:
        collection.objects.unlink(obj)
    inner.objects.link(obj)
    outer.hide_viewport = True
    with pytest.raises(InputError, match="hidden with the collection 'Outer', .* show the collection"):
        read_motion(bpy.context, obj, 1, 10)
    outer.hide_viewport = False
    bpy.context.view_layer.layer_collection.children["Outer"].children["Inner"].hide_viewport = True
    with pytest.raises(InputError, match="hidden with the collection 'Inner'"):
        read_motion(bpy.context, obj, 1, 10)


def test_muted_tracks_are_told() -> None:
    obj = walking()
    action = obj.animation_data.action
    track = obj.animation_data.nla_tracks.new()
    track.strips.new("walk", 1, action)
    obj.animation_data.action, track.mute = None, True
    with pytest.raises(InputError, match="its NLA tracks are muted. Unmute one"):
        read_motion(bpy.context, obj, 1, 10)


def test_stretched_time_is_refused() -> None:
    obj, render = walking(), bpy.context.scene.render
    render.frame_map_new = 200
    with pytest.raises(InputError, match="stretches time from 100 to 200"):
        read_motion(bpy.context, obj, 1, 10)
    render.frame_map_old = 200
    assert len(read_motion(bpy.context, obj, 1, 10).motion.time) > 1


def test_changing_scale_is_refused() -> None:
    obj = walking()
    for frame, size in ((1, 1.0), (10, 2.0)):
        obj.scale = (size, size, size)
        obj.keyframe_insert("scale", frame=frame)
    with pytest.raises(InputError, match="changes its scale"):
        read_motion(bpy.context, obj, 1, 10)


def test_nan_keys_are_refused_by_bone() -> None:
    obj = walking()
    obj.pose.bones["Head"].location = (math.nan, 0.0, 0.0)
    with pytest.raises(InputError, match="Head"):
        read_motion(bpy.context, obj, 1, 5)
