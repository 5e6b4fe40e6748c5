"""Motions retargeted between armatures: feet, targets, ground, what is kept, tables, the command."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.cli import command as cli_command
from heft.addon.reading.rig_reader import read_skeleton
from mathutils import Matrix

from sim_core.motion.bvh_writer import write_bvh
from tests.blender.at_once import read_world_poses
from tests.blender.rigs import fingerprint, humanoid, import_bvh, import_gltf
from tests.core.sample_company import handshake
from tests.core.sample_motions import walk
from tests.core.sample_people import person

pytestmark = pytest.mark.usefixtures("heft_registered")

SECONDS = 1.2


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    write_bvh(person(walk(SECONDS).performance), path)
    return path


@pytest.fixture
def walker(walk_file: Path) -> Object:
    bpy.context.scene.render.fps = 100
    return import_bvh(walk_file, 0.01)


def small(root_bone: bool = False) -> Object:
    """A humanoid of 0.7 times the size, in centimetres on an object that is scaled down; it faces -Y."""
    rig = humanoid(root_bone)
    rig.data.transform(Matrix.Scale(70.0, 4))
    rig.scale, rig.location = (0.01, 0.01, 0.01), (2.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    return rig


def retarget(target: Object, source: Object, **more: bool) -> object:
    bpy.context.view_layer.objects.active = target
    target.heft_retarget.source = source
    return bpy.ops.heft.retarget(**more)


def positions(rig: Object, bone: str) -> np.ndarray:
    """Heads of a bone at the frames of the rig's action (F, 3) [m]."""
    start, end = rig.animation_data.action.frame_range
    skeleton = read_skeleton(rig, bpy.context.scene)
    position, _ = read_world_poses(bpy.context, rig, np.arange(int(start), int(end) + 1), skeleton)
    return position[:, skeleton.index[bone]]


@pytest.mark.parametrize("root_bone", [False, True])
def test_a_small_body_walks_with_feet_that_stay(walker: Object, root_bone: bool) -> None:
    target = small(root_bone)
    if root_bone:  # left elsewhere by something that has no keys
        target.pose.bones["Root"].location = (30.0, 0.0, 0.0)
    target.keyframe_insert("location", frame=1)
    old, before = target.animation_data.action, fingerprint(walker)
    assert retarget(target, walker) == {"FINISHED"}
    new = target.animation_data.action
    assert new != old and old.use_fake_user and old.name in bpy.data.actions
    assert fingerprint(walker, skip_actions=(new.name,)) == before
    assert new.frame_range[1] - new.frame_range[0] == pytest.approx(100 * SECONDS, abs=2)
    hips, source = positions(target, "Hips"), positions(walker, "hips")
    ratio = target.heft_retarget.leg_ratio
    assert ratio == pytest.approx(0.69, abs=0.05)
    assert np.ptp(hips[:, 0]) == pytest.approx(ratio * np.ptp(source[:, 0]), rel=0.05)
    for side in "LR":
        foot = positions(target, f"Foot.{side}")
        speed = 100.0 * np.linalg.norm(np.gradient(foot, axis=0), axis=1)
        assert np.mean(speed < 0.02) > 0.4, "it stands for most of the time, at rest to 2 cm/s"
        assert foot[:, 2].min() > 0.03, "ankles are above the ground"
    outcome = target.heft_retarget
    assert outcome.present and outcome.action == new and outcome.kinematic_figures.skate_cm_s < 1.0


def test_a_hand_is_at_its_empty_and_feet_are_on_the_ground_of_the_scene(walker: Object) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.1))
    bpy.context.object.scale = (20.0, 20.0, 0.2)
    bpy.context.object.heft_object.role = "GROUND"
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    handle.location = (0.25, -0.25, 1.0)
    target = small()
    row = target.heft_retarget.reaches.add()
    row.limb, row.target, row.frame_start, row.frame_end = "hand.R", handle, 50, 70
    assert retarget(target, walker) == {"FINISHED"}
    ankles = np.concatenate([positions(target, f"Foot.{side}")[:, 2] for side in "LR"])
    assert 0.2 + 0.03 < ankles.min() < 0.2 + 0.09
    start = int(target.animation_data.action.frame_range[0])
    away = np.linalg.norm(
        positions(target, "Hand.R")[55 - start : 65 - start] - np.array(handle.location), axis=1
    )
    assert away.max() < 0.12, "the palm is at the Empty, the wrist a part of a hand away"


def test_one_job_retargets_and_simulates(walker: Object) -> None:
    target = small()
    target.heft.quality, walker.heft.range_mode, walker.heft.frame_end = "draft", "CUSTOM", 50
    assert retarget(target, walker, simulate=True) == {"FINISHED"}
    outcome = target.heft_retarget
    assert outcome.simulated and target.animation_data.action == outcome.simulated_action
    assert outcome.action != outcome.simulated_action and target.heft.source_action == outcome.action
    assert 0.0 < outcome.joint_error_deg < 15.0
    assert outcome.simulated_figures.legs_deg > 0.0
    assert bpy.ops.heft.toggle_source() == {"FINISHED"}
    assert target.animation_data.action == outcome.action


def test_an_earlier_retargeting_is_replaced_unless_it_may_matter(walker: Object) -> None:
    target = small()
    walker.heft.range_mode, walker.heft.frame_end = "CUSTOM", 10
    retarget(target, walker)
    name = target.animation_data.action.name
    retarget(target, walker)
    assert target.animation_data.action.name == name == target.heft_retarget.action.name
    assert f"{name}.001" not in bpy.data.actions, "an unchanged one is replaced"
    changed = target.animation_data.action
    compat.curves_of(compat.action_of(target))[0].keyframe_points[0].co[1] += 0.1
    retarget(target, walker)
    assert target.animation_data.action != changed and changed.use_fake_user, "a changed one is kept"
    assert any(changed.name in note.text for note in target.heft_retarget.notes)
    walk = target.animation_data.action
    walker.animation_data.action.name = "other"
    retarget(target, walker)
    assert target.animation_data.action.name == "other_retarget" and walk.use_fake_user


def test_selected_armatures_with_sources_shake_hands_together(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = 60
    company = handshake()
    sources, targets = [], []
    for number, (_, motion) in enumerate(company.people):
        write_bvh(motion, tmp_path / f"{number}.bvh")
        sources.append(import_bvh(tmp_path / f"{number}.bvh", 0.01))
        targets.append(small())
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in (*targets, sources[0]))
    targets[1].heft_retarget.source = sources[1]
    before = [fingerprint(source) for source in sources]
    assert retarget(targets[0], sources[0]) == {"FINISHED"}
    new = [target.animation_data.action for target in targets]
    names = tuple(action.name for action in new)
    assert [fingerprint(source, skip_actions=names) for source in sources] == before
    assert [target.heft_retarget.action for target in targets] == new and new[0] != new[1]
    wrists = [positions(target, "Hand.R") for target in targets]
    source = [positions(obj, "hand.R") for obj in sources]
    count = min(map(len, (*wrists, *source)))
    apart, source_apart = (
        np.linalg.norm(one[:count] - other[:count], axis=1)[company.held] for one, other in (wrists, source)
    )
    # Palms meet, and hands are smaller; alone, these wrists would be half a metre apart.
    assert np.abs(apart - 0.7 * source_apart).max() < 0.06


def test_what_cannot_be_used_is_told_with_bones_and_changes_nothing(walker: Object) -> None:
    target = small()
    before, actions = fingerprint(walker), len(bpy.data.actions)
    bpy.context.view_layer.objects.active = target
    assert not bpy.ops.heft.retarget.poll(), "no source is chosen"
    bpy.ops.heft.recognise()
    next(row for row in target.data.heft.rows if row.slot == "shin.L").bone = ""
    with pytest.raises(RuntimeError, match="bones of the target: No bone is assigned to shin.L"):
        retarget(target, walker)
    assert fingerprint(walker) == before and len(bpy.data.actions) == actions


def test_tables_of_bones_are_saved_loaded_and_removed(walker: Object) -> None:
    target = small()
    bpy.ops.heft.recognise()
    rows = [(row.slot, row.bone) for row in target.data.heft.rows]
    name = f"test {id(target)}"
    assert bpy.ops.heft.save_bones(name=name) == {"FINISHED"}
    key = "own:" + bpy.path.clean_name(name)
    bpy.ops.heft.clear_mapping()
    try:
        assert bpy.ops.heft.load_bones(preset=key) == {"FINISHED"}
        assert [(row.slot, row.bone) for row in target.data.heft.rows] == rows
        with pytest.raises(RuntimeError, match="is not in the rig"):
            bpy.ops.heft.load_bones(preset=key, armature=walker.name)
        with pytest.raises(RuntimeError, match="no bones of the family 'Mixamo'"):
            bpy.ops.heft.load_bones(preset="Mixamo")
        assert [(row.slot, row.bone) for row in target.data.heft.rows] == rows
    finally:
        assert bpy.ops.heft.remove_bones(preset=key) == {"FINISHED"}
    assert bpy.ops.heft.recognise(armature=walker.name) == {"FINISHED"}
    assert any(row.bone for row in walker.data.heft.rows)


def test_the_command_puts_a_file_on_a_character(
    walk_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    small()
    target, out = tmp_path / "kid.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(target))
    words = ["retarget", str(walk_file), str(target), "--out", str(out), "--unit", "0.01", "--json"]
    assert cli_command.run(words) == 0
    outcome = json.loads(capfd.readouterr().out.strip().splitlines()[-1])
    assert outcome["skate_cm_s"] < 1.0 and outcome["action"] == "walk_retarget"
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert bpy.data.objects["Figure"].animation_data.action.name == "walk_retarget"
    assert cli_command.run([*words[:4], str(target), "--unit", "0.01"]) == 2
    assert cli_command.run([*words[:4], str(tmp_path / "out.bvh")]) == 2


@pytest.mark.parametrize("name", ["KayKit_Knight", "CesiumMan"])
def test_characters_of_files_take_the_walk_over(walk_file: Path, shared_data: Path, name: str) -> None:
    bpy.context.scene.render.fps = 100
    target = import_gltf(shared_data / "characters" / f"{name}.glb")
    bpy.context.scene.render.fps = 100
    for obj in list(bpy.data.objects):
        if obj != target and obj.type == "ARMATURE":
            bpy.data.objects.remove(obj)
    known = set(bpy.data.objects)
    import_bvh_beside(walk_file)
    (source,) = set(bpy.data.objects) - known
    assert retarget(target, source) == {"FINISHED"}
    outcome = target.heft_retarget
    assert outcome.kinematic_figures.skate_cm_s < 1.0 and outcome.kinematic_figures.penetration_max_cm < 1.0
    assert not any("from following" in note.text for note in outcome.notes), (
        "all bones are where they should be"
    )


def import_bvh_beside(path: Path) -> None:
    import addon_utils

    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01)
