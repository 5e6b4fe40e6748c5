"""Keypoints from video in Blender: imported from a file or a folder, fitted, and ready for Simulate."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.markers.keypoint_names import HALPE
from sim_core.posefit.fit_body import EngineBody
from tests.blender.marker_takes import import_file
from tests.blender.test_operators import assert_one_sentence
from tests.core.sample_keypoints import keypoint_paths, with_noise, write_keypoint_csv
from tests.core.sample_markers import write_trc
from tests.core.sample_subject import RATE_HZ, KnownSubject, walker

pytestmark = pytest.mark.usefixtures("heft_registered")


def shown(known: KnownSubject) -> FloatArray:
    motion = known.rig.motion(known.take.time, *EngineBody(known.rig.body).poses(known.qpos))
    return keypoint_paths(motion, known.rig.mapping, HALPE)


def test_keypoints_of_a_recording_become_a_moving_armature(tmp_path: Path) -> None:
    known = walker(60)
    output = tmp_path / "walk" / "output_data"
    output.mkdir(parents=True)
    points = with_noise(shown(known), RATE_HZ, 0.02)
    write_keypoint_csv(output / "mediapipe_body_3d_xyz.csv", HALPE, points, None, 1000.0)
    with pytest.raises(RuntimeError) as problem:
        bpy.ops.heft.import_markers(filepath=str(tmp_path / "walk") + "/")
    assert_one_sentence(str(problem.value))
    assert "Frame Rate" in str(problem.value) and not bpy.data.objects
    bpy.context.scene.render.fps = 50
    take = import_file(tmp_path / "walk", fps=RATE_HZ)
    assert take.name == "walk" and {row.part for row in take.heft_take.rows} >= {"hips", "thigh.L", "foot.R"}
    assert bpy.ops.heft.fit_markers() == {"FINISHED"}
    rig = bpy.context.object
    assert rig.type == "ARMATURE" and rig.animation_data.action is not None
    thigh = rig.data.bones["shin.L"].head_local - rig.data.bones["thigh.L"].head_local
    truth = np.linalg.norm(known.rig.body.anchors[known.rig.carrier("shin.L")])
    assert thigh.length == pytest.approx(truth, rel=0.05)
    assert bpy.ops.heft.simulate.poll()


def test_all_persons_of_a_session_become_objects(tmp_path: Path) -> None:
    places = tmp_path / "session" / "trial" / "pose-3d"
    places.mkdir(parents=True)
    points = shown(walker(20))
    for person in range(2):
        write_trc(places / f"trial_P{person}.trc", HALPE, points + person, unit="m")
    (tmp_path / "session" / "Config.toml").write_text("")
    import_file(tmp_path / "session" / "Config.toml")
    names = sorted(obj.name for obj in bpy.context.selected_objects)
    assert names == ["session trial_P0", "session trial_P1"]
