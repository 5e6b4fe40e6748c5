"""New poses arrive exactly, in a new action, and nothing else changes."""

from __future__ import annotations

import time

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.blender.steps import run_all
from heft.addon.reading.motion_reader import SampledMotion
from heft.addon.writing.bake_writer import writing_bake
from heft.addon.writing.baked_bones import BakedBones
from heft.sim_core.base import rotations
from heft.sim_core.base.errors import InputError
from mathutils import Euler

from tests.blender.at_once import bones_off_target, read_motion, read_world_poses, write_bake
from tests.blender.rigs import LAST_FRAME, animate, fingerprint, humanoid, set_rotation

pytestmark = pytest.mark.usefixtures("heft_registered")

MAX_DEG = 0.01
MAX_M = 1e-4


def other_motion(obj: Object, unmapped: tuple[str, ...] = ()) -> tuple[SampledMotion, BakedBones]:
    """The object's motion, and as a target another one that the same rig can reach.

    It is made by turning all bones and moving the hips for a moment, without keys.
    """
    sampled = read_motion(bpy.context, obj, 1, LAST_FRAME)
    source = obj.animation_data.action
    source.use_fake_user = True
    obj.animation_data.action = None
    positions, quaternions = [], []
    for frame in sampled.frame:
        for number, bone in enumerate(b for b in obj.pose.bones if b.name not in unmapped):
            set_rotation(bone, Euler((0.4 * np.sin(0.3 * frame + number), -0.3, 0.02 * frame)))
        obj.pose.bones["Hips"].location = (0.3, 0.1, -0.04 * frame)
        bpy.context.view_layer.update()
        position, quaternion = read_world_poses(bpy.context, obj, np.array([frame]), sampled.skeleton)
        positions.append(position[0])
        quaternions.append(quaternion[0])
    for bone in obj.pose.bones:
        bone.location = (0.0, 0.0, 0.0)
    obj.animation_data.action = source
    source.use_fake_user = False
    bpy.context.scene.frame_set(1)
    mapped = [i for i, name in enumerate(sampled.skeleton.names) if name not in unmapped]
    names = tuple(sampled.skeleton.names[i] for i in mapped)
    detached = np.array([name == "Hips" for name in names])
    return sampled, BakedBones(
        names, np.array(positions)[:, mapped], np.array(quaternions)[:, mapped], detached
    )


def assert_arrived(obj: Object, sampled: SampledMotion, baked: BakedBones) -> None:
    position, quaternion = read_world_poses(bpy.context, obj, sampled.frame, sampled.skeleton)
    bones = [sampled.skeleton.index[name] for name in baked.names]
    angle = rotations.angle_between(quaternion[:, bones], baked.quaternion_world)
    distance = np.linalg.norm(position[:, bones] - baked.position_world, axis=-1)
    assert np.degrees(angle.max()) < MAX_DEG
    assert distance.max() < MAX_M
    assert bones_off_target(bpy.context, obj, sampled, baked) == []


def channel(obj: Object, data_path: str, frame: int) -> list[float]:
    """Values of a channel of the object's action at a frame."""
    curves = [c for c in compat.curves_of(compat.action_of(obj)) if c.data_path == data_path]
    return [c.evaluate(frame) for c in sorted(curves, key=lambda c: c.array_index)]


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE"])
def test_hips_carry_themselves(mode: str) -> None:
    obj = humanoid()
    animate(obj, "Hips", mode)
    obj.rotation_euler, obj.scale = (0.1, 0.2, 0.9), (0.5, 0.5, 0.5)
    sampled, baked = other_motion(obj)
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert_arrived(obj, sampled, baked)
    paths = {curve.data_path for curve in compat.curves_of(compat.action_of(obj))}
    assert [path for path in paths if path.endswith("location")] == ['pose.bones["Hips"].location']


def test_root_bone_takes_up_the_change_over_the_ground() -> None:
    obj = humanoid(root_bone=True)
    animate(obj, "Root")
    sampled, baked = other_motion(obj, unmapped=("Root",))
    root, hips = sampled.skeleton.index["Root"], sampled.skeleton.index["Hips"]
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert_arrived(obj, sampled, baked)
    position, _ = read_world_poses(bpy.context, obj, sampled.frame, sampled.skeleton)
    moved = position - sampled.motion.position_world[sampled.frame_sample]
    assert np.abs(moved[:, hips, :2]).max() > 0.2
    np.testing.assert_allclose(moved[:, root, :2], moved[:, hips, :2], atol=MAX_M)
    np.testing.assert_allclose(moved[:, root, 2], 0.0, atol=MAX_M)


def test_object_takes_up_the_change_over_the_ground() -> None:
    obj = humanoid()
    animate(obj, "object")
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler, parent.scale = (0.0, 0.0, 0.8), (2.0, 2.0, 2.0)
    obj.parent = parent
    sampled, baked = other_motion(obj)
    before = sampled.object_matrix[:, :3, 3]
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert_arrived(obj, sampled, baked)
    bpy.context.scene.frame_set(LAST_FRAME)
    hips = baked.position_world[-1, baked.names.index("Hips")]
    source_hips = sampled.motion.position_world[-1, sampled.skeleton.index["Hips"]]
    moved = np.array(obj.matrix_world.translation) - before[-1]
    np.testing.assert_allclose(moved[:2], (hips - source_hips)[:2], atol=MAX_M)


@pytest.mark.parametrize("root_bone", [True, False])
def test_hips_that_cannot_move_are_carried(root_bone: bool) -> None:
    obj = humanoid(root_bone=root_bone)
    animate(obj, None)
    sampled, baked = other_motion(obj, unmapped=("Root",))
    if root_bone:
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="EDIT")
        obj.data.edit_bones["Root"].tail = obj.data.edit_bones["Hips"].head
        obj.data.edit_bones["Hips"].use_connect = True
        bpy.ops.object.mode_set(mode="OBJECT")
    else:
        obj.pose.bones["Hips"].lock_location = (True, True, True)
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert_arrived(obj, sampled, baked)
    assert channel(obj, 'pose.bones["Hips"].location', 1) == []
    assert channel(obj, 'pose.bones["Root"].location' if root_bone else "location", 1)


def test_unmapped_bones_keep_their_own_animation() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    unmapped = ("Hand.L", "Spine", "LowerLeg.R")
    sampled, baked = other_motion(obj, unmapped)
    paths = [f'pose.bones["{name}"].rotation_quaternion' for name in unmapped]
    before = [channel(obj, path, 10) for path in paths]
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert [channel(obj, path, 10) for path in paths] == before
    bones = [sampled.skeleton.index[name] for name in baked.names]
    _, quaternion = read_world_poses(bpy.context, obj, sampled.frame, sampled.skeleton)
    angle = rotations.angle_between(quaternion[:, bones], baked.quaternion_world)
    assert np.degrees(angle.max()) < MAX_DEG


def test_source_and_other_slots_stay() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    source = obj.animation_data.action
    if compat.has_slots():
        source.slots.new(id_type="OBJECT", name="Somebody else")
    sampled, baked = other_motion(obj)
    before = fingerprint(obj)
    written = write_bake(bpy.context, obj, sampled, baked, "new")
    assert fingerprint(obj, skip_actions=("new",)) == before
    assert obj.animation_data.action == written.action != source
    if compat.has_slots():
        assert [slot.identifier for slot in written.action.slots] == [
            obj.animation_data.action_slot.identifier
        ]
        assert len(source.slots) == 2


def test_source_without_other_users_is_kept() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    source = obj.animation_data.action
    sampled, baked = other_motion(obj)
    assert write_bake(bpy.context, obj, sampled, baked, "new").source_got_fake_user
    assert source.use_fake_user
    assert not write_bake(bpy.context, obj, sampled, baked, "newer").action.use_fake_user


def test_an_action_that_a_script_assigns_meanwhile_is_kept() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    writing = writing_bake(bpy.context, obj, sampled, baked, "new")
    next(writing)
    assigned = obj.animation_data.action.copy()
    obj.animation_data.action = assigned
    run_all(writing)
    assert obj.animation_data.action not in (None, assigned)
    assert assigned.use_fake_user


def test_euler_and_quaternion_keys_do_not_jump() -> None:
    obj = humanoid()
    animate(obj, "Hips", "XYZ")
    obj.pose.bones["Head"].rotation_mode = "QUATERNION"
    obj.pose.bones["Neck"].rotation_mode = "AXIS_ANGLE"
    sampled, baked = other_motion(obj)
    turns = np.linspace(0.0, 5.0 * np.pi, len(sampled.frame))
    spin = rotations.from_vector(turns[:, None] * np.array([0.3, 0.1, 0.9]))
    quaternion = rotations.multiply(spin[:, None], baked.quaternion_world)
    spinning = BakedBones(baked.names, baked.position_world, quaternion, baked.detached)
    write_bake(bpy.context, obj, sampled, spinning, "new")
    for curve in compat.curves_of(compat.action_of(obj)):
        if "rotation" in curve.data_path:
            values = [key.co.y for key in curve.keyframe_points]
            # The fastest part of the spin and of the pose together stay below this a frame.
            assert np.abs(np.diff(values)).max() < 0.7 * np.pi, curve.data_path


def test_constrained_bones_are_named() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    limit = obj.pose.bones["Head"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    limit.owner_space = "LOCAL"
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert bones_off_target(bpy.context, obj, sampled, baked) == ["Head"]


def test_a_rig_changed_in_the_meantime_is_refused_and_nothing_is_left() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    obj.data.bones["Head"].name = "Skull"
    actions = set(bpy.data.actions)
    with pytest.raises(InputError, match="changed in the meantime"):
        write_bake(bpy.context, obj, sampled, baked, "new")
    assert set(bpy.data.actions) == actions


def test_a_failure_while_writing_leaves_no_action(monkeypatch: pytest.MonkeyPatch) -> None:
    obj = humanoid()
    animate(obj, "Hips")
    sampled, baked = other_motion(obj)
    before, actions = fingerprint(obj), set(bpy.data.actions)
    monkeypatch.setattr(compat.CurveWriter, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_bake(bpy.context, obj, sampled, baked, "new")
    assert set(bpy.data.actions) == actions
    assert fingerprint(obj) == before


def long_chain(bones: int) -> Object:
    armature = bpy.data.armatures.new("Chain")
    obj = bpy.data.objects.new("Chain", armature)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for number in range(bones):
        bone = armature.edit_bones.new(f"b{number}")
        bone.head, bone.tail, bone.parent = (0, 0, 0.1 * number), (0, 0, 0.1 * number + 0.1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.pose.bones[0].keyframe_insert("rotation_quaternion", frame=1)
    return obj


def test_sixty_bones_over_six_hundred_frames_take_less_than_a_second() -> None:
    obj = long_chain(60)
    sampled = read_motion(bpy.context, obj, 1, 600)
    whole = sampled.frame_sample
    everything = BakedBones(
        sampled.skeleton.names,
        sampled.motion.position_world[whole],
        sampled.motion.quaternion_world[whole],
        np.ones(60, dtype=bool),
    )
    # Of this process, so that a busy machine does not count.
    start = time.process_time()
    write_bake(bpy.context, obj, sampled, everything, "new")
    assert time.process_time() - start < 1.0


def test_a_result_that_is_longer_than_its_source_gets_all_its_frames() -> None:
    """As that of a character that got up after a fall."""
    obj = humanoid()
    animate(obj, "Hips")
    whole, baked = other_motion(obj)
    half = whole.between(1, LAST_FRAME // 2)
    assert half.lengthened(half.motion.time) is half
    sampled = half.lengthened(whole.motion.time)
    assert np.array_equal(sampled.frame, whole.frame)
    assert np.array_equal(sampled.frame_sample, whole.frame_sample)
    write_bake(bpy.context, obj, sampled, baked, "new")
    assert_arrived(obj, sampled, baked)
    assert compat.action_of(obj).action.frame_range[1] == LAST_FRAME
