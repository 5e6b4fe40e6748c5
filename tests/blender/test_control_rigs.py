"""Bakes onto control rigs: the controls get keys, and the bones that follow them arrive."""

from __future__ import annotations

from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.compare import show_source
from heft.addon.blender import compat
from heft.addon.blender.steps import run_all
from heft.addon.reading.motion_reader import SampledMotion
from heft.addon.reading.rig_reader import read_skeleton
from heft.addon.writing.bake_writer import WrittenBake, writing_bake
from heft.addon.writing.baked_bones import BakedBones
from heft.addon.writing.few_keys import KeyChoice
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base import rotations
from heft.sim_core.keys.key_limits import KeyLimits
from heft.sim_core.scenario.settings import BakeSettings

from sim_core.motion.bvh_writer import write_bvh
from tests.blender.at_once import read_world_poses, write_bake
from tests.blender.control_rigs import (
    LAST,
    as_baked,
    curve_values,
    hand_made,
    move_hand_made,
    move_rigify,
    read,
    switch_rigify,
)
from tests.blender.rigs import animate, fingerprint, humanoid, pass_through, prepare
from tests.core.sample_motions import walk
from tests.core.sample_people import person

pytestmark = pytest.mark.usefixtures("heft_registered")

FK_DEG, FK_M = 0.5, 2e-3
# Rigify's IK bones give way along their length by a few per cent, so knees and elbows do not meet exactly.
IK_DEG, IK_END_M = 4.0, 2e-3
LIMITS = KeyLimits(degrees=1.0, millimetres=5.0)
SECONDS, FPS = 1.2, 30
ENDS = ("ORG-foot.L", "ORG-foot.R", "ORG-hand.L", "ORG-hand.R")


def differences(rig: Object, wanted: SampledMotion, names: tuple[str, ...]) -> tuple[float, float]:
    """Worst over all frames between a rig now and a motion that was read: [deg], [m]."""
    position, quaternion = read_world_poses(bpy.context, rig, wanted.frame, wanted.skeleton)
    bones, whole = [wanted.skeleton.index[name] for name in names], wanted.frame_sample
    angle = rotations.angle_between(quaternion[:, bones], wanted.motion.quaternion_world[whole][:, bones])
    distance = position[:, bones] - wanted.motion.position_world[whole][:, bones]
    return float(np.degrees(angle.max())), float(np.linalg.norm(distance, axis=-1).max())


def bake_other(
    rig: Object, source: Object, wanted: SampledMotion, keys: KeyChoice | None = None
) -> WrittenBake:
    """Write a motion that was read before onto a rig that shows another one."""
    rig.animation_data.action = source
    bpy.context.scene.frame_set(1)
    sampled = read(rig)
    return write_bake(bpy.context, rig, sampled, as_baked(rig, wanted), "baked", keys)


def curves_of_bone(rig: Object, name: str) -> list[bpy.types.FCurve]:
    curves = compat.curves_of(compat.action_of(rig))
    return [curve for curve in curves if curve.data_path.startswith(f'pose.bones["{name}"]')]


def deform_bones(rig: Object) -> tuple[str, ...]:
    return tuple(bone.name for bone in rig.data.bones if bone.use_deform)


@pytest.mark.parametrize("mode", ["QUATERNION", "YXZ"])
def test_fk_controls_bring_all_deform_bones_to_another_motion(rigify: Object, mode: str) -> None:
    switch_rigify(rigify, ik=False)
    move_rigify(rigify, phase=0.0, mode=mode)
    source = rigify.animation_data.action
    move_rigify(rigify, phase=1.5, turn=1.2, mode=mode)
    wanted = read(rigify)
    rigify.animation_data.action = source
    assert differences(rigify, wanted, deform_bones(rigify))[0] > 20.0
    before = fingerprint(rigify)
    written = bake_other(rigify, source, wanted)
    angle, distance = differences(rigify, wanted, deform_bones(rigify))
    assert angle < FK_DEG
    assert distance < FK_M
    assert not any("miss" in note for note in written.notes)
    assert fingerprint(rigify, skip_actions=(written.action.name,)) == before
    paths = {curve.data_path for curve in compat.curves_of(compat.action_of(rigify))}
    assert not any("DEF-" in path or "ORG-" in path or "MCH-" in path for path in paths)
    for name in ("thigh_fk.L", "forearm_fk.R"):
        channel = "rotation_quaternion" if mode == "QUATERNION" else "rotation_euler"
        for values in curve_values(rigify, f'pose.bones["{name}"].{channel}'):
            assert len(values) == LAST
            assert np.abs(np.diff(values)).max() < 1.0


@pytest.mark.parametrize("pole", [False, True])
def test_ik_controls_reach_a_motion_of_fk(rigify: Object, pole: bool) -> None:
    switch_rigify(rigify, ik=False, pole=pole)
    move_rigify(rigify, phase=0.0)
    source = rigify.animation_data.action
    move_rigify(rigify, phase=1.5, turn=0.5)
    wanted = read(rigify)
    rigify.heft_controls.limbs = "IK"
    bake_other(rigify, source, wanted)
    assert curve_values(rigify, 'pose.bones["thigh_parent.L"]["IK_FK"]') == [[0.0]]
    angle, distance = differences(rigify, wanted, ENDS)
    assert angle < FK_DEG
    assert distance < IK_END_M
    limbs = tuple(f"ORG-{part}.{s}" for part in ("thigh", "shin", "upper_arm", "forearm") for s in "LR")
    assert differences(rigify, wanted, limbs)[0] < IK_DEG


def test_fk_controls_follow_a_source_of_ik(rigify: Object) -> None:
    switch_rigify(rigify, ik=True)
    move_rigify(rigify, phase=0.0)
    wanted = read(rigify)
    rigify.heft_controls.limbs = "FK"
    bake_other(rigify, rigify.animation_data.action, wanted)
    assert curve_values(rigify, 'pose.bones["upper_arm_parent.R"]["IK_FK"]') == [[1.0]]
    names = tuple(name for name in as_baked(rigify, wanted).names)
    assert differences(rigify, wanted, names)[0] < FK_DEG


@pytest.mark.parametrize("ik", [False, True])
def test_a_source_passes_through_as_its_switch_stands(rigify: Object, ik: bool) -> None:
    switch_rigify(rigify, ik=ik)
    move_rigify(rigify, phase=0.0)
    source, wanted = rigify.animation_data.action, read(rigify)
    before = fingerprint(rigify)
    _, report = pass_through(bpy.context, rigify)
    angle, distance = differences(rigify, wanted, deform_bones(rigify))
    assert angle < FK_DEG
    assert distance < FK_M
    assert fingerprint(rigify, skip_actions=(report.action_name,)) == before
    keyed = {curve.data_path for curve in compat.curves_of(compat.action_of(rigify))}
    assert not any("IK_FK" in path for path in keyed)
    assert show_source(rigify) == source.name
    assert rigify.animation_data.action == source


def test_back_to_source_shows_the_source_though_it_keys_less(rigify: Object) -> None:
    switch_rigify(rigify, ik=False)
    rigify.animation_data_create().action = None
    rigify.pose.bones["torso"].keyframe_insert("location", frame=1)
    rigify.pose.bones["torso"].location = (0.0, -0.2, 0.0)
    rigify.pose.bones["torso"].keyframe_insert("location", frame=LAST)
    before = read(rigify)
    rigify.heft_controls.limbs = "IK"
    pass_through(bpy.context, rigify, LAST)
    show_source(rigify)
    everything = tuple(bone.name for bone in rigify.data.bones)
    angle, distance = differences(rigify, before, everything)
    assert angle < 1e-2
    assert distance < 1e-5
    assert rigify.pose.bones["thigh_parent.L"]["IK_FK"] == 1.0


def test_a_simulated_motion_arrives_on_the_controls(rigify: Object) -> None:
    switch_rigify(rigify, ik=False)
    move_rigify(rigify, phase=0.0)
    settings = BakeSettings(quality="draft", assist_cap=300.0)
    prepared = prepare(bpy.context, rigify, settings)
    result = bake(prepared.job)
    baked = BakedBones.from_result(result, prepared.sampled)
    write_bake(bpy.context, rigify, prepared.sampled, baked, "simulated")
    names = [name for name in baked.names if name.startswith("ORG-")]
    column = [baked.names.index(name) for name in names]
    bones = [prepared.sampled.skeleton.index[name] for name in names]
    frames = prepared.sampled.frame
    _, quaternion = read_world_poses(bpy.context, rigify, frames, prepared.sampled.skeleton)
    angle = rotations.angle_between(quaternion[:, bones], baked.quaternion_world[:, column])
    assert np.degrees(angle.max()) < FK_DEG


def test_locked_controls_are_named(rigify: Object) -> None:
    switch_rigify(rigify, ik=False)
    move_rigify(rigify, phase=0.0)
    source = rigify.animation_data.action
    move_rigify(rigify, phase=1.5)
    wanted = read(rigify)
    rigify.pose.bones["shin_fk.L"].lock_rotation = (True, True, True)
    written = bake_other(rigify, source, wanted)
    (note_text,) = [note for note in written.notes if "miss" in note]
    assert "'ORG-shin.L'" in note_text
    assert "'shin_fk.L' are locked" in note_text
    assert "MCH" not in note_text
    paths = {curve.data_path: curve for curve in compat.curves_of(compat.action_of(rigify))}
    assert len(paths['pose.bones["shin_fk.L"].rotation_quaternion'].keyframe_points) < LAST


def test_a_bake_stopped_on_the_way_changes_nothing(rigify: Object) -> None:
    switch_rigify(rigify, ik=False)
    move_rigify(rigify, phase=0.0)
    sampled = read(rigify)
    source, before, actions = rigify.animation_data.action, fingerprint(rigify), set(bpy.data.actions)
    writing = writing_bake(bpy.context, rigify, sampled, as_baked(rigify, sampled), "baked")
    for _ in range(5):
        next(writing)
    writing.close()
    assert fingerprint(rigify) == before
    assert set(bpy.data.actions) == actions
    assert rigify.animation_data.action == source
    assert not source.use_fake_user


def assert_few_keys(rig: Object, source: Object, wanted: SampledMotion) -> WrittenBake:
    """The error against a key at every frame is within what was asked for, by Blender's own evaluation."""
    stands = np.zeros(LAST, dtype=bool)
    stands[5:12] = True
    names = as_baked(rig, wanted).names
    foot = next(name for name in names if name.endswith(("oot.L", "oot.L.001")))
    bake_other(rig, source, wanted)
    every = read(rig)
    written = bake_other(rig, source, wanted, KeyChoice(LIMITS, {foot: stands}))
    assert written.keys is not None
    angle, distance = differences(rig, every, names)
    assert angle == pytest.approx(written.keys.degrees, abs=1e-3)
    assert 1000.0 * distance == pytest.approx(written.keys.millimetres, abs=1e-3)
    assert angle < LIMITS.degrees + 1e-3
    assert 1000.0 * distance < LIMITS.millimetres + 1e-3
    return written


@pytest.mark.parametrize("ik", [False, True])
def test_few_keys_on_controls_are_judged_by_what_the_rig_shows(rigify: Object, ik: bool) -> None:
    switch_rigify(rigify, ik=ik)
    move_rigify(rigify, phase=0.0)
    source = rigify.animation_data.action
    move_rigify(rigify, phase=1.5, turn=0.5)
    written = assert_few_keys(rigify, source, read(rigify))
    assert written.keys is not None and written.keys.share < 0.8


def test_few_keys_on_a_rig_made_by_hand() -> None:
    rig = hand_made()
    rig.rotation_euler, rig.scale = (0.0, 0.0, 0.7), (0.5, 0.5, 0.5)
    move_hand_made(rig, phase=0.0)
    source = rig.animation_data.action
    move_hand_made(rig, phase=1.5)
    written = assert_few_keys(rig, source, read(rig))
    assert written.keys is not None and written.keys.share < 0.8
    for curve in curves_of_bone(rig, "IK-Foot.L"):
        keyed = {round(key.co.x) for key in curve.keyframe_points}
        assert len(keyed) == 1 or {6, 12} <= keyed, "keys where the foot begins and ends to stand"


def test_controls_write_quaternions_with_the_signs_of_the_source() -> None:
    """Or a mix of source and result would go the long way round."""
    rig = hand_made()
    move_hand_made(rig, phase=0.0)
    for curve in compat.curves_of(compat.action_of(rig)):
        if curve.data_path.endswith("rotation_quaternion"):
            for key in curve.keyframe_points:
                key.co[1] *= -1.0
            curve.update()
    path = 'pose.bones["CTRL-Head"].rotation_quaternion'
    source = np.array([values[0] for values in curve_values(rig, path)])
    sampled = read(rig)
    write_bake(bpy.context, rig, sampled, as_baked(rig, sampled), "baked")
    written = np.array([values[0] for values in curve_values(rig, path)])
    assert written == pytest.approx(source, abs=1e-3) and written[0] < 0.0


def test_curves_of_controls_that_repeat_go_on_doing_so() -> None:
    rig = hand_made()
    move_hand_made(rig, phase=0.0)
    for curve in curves_of_bone(rig, "CTRL-Head"):
        curve.modifiers.new("CYCLES")
    sampled = read(rig)
    run_all(writing_bake(bpy.context, rig, sampled, as_baked(rig, sampled), "baked", loop=True))
    assert rig.animation_data.action.name == "baked"
    curves = curves_of_bone(rig, "CTRL-Head")
    assert curves and all([m.type for m in curve.modifiers] == ["CYCLES"] for curve in curves)


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_a_rig_made_by_hand(scale: float) -> None:
    rig = hand_made()
    rig.scale = (scale, scale, scale)
    rig.rotation_euler = (0.0, 0.0, 0.7)
    move_hand_made(rig, phase=0.0)
    source = rig.animation_data.action
    move_hand_made(rig, phase=1.5)
    wanted = read(rig)
    written = bake_other(rig, source, wanted)
    angle, distance = differences(rig, wanted, as_baked(rig, wanted).names)
    assert angle < FK_DEG
    assert distance < FK_M * scale
    assert not any("miss" in note for note in written.notes)
    keyed = {curve.data_path.split('"')[1] for curve in compat.curves_of(compat.action_of(rig))}
    assert {"CTRL-Hips", "CTRL-Head", "IK-Foot.L", "Knee.L", "CTRL-LowerArm.R"} <= keyed
    assert not {"Hips", "LowerLeg.L", "Foot.L"} & keyed


def test_bones_that_copy_another_armature_get_keys_themselves() -> None:
    leader, rig = humanoid(), humanoid()
    animate(leader)
    for bone in rig.pose.bones:
        copy = bone.constraints.new("COPY_ROTATION")
        copy.target, copy.subtarget = leader, bone.name
    sampled = read(rig)
    written = write_bake(bpy.context, rig, sampled, as_baked(rig, sampled), "baked")
    assert len(curve_values(rig, 'pose.bones["Head"].rotation_quaternion')) == 4
    assert not any("controls" in note for note in written.notes)


def test_limits_and_other_parents_are_followed_or_told() -> None:
    rig = hand_made()
    follows = rig.pose.bones["IK-Foot.L"].constraints.new("CHILD_OF")
    follows.target, follows.subtarget = rig, "CTRL-Hips"
    move_hand_made(rig, phase=0.0)
    source = rig.animation_data.action
    move_hand_made(rig, phase=1.5)
    wanted = read(rig)
    limit = rig.pose.bones["CTRL-Head"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.use_limit_y, limit.use_limit_z = "LOCAL", True, True, True
    written = bake_other(rig, source, wanted)
    others = tuple(name for name in as_baked(rig, wanted).names if name != "Head")
    angle, distance = differences(rig, wanted, others)
    assert angle < FK_DEG
    assert distance < FK_M
    (note_text,) = [note for note in written.notes if "miss" in note]
    assert note_text.startswith("'Head' miss")


@pytest.mark.parametrize("ik", [False, True])
def test_a_walk_is_retargeted_to_the_controls(rigify: Object, tmp_path: Path, ik: bool) -> None:
    """Rigify's limbs hang on other bones than its deforming spine; its feet stand still all the same."""
    write_bvh(person(walk(SECONDS).performance), tmp_path / "walk.bvh")
    bpy.context.scene.render.fps = FPS
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(tmp_path / "walk.bvh"), global_scale=0.01, use_fps_scale=True)
    source = bpy.context.object
    switch_rigify(rigify, ik)
    bpy.context.view_layer.objects.active = rigify
    rigify.heft_retarget.source = source
    assert bpy.ops.heft.retarget() == {"FINISHED"}
    note_text = rigify.heft_retarget.kinematic_figures
    assert note_text.skate_cm_s < 1.0 and note_text.legs_deg < 12.0
    curves = compat.curves_of(compat.action_of(rigify))
    keyed = {curve.data_path.split('"')[1] for curve in curves if curve.data_path.startswith("pose")}
    handles = {f"{limb}_{'ik' if ik else 'fk'}.{side}" for limb in ("foot", "hand") for side in "LR"}
    assert handles | {"torso", "root"} <= keyed
    assert not [name for name in keyed if name.startswith(("MCH-", "ORG-", "DEF-"))]
    frames = np.arange(1, round(FPS * SECONDS))
    skeleton = read_skeleton(rigify, bpy.context.scene)
    position, _ = read_world_poses(bpy.context, rigify, frames, skeleton)
    hips = position[:, skeleton.index["DEF-spine"]]
    for side in "LR":
        ankle = position[:, skeleton.index[f"ORG-foot.{side}"]]
        assert np.linalg.norm(np.ptp(ankle, axis=0)) > 0.3, "it walks"
        slow = FPS * np.linalg.norm(np.diff(ankle, axis=0), axis=1) < 0.05
        assert slow.mean() > 0.3, "it stands for a good part of the time"
        thigh = position[:, skeleton.index[f"ORG-thigh.{side}"]]
        assert np.ptp(np.linalg.norm(thigh - hips, axis=1)) < 5e-3, "legs stay on their hips"
