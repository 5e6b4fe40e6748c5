"""Presets: all that ship are in order, broken ones say where, and later ones win."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.errors import InputError
from sim_core.cli.main import main
from sim_core.reading.bvh_clip import read_bvh
from sim_core.recognition import recognise
from sim_core.result.metrics import Metrics
from sim_core.scenario.job import Job
from sim_core.scenario.preset_kinds import SETTINGS, preset_text
from sim_core.scenario.read_presets import named_preset, read_checked, shipped
from sim_core.scenario.settings import BakeSettings

ALL = list(shipped())
WANTED = {
    "characters": {"man", "woman", "child", "heavy", "giant", "robot", "dasilva2008_2d", "dasilva2008_3d"},
    "motions": {"walk", "run", "jump", "dance", "boxing", "limp", "sneak"},
    "reactions": {"firm", "natural", "soft", "ragdoll"},
}


@pytest.mark.parametrize(("group", "key", "path"), ALL, ids=[f"{group}/{key}" for group, key, _ in ALL])
def test_shipped_presets_are_in_order(group: str, key: str, path: Path) -> None:
    preset = read_checked(group, path)
    assert preset.name
    if group in SETTINGS:
        assert preset.about and tuple(preset.settings) == SETTINGS[group], "nothing is left of another preset"
        BakeSettings(**preset.settings)


def test_those_that_were_promised_are_there() -> None:
    for group, keys in WANTED.items():
        assert keys <= {key for own, key, _ in ALL if own == group}


def test_the_run_is_followed_no_worse_than_without_its_preset(shared_data: Path) -> None:
    """The other clips and kinds: docs/presets.md."""
    motion = read_bvh(shared_data / "bvh" / "cmu" / "09_01.bvh").motion

    def figures(**settings: Any) -> Metrics:
        own = BakeSettings(assist_cap=0.0, find_assist=False, noise=0.1, seed=1, **settings)
        return bake(Job(motion, recognise(motion.skeleton), own)).meta.measured

    usual, run = figures(), figures(**named_preset("run").settings)
    assert run.full and run.joint_error_deg <= usual.joint_error_deg


def test_groups_share_no_setting() -> None:
    names = [name for own in SETTINGS.values() for name in own]
    assert len(names) == len(set(names)), "so that the order of presets of different groups does not matter"


def test_the_natural_reaction_is_the_default() -> None:
    settings = named_preset("natural").settings
    assert BakeSettings(**settings) == BakeSettings()


def written(folder: Path, content: Any) -> Path:
    path = folder / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), "utf-8")
    return path


@pytest.mark.parametrize(
    ("group", "content", "told"),
    [
        ("motions", '{\n "settings": {,}\n}', r"mine.json' is not valid JSON .*line 2"),
        ("motions", {"name": "x"}, r"mine.json: 'settings' is missing"),
        ("motions", {"name": "x", "settings": {"stifness": 1}}, r"mine.json, line 4: 'stifness'.* stiffness"),
        ("motions", {"settings": {"stiffness": "high"}}, r"line 3: 'stiffness' is 'high'"),
        ("motions", {"settings": {"stiffness": 3}}, r"line 3: stiffness is 3; it must lie between 0 and 1"),
        ("motions", {"settings": {"softness": 0.5}}, r"'softness' does not belong to motions"),
        ("reactions", {"settings": {}, "speed": 1}, r"line 3: 'speed' is unknown; a preset has name, about"),
        ("rigs", {"kind": "x", "bones": {"tail": []}}, r"line 4: .*'tail' is not a body part; there are h"),
        ("markers", {"name": "x", "centre": {"A": ["wing", None, "bone"]}}, r"'wing', which is no part"),
        ("characters", {"height": 1.7, "trunk": 3}, r"'trunk' must be a list"),
    ],
)
def test_a_broken_preset_says_where_and_what(tmp_path: Path, group: str, content: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_checked(group, written(tmp_path, content))


def test_what_is_saved_is_what_is_read(tmp_path: Path) -> None:
    settings = BakeSettings(stiffness=0.8, springs=0.1, softness=0.9)
    preset = read_checked("motions", written(tmp_path, preset_text("motions", "Mine", settings)))
    assert preset.name == "Mine"
    assert (preset.settings["stiffness"], preset.settings["springs"]) == (0.8, 0.1)
    assert "softness" not in preset.settings


def test_an_unknown_preset_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="motions: boxing, dance"):
        named_preset("swim")


def test_the_command_lists_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["presets", "--json"]) == 0
    assert WANTED["reactions"] <= set(json.loads(capsys.readouterr().out)["reactions"])
    broken = written(tmp_path, {"settings": {"weight": 2}})
    assert main(["presets", str(broken)]) == 2
    assert "line 3: weight is 2; it must lie between 0 and 1." in capsys.readouterr().err
