"""Exported models load in MuJoCo by themselves, with the body, its ground and its reference."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from sim_core.bvh_write import write_bvh
from sim_core.character.posing import segment_poses
from sim_core.character.take import make_take
from sim_core.cli import main
from sim_core.job import Job
from sim_core.mjcf_export import export_mjcf
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box, HeightField, Hull
from sim_core.settings import BakeSettings
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person


def test_the_model_stands_where_the_reference_does(tmp_path: Path) -> None:
    job = Job(person(walk(0.6).performance), MAPPING, BakeSettings(mass=62.0))
    made = export_mjcf(job, as_is=True)
    (tmp_path / "m.xml").write_text(made.xml)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    spec = make_take(job).spec
    # The text holds six digits.
    masses = [model.body(segment.name).mass[0] for segment in spec]
    assert np.allclose(masses, [segment.mass for segment in spec], rtol=1e-5)
    assert sum(masses) == pytest.approx(62.0, rel=1e-5)
    data = mujoco.MjData(model)
    for key, sample in ((0, 0), (3, 30)):
        mujoco.mj_resetDataKeyframe(model, data, key)
        mujoco.mj_kinematics(model, data)
        wanted = segment_poses(spec, made.reference.qpos[sample : sample + 1])[0][0]
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
    rows = Path(told["reference"]).read_text().splitlines()
    assert len(rows) == told["samples"] + 1 and len(rows[0].split(",")) == model.nq + 1
    assert main(["export", str(tmp_path / "w.bvh"), "--out", str(tmp_path / "w.txt")]) == 2
    assert "must end in .xml" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "r.npz"), "--out", str(folder)]) == 2
    assert "give the motion file" in capsys.readouterr().err
