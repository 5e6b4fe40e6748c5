"""Few keys: Blender's own evaluation agrees, errors stay within what was asked, feet keep their stances."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from heft.addon.blender import compat
from heft.addon.reading.motion_reader import SampledMotion
from heft.addon.writing.baked_bones import BakedBones
from heft.addon.writing.few_keys import STANDING_SHARE, KeyChoice, stances_of
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base import rotations
from heft.sim_core.keys.key_limits import KeyLimits
from heft.sim_core.keys.spline import Spline
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.at_once import finish_bakes, read_world_poses, write_bake
from tests.blender.rigs import animate, humanoid, import_bvh, pass_through, prepare, worst_difference
from tests.blender.test_bake_writer import other_motion

pytestmark = pytest.mark.usefixtures("heft_registered")

LIMITS = KeyLimits(degrees=1.0, millimetres=5.0)
FIRST_ORDER_DEG, FIRST_ORDER_M = 0.03, 2e-4
"""What adding up small turns leaves out: half the square of a degree, over 1.5 m."""


def errors(obj: bpy.types.Object, sampled: SampledMotion, baked: BakedBones) -> tuple[np.ndarray, np.ndarray]:
    """Of the baked bones in the world as Blender evaluates them (F, M) [deg, m]."""
    position, quaternion = read_world_poses(bpy.context, obj, sampled.frame, sampled.skeleton)
    bones = [sampled.skeleton.index[name] for name in baked.names]
    angle = rotations.angle_between(quaternion[:, bones], baked.quaternion_world)
    return np.degrees(angle), np.linalg.norm(position[:, bones] - baked.position_world, axis=-1)


@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY", "AXIS_ANGLE"])
@pytest.mark.parametrize("carrier", ["Hips", "object"])
def test_few_keys_stay_within_limits_in_the_world(mode: str, carrier: str) -> None:
    obj = humanoid()
    animate(obj, carrier, mode)
    obj.rotation_euler, obj.scale = (0.1, 0.2, 0.9), (0.5, 0.5, 0.5)
    sampled, baked = other_motion(obj)
    written = write_bake(bpy.context, obj, sampled, baked, "new", keys=KeyChoice(LIMITS, {}))
    assert written.keys is not None
    angle, distance = errors(obj, sampled, baked)
    assert angle.max() < LIMITS.degrees + FIRST_ORDER_DEG
    assert 1000.0 * distance.max() < LIMITS.millimetres + 1000.0 * FIRST_ORDER_M
    assert angle.max() < written.keys.degrees + FIRST_ORDER_DEG
    assert distance.max() < 0.001 * written.keys.millimetres + FIRST_ORDER_M
    assert written.keys.count < 0.6 * written.keys.every_frame
    assert obj.pose.bones["Head"].rotation_mode == mode


def test_channels_of_a_bone_have_the_same_key_frames() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    write_bake(bpy.context, obj, sampled, baked, "new", keys=KeyChoice(LIMITS, {}))
    frames: dict[str, set[tuple[float, ...]]] = {}
    for curve in compat.curves_of(compat.action_of(obj)):
        keys = tuple(key.co.x for key in curve.keyframe_points)
        if len(keys) > 1:  # one key is a channel that does not change
            frames.setdefault(curve.data_path, set()).add(keys)
    assert len(frames) > 10
    assert all(len(own) == 1 for own in frames.values())


def test_stances_begin_and_end_with_keys_and_are_held_closer() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    stands = np.zeros(len(sampled.frame), dtype=bool)
    stands[4:11] = True
    write_bake(bpy.context, obj, sampled, baked, "new", keys=KeyChoice(LIMITS, {"Foot.L": stands}))
    for name in ("Foot.L", "LowerLeg.L", "UpperLeg.L", "Hips"):
        path = f'pose.bones["{name}"].rotation_quaternion'
        curve = next(c for c in compat.curves_of(compat.action_of(obj)) if c.data_path == path)
        keyed = {round(key.co.x) for key in curve.keyframe_points}
        assert {int(sampled.frame[4]), int(sampled.frame[10])} <= keyed, name
    _, distance = errors(obj, sampled, baked)
    foot = distance[stands, baked.names.index("Foot.L")]
    assert 1000.0 * foot.max() < STANDING_SHARE * LIMITS.millimetres + 1000.0 * FIRST_ORDER_M


def test_blender_evaluates_the_curves_as_the_core_does() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    write_bake(bpy.context, obj, sampled, baked, "new", keys=KeyChoice(LIMITS, {}))
    for curve in compat.curves_of(compat.action_of(obj))[:20]:
        keys = curve.keyframe_points
        if len(keys) == 1:
            continue
        frame = np.array([key.co.x for key in keys])
        value = np.array([[key.co.y] for key in keys])
        left, right = (
            np.array([[(h.y - k.co.y) / (h.x - k.co.x)] for h, k in ((getattr(k, side), k) for k in keys)])
            for side in ("handle_left", "handle_right")
        )
        width = np.diff(frame)
        before = [(k.co.x - k.handle_left.x) / w for k, w in zip(keys, [width[0], *width], strict=True)]
        after = [(k.handle_right.x - k.co.x) / w for k, w in zip(keys, [*width, width[-1]], strict=True)]
        spline = Spline(frame, value, left, right, np.array(before)[:, None], np.array(after)[:, None])
        between = np.linspace(frame[0], frame[-1], 97)
        seen = np.array([curve.evaluate(float(f)) for f in between])
        # Blender keeps floats of 24 bits.
        np.testing.assert_allclose(spline.at(between)[:, 0], seen, atol=2e-5)


@pytest.mark.usefixtures("heft_registered")
def test_a_capture_keeps_a_quarter_of_its_keys(shared_data: Path) -> None:
    obj = import_bvh(shared_data / "bvh" / "cmu" / "07_01.bvh", 0.056444)
    obj.heft_keys.mode = "FEW"
    prepared, report = pass_through(bpy.context, obj, last=150)
    keys = obj.heft_keys
    assert keys.count / keys.every_frame <= 0.25
    assert any(f"{keys.count} keys in place of {keys.every_frame}" in note for note in report.notes)
    angle, distance = worst_difference(bpy.context, obj, prepared)
    assert angle < keys.degrees + FIRST_ORDER_DEG
    assert 1000.0 * distance < keys.millimetres + 1000.0 * FIRST_ORDER_M
    obj.heft_keys.mode = "EVERY"
    pass_through(bpy.context, obj, last=150)
    assert obj.heft_keys.count == 0


@pytest.mark.usefixtures("heft_registered")
def test_feet_that_stand_do_not_slide_more(shared_data: Path) -> None:
    """By what few keys are off at two frames that follow each other, no foot moves further than allowed."""
    obj = import_bvh(shared_data / "bvh" / "cmu" / "07_01.bvh", 0.056444)
    obj.heft_keys.mode = "FEW"
    prepared = prepare(bpy.context, obj, BakeSettings(quality="draft", find_assist=False), last=60)
    result = bake(prepared.job)
    finish_bakes(bpy.context, [prepared], [result])
    sampled = prepared.sampled
    stances = stances_of(result, sampled, prepared.job.mapping)
    assert len(stances) == 2
    baked = BakedBones.from_result(result, sampled)
    _, distance = errors(obj, sampled, baked)
    for name, stands in stances.items():
        assert stands.any()
        off = 1000.0 * distance[stands, baked.names.index(name)]
        assert off.max() < STANDING_SHARE * obj.heft_keys.millimetres + 1000.0 * FIRST_ORDER_M


def all_keys(obj: bpy.types.Object) -> int:
    curves = compat.curves_of(compat.action_of(obj))
    return sum(len(curve.keyframe_points) for curve in curves)


def key_every_frame(obj: bpy.types.Object, bone: str, last: int) -> None:
    """As a capture does, of a bone that no simulation moves."""
    for frame in range(1, last + 1):
        obj.pose.bones[bone].rotation_quaternion = (1.0, 0.02 * frame, 0.0, 0.0)
        obj.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)


@pytest.mark.usefixtures("heft_registered")
def test_the_told_number_is_that_of_the_action_and_bones_that_are_not_simulated_get_few_too() -> None:
    obj = humanoid(root_bone=True)
    animate(obj, "Hips")
    key_every_frame(obj, "Root", 20)
    obj.heft_keys.mode = "FEW"
    assert bpy.ops.heft.simulate(simulate=False) == {"FINISHED"}
    keys = obj.heft_keys
    assert keys.count + keys.outside == all_keys(obj)
    root = [c for c in compat.curves_of(compat.action_of(obj)) if "Root" in c.data_path]
    assert max(len(curve.keyframe_points) for curve in root) < 10


@pytest.mark.usefixtures("heft_registered")
@pytest.mark.parametrize("mode", ["FEW", "EVERY"])
def test_outside_the_baked_frames_the_motion_stays_the_sources(mode: str) -> None:
    """Its keys are three frames apart, so that the range begins and ends between keys."""
    obj = humanoid()
    animate(obj, "Hips")
    before = shown(obj)
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 6, 12
    obj.heft_keys.mode = mode
    assert bpy.ops.heft.make_plausible() == {"FINISHED"}
    after = shown(obj)
    outside = [frame for frame in before if not 6 <= frame <= 12]
    assert max(np.abs(before[frame] - after[frame]).max() for frame in outside) < 1e-4
    assert max(np.abs(before[frame] - after[frame]).max() for frame in range(6, 13)) > 1e-3
    assert (obj.heft_keys.outside > 0) == (mode == "FEW")


def shown(obj: bpy.types.Object) -> dict[int, np.ndarray]:
    """Matrices of all bones by frame, as Blender evaluates them."""
    found = {}
    for frame in range(-1, 23):
        bpy.context.scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found[frame] = np.array([bone.matrix for bone in evaluated.pose.bones])
    return found
