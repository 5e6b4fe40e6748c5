"""The model inside a stranger's result: it is described within bounds, or refused with one sentence."""

from __future__ import annotations

import base64
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake import stored_model
from sim_core.bake.mjcf_export import export_mjcf
from sim_core.bake.stored_model import packed, stored_mjcf, stored_mjspec, unpacked
from sim_core.base.errors import InputError
from sim_core.cli.main import main
from sim_core.result.result import save_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Hinge, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, HeightField, Hull
from tests.core.sample_files import small_meta, small_result
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person


def exported(mjcf: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Export a result that holds this model; return what is said."""
    save_result(small_result(meta=small_meta(mjcf=packed(mjcf.encode()))), folder / "r.npz")
    assert main(["export", str(folder / "r.npz"), "--out", str(folder / "o.xml")]) == 2
    assert {path.name for path in folder.iterdir() if path.name.startswith("o")} == set()
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("inside", "word"),
    [
        ('<include file="{secret}"/>', "include"),
        ('<asset><mesh name="m" file="{secret}"/></asset>', "file"),
        ('<asset><texture name="t" type="2d" file="{secret}"/></asset>', "texture"),
        ('<asset><hfield name="h" file="{secret}"/></asset>', "file"),
        ('<asset><hfield name="h" size="1 1 1 1" nrow="99999" ncol="99999"/></asset>', "heights"),
        ('<asset><hfield name="h" size="1 1 1 1" nrow="{{}}" ncol="9"/></asset>', "cannot be used"),
        ('<asset><mesh name="m" builtin="sphere" params="20"/></asset>', "builtin"),
        ('<size memory="900G"/>', "memory"),
        ('<worldbody><replicate count="100000000"><geom size="1"/></replicate></worldbody>', "replicate"),
        ('<extension><plugin plugin="x"/></extension>', "extension"),
        ("<worldbody>", "cannot be used"),
        ('<worldbody><geom type="x"/></worldbody>', "cannot be used"),
        ('<worldbody><geom size="-1"/></worldbody>', "cannot be used"),
    ],
)
def test_a_strangers_model_reads_no_file_and_takes_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], inside: str, word: str
) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text('<mujoco><custom><text name="key" data="the secret"/></custom></mujoco>')
    began = time.monotonic()
    told = exported(f"<mujoco>{inside.format(secret=secret)}</mujoco>", tmp_path, capsys)
    assert word in told and "the secret" not in told
    assert told.count("\n") == 1 and time.monotonic() - began < 5.0


def test_entities_are_not_expanded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>'
    assert "entities" in exported(text, tmp_path, capsys)


def test_a_packed_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_model, "MOST_BYTES", 1000)
    assert len(unpacked(packed(bytes(999)))) == 999
    with pytest.raises(InputError, match="more than"):
        unpacked(packed(bytes(10**6)))
    with pytest.raises(InputError, match="cut off"):
        unpacked(base64.b64encode(zlib.compress(bytes(range(200)))[:-9]).decode())
    with pytest.raises(InputError, match="no model"):
        unpacked(None)


def test_too_many_elements_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_model, "MOST_ELEMENTS", 10)
    text = "<mujoco><worldbody>" + '<geom size="1"/>' * 20 + "</worldbody></mujoco>"
    with pytest.raises(InputError, match="more than 10 elements"):
        stored_mjcf(packed(text.encode()))


def test_hefts_own_models_pass() -> None:
    things = (
        SceneObject("field", Role.GROUND, HeightField(np.array([2.0, 2.0]), np.eye(4))),
        SceneObject("rock", Role.OBSTACLE, Hull(np.vstack([np.zeros(3), np.eye(3)]) + [3.0, 0.0, 0.0])),
        SceneObject("brick", Role.PROP, Box(np.full(3, 0.1)), np.array([1.0, 1.0, 0.5]), density=800.0),
        SceneObject("door", Role.HINGE, Box(np.full(3, 0.1)), mass=5.0, hinge=Hinge(np.eye(3)[2], -1.0, 1.0)),
    )
    job = Job(person(walk(0.3).performance), MAPPING, BakeSettings(), Scene(things, floor=True))
    made = export_mjcf(job, as_is=True).xml
    back = stored_mjcf(packed(made.encode()))
    assert back == made
    assert stored_mjspec(back)[1].nhfield == 1
