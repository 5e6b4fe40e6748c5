"""Imported as it comes: any size, any rate, a T-pose in front; Simulate works, and the keys fit the rig."""

from __future__ import annotations

from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import prepare_bakes
from heft.addon.bake.bake_options import participants_of
from heft.addon.bake.bake_summary import detail_lines
from heft.addon.blender import compat
from heft.addon.blender.library_overrides import character_of
from heft.addon.blender.steps import run_all
from heft.addon.reading.motion_finding import keyed_on_every_frame, reading_lines
from heft.sim_core.scenario.settings import BakeSettings
from mathutils import Matrix

from sim_core.motion.bvh_writer import write_bvh
from tests.blender.at_once import read_world_poses
from tests.blender.rigs import (
    animate,
    humanoid,
    import_bvh,
    import_gltf,
    only_armature,
    pass_through,
    prepare,
    worst_difference,
)
from tests.core.sample_motions import walk
from tests.core.sample_people import person

pytestmark = pytest.mark.usefixtures("heft_registered")

CMU_UNIT_M = 0.0254 / 0.45
WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "91_19", "104_28")
LAST = 120
"""Last frame that is baked, a second of the motion; more would only take longer."""


def import_as_it_comes(path: Path) -> Object:
    """File > Import > Motion Capture, with nothing changed."""
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(path))
    return only_armature()


def texts(obj: Object) -> tuple[str, ...]:
    """The lines of the panel on how the motion is read."""
    return tuple(line.text for line in reading_lines(obj, bpy.context.scene))


@pytest.fixture
def first_walk(shared_data: Path) -> Object:
    return import_as_it_comes(shared_data / "bvh" / "cmu" / "02_01.bvh")


@pytest.mark.parametrize("name", WALKS)
def test_walks_of_the_default_import_are_read_as_on_the_command_line(shared_data: Path, name: str) -> None:
    obj = import_as_it_comes(shared_data / "bvh" / "cmu" / f"{name}.bvh")
    assert bpy.context.scene.render.fps == 24
    prepared = prepare(bpy.context, obj, BakeSettings())
    assert prepared.sampled.fps == pytest.approx(120.0)
    assert prepared.sampled.frame[0] == 2, "the T-pose is left out"
    assert 1.4 < prepared.job.settings.height < 1.9
    assert prepared.found.pace.height_m * CMU_UNIT_M == pytest.approx(prepared.job.settings.height)


def test_the_default_import_is_simulated_at_the_first_press(first_walk: Object) -> None:
    obj, heft = first_walk, first_walk.heft
    heft.quality = "draft"
    (before,) = texts(obj)
    assert before == "Simulated as 1.71 m tall: the armature is 30.2 m"
    skeleton = prepare(bpy.context, obj, BakeSettings()).sampled.skeleton
    frames, hips = np.arange(2, 345), skeleton.index["Hips"]
    source, _ = read_world_poses(bpy.context, obj, frames, skeleton)

    assert bpy.ops.heft.simulate() == {"FINISHED"}

    assert heft.outcome.simulated and not heft.outcome.fell
    assert texts(obj) == (
        before,
        "Read at 120 frames a second: the scene has 24",
        "Rest pose in front left out: 1 frame",
    )
    written, _ = read_world_poses(bpy.context, obj, frames, skeleton)
    # 15 cm of a person are what a walk may be moved by, at the armature's own size.
    assert np.linalg.norm(written[:, hips] - source[:, hips], axis=-1).max() < 0.15 / CMU_UNIT_M
    assert heft.outcome.root_error_m < 0.15, "what is followed is a person"

    # A part that is too short to show its rate is read as the whole action was.
    heft.range_mode, heft.frame_start, heft.frame_end = "CUSTOM", 1, LAST
    (part,) = participants_of(bpy.context)
    (prepared,) = run_all(prepare_bakes(bpy.context, [part]))
    assert len(prepared.sampled.frame) == LAST - 1 and prepared.sampled.fps == pytest.approx(120.0)


def test_a_rate_that_nothing_shows_is_told(shared_data: Path) -> None:
    obj = import_as_it_comes(shared_data / "bvh" / "cmu" / "77_02.bvh")
    prepared, report = pass_through(bpy.context, obj, LAST)
    assert prepared.sampled.fps == 24.0
    assert any("Nothing in the motion shows at which rate" in note for note in report.notes)
    assert texts(obj)[1] == "Rate not known: played at the scene's 24 frames a second"
    # What was found becomes a field, whose value can be changed.
    for setting in ("fps", "height"):
        assert bpy.ops.heft.state_reading(setting=setting) == {"FINISHED"}
    assert obj.heft_reading.fps == 24.0
    assert character_of(obj).height == pytest.approx(prepared.job.settings.height)


def test_what_is_found_can_be_stated(first_walk: Object) -> None:
    reading = first_walk.heft_reading
    reading.fps, reading.keep_rest_frames = 60.0, True
    prepared = prepare(bpy.context, first_walk, BakeSettings(height=1.8))
    assert prepared.sampled.fps == pytest.approx(60.0)
    assert prepared.sampled.frame[0] == 1 and prepared.found.rest_frames == 0
    assert prepared.job.settings.height == 1.8


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_armatures_of_any_size_keep_their_keys(factor: float) -> None:
    """A rig of 2 cm, as an FBX in the wrong unit comes, and one of 170 m."""
    obj = humanoid()
    animate(obj)
    obj.data.transform(Matrix.Scale(factor, 4))
    for curve in compat.curves_of(compat.action_of(obj)):
        if curve.data_path.endswith("location"):
            for key in curve.keyframe_points:
                key.co.y *= factor
            curve.update()
    bpy.context.view_layer.update()
    (line,) = texts(obj)
    assert line.startswith("Simulated as 1.7") and "the armature is" in line
    prepared, report = pass_through(bpy.context, obj)
    assert any(note.startswith("Simulated as 1.7") for note in report.notes)
    angle, distance = worst_difference(bpy.context, obj, prepared)
    assert angle < 0.1 and distance < 1e-3 * factor * 1.7


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_armatures_of_any_size_stand(tmp_path: Path, factor: float) -> None:
    """A walk of two steps at the rig's own size is simulated as that of a person."""
    bpy.context.scene.render.fps = 100
    write_bvh(person(walk(1.2).performance), tmp_path / "walk.bvh")
    obj = import_bvh(tmp_path / "walk.bvh", 0.01 * factor)
    obj.heft.quality = "draft"
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    outcome = obj.heft.outcome
    assert outcome.simulated and not outcome.fell
    assert outcome.source_mean_cm < 10.0 and outcome.source_mean_deg < 6.0, "as lengths of a person"
    assert any(line.startswith("Lengths are those of a body of 1.7") for line in detail_lines(outcome))


def test_keys_by_hand_keep_the_rate_of_the_scene_and_their_first_pose() -> None:
    obj = humanoid()
    animate(obj)
    assert not keyed_on_every_frame([compat.action_of(obj)])
    prepared = prepare(bpy.context, obj, BakeSettings())
    assert prepared.sampled.fps == bpy.context.scene.render.fps
    assert prepared.found.rest_frames == 0 and prepared.job.settings.height is None


def test_a_large_robot_that_jumps_like_a_small_one_moves_like_it(shared_data: Path) -> None:
    obj = import_gltf(shared_data / "characters" / "RobotExpressive.glb")
    named = ("Jump", f"Jump_{obj.name}")  # before 4.4 each object has an action of its own
    obj.animation_data.action = next(a for a in bpy.data.actions if a.name in named)
    if compat.has_slots():
        obj.animation_data.action_slot = obj.animation_data.action.slots[0]
    prepared = prepare(bpy.context, obj, BakeSettings())
    assert prepared.found.pace.height_m > 3.5
    # Its jump falls like that of a body of 0.3 m, which is less than can be simulated.
    assert prepared.job.settings.height == pytest.approx(0.6)


def test_retargeting_leaves_the_rest_pose_out_and_reads_size_and_rate(first_walk: Object) -> None:
    first_walk.heft.range_mode = "CUSTOM"
    first_walk.heft.frame_start, first_walk.heft.frame_end = 1, LAST
    # The swings of a single second are too few to find the rate from.
    first_walk.heft_reading.fps = 120.0
    target = humanoid()
    bpy.context.view_layer.objects.active = target
    target.heft_retarget.source = first_walk
    assert bpy.ops.heft.retarget() == {"FINISHED"}
    start, end = target.animation_data.action.frame_range
    assert (start, end) == (2.0, float(LAST))
    assert any("rest pose before the motion" in note.text for note in target.heft_retarget.notes)
    hand = target.pose.bones["Hand.L"]
    bpy.context.scene.frame_set(2)
    assert (target.matrix_world @ hand.head).z < 1.2, "the arms hang"
