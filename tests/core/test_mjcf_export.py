"""Exported models load in MuJoCo by themselves, with the body, its ground and its reference."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from sim_core.bake.mjcf_export import export_mjcf
from sim_core.bake.pipeline import bake
from sim_core.character.posing import segment_poses
from sim_core.cli.main import main
from sim_core.motion.bvh_writer import write_bvh
from sim_core.result.result import save_result
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box, HeightField, Hull
from tests.core.sample_files import small_meta, small_result
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person


def test_the_model_stands_where_the_reference_does(tmp_path: Path) -> None:
    job = Job(person(walk(0.6).performance), MAPPING, BakeSettings(mass=62.0))
    made = export_mjcf(job, as_is=True)
    (tmp_path / "m.xml").write_text(made.xml)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    spec = make_scenario(job).spec
    # The text holds six digits.
    masses = [model.body(segment.name).mass[0] for segment in spec]
    assert np.allclose(masses, [segment.mass for segment in spec], rtol=1e-5)
    assert sum(masses) == pytest.approx(62.0, rel=1e-5)
    data = mujoco.MjData(model)
    for key, sample in ((0, 0), (3, 30)):
        mujoco.mj_resetDataKeyframe(model, data, key)
        mujoco.mj_kinematics(model, data)
        wanted = segment_poses(spec, made.qpos[sample : sample + 1])[0][0]
        there = np.array([data.body(name).xpos for name in spec.names])
        assert np.allclose(there, wanted, atol=1e-4)
        assert data.time == pytest.approx(0.01 * sample)
    assert model.nkey == made.keys == 7


def test_ground_and_things_go_along() -> None:
    heights = np.outer(np.linspace(0.0, 0.1, 4), np.ones(5))
    things = (
        SceneObject("field", Role.GROUND, HeightField(np.array([2.0, 2.0]), heights)),
        SceneObject("rock", Role.OBSTACLE, Hull(np.vstack([np.zeros(3), np.eye(3)]) + [3.0, 0.0, 0.0])),
        SceneObject("brick", Role.PROP, Box(np.full(3, 0.1)), np.array([1.0, 1.0, 0.5]), density=800.0),
    )
    job = Job(person(walk(0.3).performance), MAPPING, BakeSettings(), Scene(things))
    model = mujoco.MjModel.from_xml_string(export_mjcf(job, as_is=True).xml)
    assert model.nhfield == 1 and model.hfield_size[0, 2] == pytest.approx(0.1, rel=1e-4)
    assert model.nmesh >= 1
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    assert np.linalg.norm(data.xpos - [1.0, 1.0, 0.5], axis=1).min() < 1e-4


def test_the_command_writes_model_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bvh(person(walk(0.4).performance), tmp_path / "w.bvh")
    folder = tmp_path / "out"
    folder.mkdir()
    assert main(["export", str(tmp_path / "w.bvh"), "--out", str(folder), "--as-is", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    model = mujoco.MjModel.from_xml_path(told["result"])
    rows = Path(told["table"]).read_text().splitlines()
    assert len(rows) == told["samples"] + 1 and len(rows[0].split(",")) == model.nq + 1
    assert main(["export", str(tmp_path / "w.bvh"), "--out", str(tmp_path / "w.txt")]) == 2
    assert "must end in .xml" in capsys.readouterr().err


def test_a_result_brings_its_body_its_scene_and_its_motion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    brick = SceneObject("brick", Role.PROP, Box(np.full(3, 0.1)), np.array([3.0, 1.0, 0.5]), density=800.0)
    settings = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)
    result = bake(Job(person(walk(0.4).performance), MAPPING, settings, Scene((brick,))))
    save_result(result, tmp_path / "r.npz")
    assert main(["export", str(tmp_path / "r.npz"), "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    model = mujoco.MjModel.from_xml_path(told["result"])
    data = mujoco.MjData(model)
    assert told["keyframes"] == model.nkey == 5
    for key, sample in ((0, 0), (4, 40)):
        mujoco.mj_resetDataKeyframe(model, data, key)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        there = np.array([data.body(name).xipos for name in result.body_name.tolist()])
        # The text holds six digits.
        assert np.allclose(there, result.body_com[sample], atol=1e-4)
        assert np.linalg.norm(data.xpos - result.prop_position[sample, 0], axis=1).min() < 1e-4
    assert result.prop_position[-1, 0, 2] < result.prop_position[0, 0, 2] - 0.1, "the brick falls"
    rows = Path(told["table"]).read_text().splitlines()
    assert len(rows) == len(result.time) + 1 and len(rows[0].split(",")) == model.nq + 1
    assert main(["export", str(tmp_path / "r.npz"), "--out", str(tmp_path), "--mass", "70"]) == 2
    assert "--mass is for motion files" in capsys.readouterr().err


def test_results_without_a_model_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_result(small_result(), tmp_path / "old.npz")
    assert main(["export", str(tmp_path / "old.npz"), "--out", str(tmp_path)]) == 2
    assert "give the motion it was made from" in capsys.readouterr().err
    assert not (tmp_path / "old.xml").exists()
    save_result(small_result(meta=small_meta(mjcf="no model")), tmp_path / "broken.npz")
    assert main(["export", str(tmp_path / "broken.npz"), "--out", str(tmp_path)]) == 2
    assert "model is broken" in capsys.readouterr().err
