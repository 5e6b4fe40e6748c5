"""Marker files in Blender: every frame shows the markers of its own time, gaps show nothing."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from heft.addon.markers.take_object import read_take
from heft.sim_core.markers.read_markers import read_markers
from mathutils import Matrix

from tests.blender.marker_takes import (
    RATE_HZ,
    colours,
    evaluated_mesh,
    import_file,
    shown_markers,
    walking_file,
)
from tests.blender.test_operators import assert_one_sentence
from tests.core.sample_markers import standing_points, write_c3d, write_trc

pytestmark = pytest.mark.usefixtures("heft_registered")

NEAR_M = 1e-5
"""Single precision over a body's size, and the mean of a ball's corners."""


@pytest.mark.parametrize("fps", [24, 100, 120])
def test_a_frame_shows_the_markers_of_its_time(tmp_path: Path, fps: int) -> None:
    path, points = walking_file(tmp_path)
    bpy.context.scene.render.fps = fps
    obj = import_file(path, frame_start=5)
    for frame in (5, 7, 12):
        sample = (frame - 5) / fps * RATE_HZ
        shown = shown_markers(obj, frame)
        for marker in (0, 2, 7):
            expected = [
                np.interp(sample, np.arange(len(points)), points[:, marker, axis]) for axis in range(3)
            ]
            assert np.allclose(shown[marker], expected, atol=NEAR_M)


def test_frames_outside_of_the_take_hold_its_ends(tmp_path: Path) -> None:
    path, points = walking_file(tmp_path)
    obj = import_file(path)
    assert np.allclose(shown_markers(obj, -30)[0], points[0, 0], atol=NEAR_M)
    assert np.allclose(shown_markers(obj, 500)[0], points[-1, 0], atol=NEAR_M)


def test_gaps_show_nothing(tmp_path: Path) -> None:
    path, _ = walking_file(tmp_path)
    bpy.context.scene.render.fps = 100
    obj = import_file(path, frame_start=0)
    seen = [frame for frame in range(60) if 1 in shown_markers(obj, frame)]
    assert seen == [frame for frame in range(60) if not 20 <= frame < 30]
    assert all(set(shown_markers(obj, frame)) >= {0, 2, 3, 4, 5, 6, 7} for frame in (0, 25, 59))
    assert 1 not in shown_markers(obj, 19, 0.5), "half of this position is a guess"


def test_the_take_comes_back_from_the_object(tmp_path: Path) -> None:
    path, points = walking_file(tmp_path)
    obj = import_file(path)
    kept, read = read_take(obj, 1.0), read_markers(path).take()
    assert kept.labels == read.labels
    assert kept.rate_hz == pytest.approx(RATE_HZ)
    assert np.array_equal(kept.seen, read.seen)
    assert np.allclose(kept.position_world, read.position_world, atol=1e-6, equal_nan=True)
    obj.matrix_world = Matrix.Translation((1.0, 2.0, 0.0)) @ Matrix.Rotation(np.pi / 2, 4, "Z")
    bpy.context.view_layer.update()
    moved = read_take(obj, 1.0).position_world
    assert np.allclose(
        moved[0, 0], [1.0 - points[0, 0, 1], 2.0 + points[0, 0, 0], points[0, 0, 2]], atol=1e-6
    )


def test_scenes_in_other_units_show_the_same_size(tmp_path: Path) -> None:
    path, points = walking_file(tmp_path)
    bpy.context.scene.unit_settings.scale_length = 0.01
    obj = import_file(path)
    assert np.allclose(shown_markers(obj, 1)[0], 100.0 * points[0, 0], atol=100.0 * NEAR_M)
    assert np.allclose(read_take(obj, 0.01).position_world[0], points[0], atol=1e-6)


def test_it_survives_saving_and_plays_without_heft(tmp_path: Path) -> None:
    import heft

    path, points = walking_file(tmp_path)
    bpy.context.scene.render.fps = 100
    name = import_file(path, frame_start=0).name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    heft.unregister()
    try:
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
        shown = shown_markers(bpy.data.objects[name], 40)
    finally:
        heft.register()
    assert np.allclose(shown[3], points[40, 3], atol=NEAR_M)
    kept = bpy.data.objects[name].heft_take
    assert [row.label for row in kept.rows][:2] == ["LFHD", "RFHD"]
    assert kept.rows[1].seen_share == pytest.approx(50 / 60)


def test_scene_settings_change_only_on_request(tmp_path: Path) -> None:
    path, _ = walking_file(tmp_path)
    scene = bpy.context.scene
    before = (scene.render.fps, scene.frame_start, scene.frame_end)
    import_file(path)
    assert (scene.render.fps, scene.frame_start, scene.frame_end) == before
    import_file(path, set_rate=True, set_range=True, frame_start=10)
    assert (scene.render.fps, scene.frame_start, scene.frame_end) == (100, 10, 69)


def test_the_chosen_row_is_painted(tmp_path: Path) -> None:
    path, _ = walking_file(tmp_path)
    obj = import_file(path)
    obj.heft_take.row_index = 4
    shown_markers(obj, 3)
    assert {number for number, name in colours(obj).items() if name == "Heft Marker Chosen"} == {4}
    assert {name for number, name in colours(obj).items() if number != 4} == {"Heft Marker"}


def test_subjects_become_objects(tmp_path: Path) -> None:
    labels, points = standing_points()
    two = [f"{subject}:{label}" for subject in ("Ann", "Ben") for label in labels]
    path = write_c3d(
        tmp_path / "two.c3d",
        two,
        np.concatenate([np.dstack([points, np.zeros(points.shape[:2])])] * 2, axis=1),
    )
    import_file(path)
    takes = [obj for obj in bpy.data.objects if obj.heft_take.present]
    assert sorted(obj.heft_take.subject for obj in takes) == ["Ann", "Ben"]
    assert len(bpy.data.node_groups) == 1


@pytest.mark.parametrize("name", ["empty.c3d", "text.c3d", "cut.trc", "walk.bvh", "absent.c3d"])
def test_bad_files_are_one_sentence_and_change_nothing(tmp_path: Path, name: str) -> None:
    if name != "absent.c3d":
        text = {"cut.trc": "PathFileType\t4\n", "text.c3d": "words " * 300}.get(name, "")
        (tmp_path / name).write_text(text)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.import_markers(filepath=str(tmp_path / name), set_range=True, set_rate=True)
    assert_one_sentence(str(caught.value))
    assert len(bpy.data.objects) == len(bpy.data.meshes) == len(bpy.data.node_groups) == 0
    assert bpy.context.scene.render.fps == 24


def test_a_wrong_unit_can_be_set_right(tmp_path: Path) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "metres.trc", labels, points, unit="m")
    with pytest.raises(RuntimeError, match="as the unit"):
        bpy.ops.heft.import_markers(filepath=str(path))
    obj = import_file(path, unit=0.001)
    assert np.allclose(shown_markers(obj, 1)[0], points[0, 0] / 1000.0, atol=NEAR_M)


def test_forces_stand_where_they_act(shared_data: Path) -> None:
    path = shared_data / "markers" / "btk_pig" / "PiG_walk_One.c3d"
    obj = import_file(path, frame_start=0, set_rate=True)
    take = read_markers(path).take()
    forces = obj.heft_take.forces
    assert forces.parent == obj
    assert obj.heft_take.plates == len(take.plates) == 2
    met = 0
    for frame in (60, 100, 140):
        bpy.context.scene.frame_set(frame)
        position = np.array([vertex.co for vertex in evaluated_mesh(forces).vertices])
        assert np.isclose(position, take.plates[0].corners_world[0], atol=1e-5).all(axis=1).any()
        for plate in take.plates:
            at = int(np.argmin(np.abs(plate.time - take.time[frame])))
            tip = plate.pressure_world[at] + 1e-3 * plate.force_world[at]
            if np.isfinite(tip).all():
                # The stick is 2 cm thick, and its end is a ring around the tip.
                assert np.linalg.norm(position - tip, axis=1).min() < 0.0101
                met += 1
    assert met >= 2
    bpy.context.scene.frame_set(0)
    assert {mesh_material(forces, face) for face in evaluated_mesh(forces).polygons} == {"Heft Force Plate"}


def mesh_material(obj: bpy.types.Object, face: bpy.types.MeshPolygon) -> str:
    return evaluated_mesh(obj).materials[face.material_index].name
