"""Overlays in Blender: they are kept in the file, undone with the bake, and drawn from what is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.overlay import draw
from heft.addon.overlay.overlay_store import forget_series
from heft.addon.overlay.picture import (
    Model,
    OverlayChoice,
    Picture,
    picture_at,
    support_polygon,
    theme_palette,
)
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.drawing.overlay_series import OverlaySeries
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import animate, humanoid, prepare

pytestmark = pytest.mark.usefixtures("heft_registered")

FRAMES = 6
EVERYTHING = OverlayChoice(True, True, True, True, True)


def baked(assist_n: float = 0.0, carried: bool = True) -> Object:
    """A figure with a bake whose forces are made up: it stands on a square about its first place."""
    obj = humanoid()
    animate(obj)
    prepared = prepare(bpy.context, obj, BakeSettings(simulate=False), last=FRAMES)
    result = bake(prepared.job)
    samples = len(result.time)
    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    names = np.array([""] * len(square))
    result = replace(
        result,
        assist=np.tile([0.0, 0.0, assist_n, 0.0, 0.0, 0.0], (samples, 1)),
        contact_point=np.tile(square, (samples, 1, 1)),
        contact_force=np.tile([0.0, 0.0, 100.0 * carried], (samples, len(square), 1)),
        contact_body=np.zeros((samples, len(square)), dtype=np.int64),
        contact_other=names,
        contact_other_body=names,
    )
    finish_bakes(bpy.context, [prepared], [result])
    return obj


def series(obj: Object) -> OverlaySeries:
    found = draw.drawn_series(obj)
    assert found is not None
    return found


def test_overlays_survive_saving_and_loading(tmp_path: Path) -> None:
    obj = baked()
    before = series(obj).arrays()
    bpy.context.scene.heft_overlays.show_ghost = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
    after = series(bpy.data.objects["Figure"]).arrays()
    assert bpy.context.scene.heft_overlays.show_ghost
    for name, array in before.items():
        # Kept in single precision.
        assert after[name] == pytest.approx(array, rel=1e-6, abs=1e-6), name


def test_undo_takes_the_overlays_of_a_bake_back() -> None:
    obj = humanoid()
    animate(obj)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.heft.simulate("EXEC_DEFAULT", True, simulate=False)
    assert bpy.data.objects["Figure"].heft_overlay.data is not None
    bpy.ops.ed.undo()
    assert bpy.data.objects["Figure"].heft_overlay.data is None
    bpy.ops.ed.redo()
    assert series(bpy.data.objects["Figure"]).row_of(1) == 0


def test_another_bake_leaves_no_mesh_behind() -> None:
    obj = baked()
    for _ in range(2):
        assert bpy.ops.heft.simulate(simulate=False) == {"FINISHED"}
    assert [mesh for mesh in bpy.data.meshes if mesh != obj.heft_overlay.data] == []
    forget_series(obj)
    assert len(bpy.data.meshes) == 0 and draw.drawn_series(obj) is None


def test_the_body_is_where_the_bones_are() -> None:
    """Passed through unchanged, the body's joints are the bones' heads, and so is the ghost."""
    obj = baked()
    shown = series(obj)
    bpy.context.scene.frame_set(4)
    row = shown.row_of(4)
    knee = np.array(obj.matrix_world @ obj.pose.bones["LowerLeg.L"].head)
    assert row is not None
    assert np.linalg.norm(shown.ghost_head[row] - knee, axis=1).min() < 1e-4
    lines = np.concatenate([p for parts in _picture(obj, 4, EVERYTHING).lines.values() for p in parts])
    hips = np.array(obj.matrix_world @ obj.pose.bones["Hips"].head)
    assert np.all(np.abs(lines[:, :2] - hips[:2]) < 1.6), "all of it is about the character"


def _picture(obj: Object, frame: int, choice: OverlayChoice) -> Picture:
    shown = series(obj)
    row = shown.row_of(frame)
    assert row is not None
    return picture_at(shown, Model.of(shown), row, choice, theme_palette())


def test_the_support_polygon_is_the_hull_of_what_carries() -> None:
    polygon = support_polygon(series(baked()), 2)
    assert sorted(map(tuple, polygon[:, :2].tolist())) == [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]


def test_nothing_carries_in_the_air() -> None:
    assert len(support_polygon(series(baked(carried=False)), 2)) == 0


def test_help_is_drawn_whatever_is_chosen() -> None:
    assert not _picture(baked(), 3, OverlayChoice()).lines
    helped = _picture(baked(assist_n=0.5), 3, OverlayChoice())
    (lines,) = helped.lines.values()
    assert lines and helped.faces, "half a newton is seen"


def test_the_ghost_stands_beside_by_its_offset() -> None:
    obj = baked()
    (over,) = _picture(obj, 3, OverlayChoice(ghost=True)).lines.values()
    (beside,) = _picture(obj, 3, OverlayChoice(ghost=True, ghost_offset=(1.5, 0.0, 0.0))).lines.values()
    assert beside[0] - over[0] == pytest.approx(np.tile([1.5, 0.0, 0.0], (len(over[0]), 1)))


def test_joints_are_green_orange_and_red() -> None:
    palette = theme_palette()
    colours = palette.of_effort(np.array([0.0, 0.5, 1.0, 1.7]))
    assert colours == pytest.approx(palette.effort[[0, 1, 2, 2]])


def test_hidden_characters_and_unchosen_overlays_are_not_drawn() -> None:
    obj = baked()
    assert draw.characters(bpy.context) == [obj]
    obj.hide_viewport = True
    bpy.context.view_layer.update()
    assert draw.characters(bpy.context) == []
    assert not bpy.context.scene.heft_overlays.show, "off until it is asked for"


@pytest.mark.skipif(bpy.app.version < (5, 2, 0), reason="earlier modules cannot draw without a window")
def test_a_frame_is_drawn_into_a_picture() -> None:
    gpu = pytest.importorskip("gpu")
    try:
        gpu.init()
        offscreen = gpu.types.GPUOffScreen(64, 64)
    except (SystemError, RuntimeError) as problem:
        pytest.skip(f"no drawing on this machine: {problem}")
    baked()
    bpy.context.scene.frame_set(3)
    bpy.context.scene.heft_overlays.show = True
    pixels = []
    with offscreen.bind():
        frame = gpu.state.active_framebuffer_get()
        for shows in (False, True):
            bpy.context.scene.heft_overlays.show = shows
            frame.clear(color=(0.0, 0.0, 0.0, 1.0))
            draw.draw_scene(bpy.context)
            read = frame.read_color(0, 0, 64, 64, 4, 0, "UBYTE")
            read.dimensions = 64 * 64 * 4
            pixels.append(np.array(read).reshape(-1, 4)[:, :3].any(axis=1).sum())
    offscreen.free()
    assert pixels[0] == 0 and pixels[1] > 20
