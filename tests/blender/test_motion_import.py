"""Import of motions that Blender itself cannot read: an armature whose bones are where the file says."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object

from sim_core.base.conventions import FloatArray
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.sources.motion_source import read_clip
from tests.core.sample_opensim import opensim
from tests.core.sample_sources import acclaim, amass, write_npz

pytestmark = pytest.mark.usefixtures("heft_registered")

NEAR_M = 1e-3


def import_motion(path: Path, **options: object) -> Object:
    assert bpy.ops.heft.import_motion(filepath=str(path), set_rate=True, **options) == {"FINISHED"}
    return bpy.context.object


def heads(rig: Object, frame: int) -> dict[str, FloatArray]:
    """Where the bones' heads are at a frame [m]."""
    bpy.context.scene.frame_set(frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: np.array(posed.matrix_world @ bone.head) for bone in posed.pose.bones}


def _written(folder: Path, kind: str) -> Path:
    if kind == "npz":
        return write_npz(folder / "walk.npz", amass(22)[0])
    if kind == "amc":
        acclaim(folder)
        return folder / "07_01.amc"
    opensim(folder)
    return folder / "walk.mot"


@pytest.mark.parametrize("kind", ["npz", "amc", "mot"])
def test_bones_are_where_the_file_says(tmp_path: Path, kind: str) -> None:
    path = _written(tmp_path, kind)
    known = read_clip(path, ReadingChoices()).motion
    rig = import_motion(path)
    assert rig.type == "ARMATURE"
    assert rig.animation_data.action.name == path.stem
    scene = bpy.context.scene
    assert scene.render.fps / scene.render.fps_base == pytest.approx(known.rate_hz)
    assert (scene.frame_start, scene.frame_end) == (1, len(known.time))
    for sample in (0, 17, len(known.time) - 1):
        found = heads(rig, 1 + sample)
        assert sorted(found) == sorted(known.skeleton.names)
        away = [found[n] - known.position_world[sample, k] for k, n in enumerate(known.skeleton.names)]
        assert np.linalg.norm(away, axis=1).max() < NEAR_M


@pytest.mark.parametrize("name", ["walk.fbx", "cut.npz"])
def test_bad_files_are_one_sentence_and_change_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"words")
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.import_motion(filepath=str(tmp_path / name), set_rate=True)
    assert name in str(caught.value)
    assert len(bpy.data.objects) == len(bpy.data.armatures) == len(bpy.data.actions) == 0
    assert bpy.context.scene.render.fps == 24
