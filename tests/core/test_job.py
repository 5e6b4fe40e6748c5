"""Jobs survive the trip through a file, and damaged ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.recognition.mapping import BoneMapping
from sim_core.result.result import save_result
from sim_core.scenario.job import Job, load_job, save_job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_files import legs_job, small_result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "job.npz"
    save_job(legs_job(), path)
    return path


def edit(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    """Change the arrays and the meta of a job file."""
    arrays: dict[str, Any] = dict(np.load(path, allow_pickle=False))
    meta = json.loads(str(arrays["meta"]))
    meta["mapping"] = json.loads(meta["mapping"])
    change(arrays, meta)
    meta["mapping"] = json.dumps(meta.get("mapping"))
    np.savez(path, **(arrays | {"meta": np.array(json.dumps(meta))}))


def test_a_job_comes_back_the_same(tmp_path: Path) -> None:
    settings = BakeSettings("best", 0.0, 7, 0.25, 1.8, 80.0, "biped-2d", False)
    job = legs_job(settings)
    save_job(job, tmp_path / "job.npz")
    back = load_job(tmp_path / "job.npz")
    assert back.settings == settings
    assert back.mapping == job.mapping
    assert back.motion.skeleton.names == job.motion.skeleton.names
    for name in ("parents", "rest_position_world", "rest_quaternion_world"):
        assert np.array_equal(getattr(back.motion.skeleton, name), getattr(job.motion.skeleton, name))
    for name in ("time", "position_world", "quaternion_world"):
        assert np.array_equal(getattr(back.motion, name), getattr(job.motion, name))


def test_whole_numbers_may_stand_for_floats(path: Path) -> None:
    edit(path, lambda arrays, meta: meta["settings"].update(assist_cap=0, height=2))
    settings = load_job(path).settings
    assert (settings.assist_cap, settings.height) == (0, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a, m: m.update(schema=99), "version 99"),
        (lambda a, m: m.pop("schema"), "version None"),
        (lambda a, m: m.pop("format"), "not a Heft job"),
        (lambda a, m: a.pop("time"), "lacks the array 'time'"),
        (lambda a, m: a.update(time=np.array(["a", "b", "c"])), "'time'"),
        (lambda a, m: a.update(time=np.array(0.0)), "'time'"),
        (lambda a, m: a.update(time=np.array([0.0, 0.04, np.inf])), "times that are not numbers"),
        (lambda a, m: a.update(time=a["time"][:1]), "1 frame"),
        (lambda a, m: a.update(joint_parent=a["joint_parent"] - 1), "parent bones that do not exist"),
        (lambda a, m: a["joint_position"].__setitem__((1, 2), np.nan), "at 0.040 s"),
        (lambda a, m: a.update(joint_position=a["joint_position"][:, :-1]), "positions do not fit"),
        (lambda a, m: m.pop("mapping"), "table of bones"),
        (lambda a, m: m["mapping"].update(bones=[]), "table of bones"),
        (lambda a, m: m["mapping"]["bones"].update(hips="text"), "table of bones"),
        (lambda a, m: m["mapping"]["bones"].update(hips=["nobody"]), "'nobody'"),
        (lambda a, m: m["mapping"]["bones"].update(tail=[]), "'tail' is not a part"),
        (lambda a, m: m["mapping"]["bones"].pop("foot.L"), "foot.L"),
        (lambda a, m: m.update(settings=None), "settings"),
        (lambda a, m: m["settings"].update(magic=1), "settings"),
        (lambda a, m: m["settings"].pop("seed"), "settings"),
        (lambda a, m: m["settings"].update(seed=1.5), "'seed'"),
        (lambda a, m: m["settings"].update(noise=True), "'noise'"),
        (lambda a, m: m["settings"].update(quality=None), "'quality'"),
        (lambda a, m: m["settings"].update(height=-1.0), "height"),
    ],
)
def test_damage_is_named(path: Path, change: Callable[[Any, Any], object], words: str) -> None:
    edit(path, change)
    with pytest.raises(InputError) as caught:
        load_job(path)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    save_result(small_result(), tmp_path / "result.npz")
    np.savez(tmp_path / "plain.npz", time=np.arange(3.0))
    np.savez(tmp_path / "not_json.npz", meta=np.array("{"))
    np.savez(tmp_path / "list.npz", meta=np.array("[]"))
    for name, words in (
        ("result", "heft-result"),
        ("plain", "no 'meta'"),
        ("not_json", "not valid JSON"),
        ("list", "JSON object"),
    ):
        with pytest.raises(InputError, match=words):
            load_job(tmp_path / f"{name}.npz")


def test_one_bone_cannot_play_two_parts() -> None:
    job = legs_job()
    hips = job.mapping.first("hips")
    mapping = BoneMapping("test", {**job.mapping.bones, "head": (hips,)})
    with pytest.raises(InputError, match="both hips and head"):
        Job(job.motion, mapping, job.settings)
