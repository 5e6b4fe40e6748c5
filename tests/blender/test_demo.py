"""The demo's mannequin is the skeleton that its motions are made for, and the demo bakes it."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import bpy
import numpy as np
import pytest

from sim_core.base import rotations
from tools.demo.acts import ACTS
from tools.demo.body import BONES, Body
from tools.demo.mannequin import FIRST_FRAME, build_mannequin, write_action
from tools.demo.motions import make
from tools.demo.run import run
from tools.load_extension import ROOT

BODY = Body()


def rest_pose(rig: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    matrices = np.array([rig.data.bones[bone.name].matrix_local for bone in BONES])
    return matrices[:, :3, 3], rotations.from_matrix(matrices[:, :3, :3])


def test_rig_rests_as_the_skeleton_says() -> None:
    positions, quaternions = rest_pose(build_mannequin("figure", BODY, "source"))
    assert np.abs(positions - BODY.skeleton.rest_position_world).max() < 1e-6
    error = rotations.angle_between(quaternions, BODY.skeleton.rest_quaternion_world)
    assert np.degrees(error).max() < 0.01


def test_every_vertex_belongs_to_one_bone() -> None:
    rig = build_mannequin("figure", BODY, "source")
    figure = rig.children[0]
    assert all(len(vertex.groups) == 1 for vertex in figure.data.vertices)
    assert {group.name for group in figure.vertex_groups} == {bone.name for bone in BONES}
    heights = np.array([vertex.co.z for vertex in figure.data.vertices])
    assert heights.min() == pytest.approx(0.0, abs=1e-3)
    assert heights.max() == pytest.approx(BODY.height, abs=0.02)


def test_action_plays_the_motion() -> None:
    rig = build_mannequin("figure", BODY, "source")
    motion = make("squat", BODY)
    write_action(rig, "squat", motion, import_module("heft.addon.blender.compat"))
    for sample in (0, 100, len(motion.time) - 1):
        bpy.context.scene.frame_set(FIRST_FRAME + sample)
        heads = np.array([rig.pose.bones[bone.name].head for bone in BONES])
        assert np.abs(heads - motion.position_world[sample]).max() < 1e-4


def test_demo_writes_all_it_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One act through the whole demo: bake, picture, film, file and page; no browser is opened here."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    try:
        assert run(tmp_path, ["walk"]) == 0
    finally:
        import_module("heft").unregister()
    written = {path.name for path in tmp_path.iterdir()}
    assert {"demo.blend", "walk.png", "walk.mp4", "index.html", "metrics.json"} <= written
    assert (tmp_path / "walk.png").stat().st_size > 20_000
    (found,) = json.loads((tmp_path / "metrics.json").read_text("utf-8"))["metrics"]["walk"].values()
    assert found["fell_frame"] is None and found["assist_force_max_n"] == 0.0
    page = (tmp_path / "index.html").read_text("utf-8")
    assert all(name in written for name in re.findall(r'(?:src|href)="([^"#]+)"', page))


@pytest.mark.parametrize("name", ACTS)
def test_every_act_is_on_the_page_of_the_demo(name: str) -> None:
    assert f"| {name} |" in (ROOT / "docs" / "demo.md").read_text("utf-8")
