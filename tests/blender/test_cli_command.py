"""`blender --command heft bake`: exit status, output file and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest
from heft.addon.cli import command as cli_command
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.rigs import animate, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def blend(tmp_path: Path) -> Path:
    obj = humanoid()
    animate(obj, "Hips")
    path = tmp_path / "walk.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_bake_saves_a_new_file(blend: Path, capfd: pytest.CaptureFixture[str]) -> None:
    original = blend.read_bytes()
    arguments = ["bake", str(blend), "--quality", "draft", "--assist", "500", "--frames", "1", "8", "--json"]
    status = cli_command.run([*arguments, "--few-keys", "--only", "upper"])
    out = capfd.readouterr().out.strip().splitlines()
    metrics = json.loads(out[-1])
    assert status == (0 if metrics["fell_frame"] is None else 3)
    assert metrics["out"].endswith("walk_heft.blend")
    assert "joint_error_deg" in metrics
    assert metrics["kinematic_share"] > 0.3  # hips and legs
    assert blend.read_bytes() == original
    assert sorted(path.name for path in blend.parent.iterdir()) == ["walk.blend", "walk_heft.blend"]
    bpy.ops.wm.open_mainfile(filepath=metrics["out"])
    assert {"FigureAction", "FigureAction_heft"} <= {action.name for action in bpy.data.actions}
    assert bpy.data.objects["Figure"].animation_data.action.name == "FigureAction_heft"
    assert bpy.data.objects["Figure"].heft_keys.count > 0


def test_several_armatures_are_one_bake(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for x in (0.0, 2.0):
        animate(humanoid(), "Hips")
        bpy.context.object.location.x = x
    path = tmp_path / "two.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    both = ["--armature", "Figure", "--armature", "Figure.001"]
    arguments = ["bake", str(path), "--quality", "draft", "--assist", "500", "--frames", "1", "8", "--json"]
    status = cli_command.run([*arguments, *both])
    out, err = capfd.readouterr()
    metrics = json.loads(out.strip().splitlines()[-1])
    (other,) = metrics["others"]
    everybody_up = metrics["fell_frame"] is None and other["fell_frame"] is None
    assert status == (0 if everybody_up else 3)
    assert f"Figure.001: Baked to '{other['action']}'" in err
    bpy.ops.wm.open_mainfile(filepath=metrics["out"])
    names = [bpy.data.objects[name].animation_data.action.name for name in ("Figure", "Figure.001")]
    assert names == [metrics["action"], other["action"]]


def test_presets_go_over_the_file_and_are_kept_in_it(blend: Path, tmp_path: Path) -> None:
    """As in the panel: the whole group, and the later of two of one group; options go over presets."""
    mine = tmp_path / "mine.json"
    mine.write_text('{"name": "Mine", "settings": {"alertness": 0.9}}', "utf-8")
    bpy.data.objects["Figure"].heft.dials.recovery_s = 1.5
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    short = ["bake", str(blend), "--quality", "draft", "--assist", "500", "--frames", "1", "8"]
    wanted = [part for name in ("jump", "sneak", "ragdoll", str(mine)) for part in ("--preset", name)]
    assert cli_command.run([*short, *wanted, "--json"]) in (0, 3)
    bpy.ops.wm.open_mainfile(filepath=str(blend.with_name("walk_heft.blend")))
    obj = bpy.data.objects["Figure"]
    dials = obj.heft.dials
    assert (dials.motions, dials.reactions) == ("sneak", "")
    assert (dials.springs, dials.tracking_gain) == pytest.approx((0.005, 500.0))
    assert (dials.alertness, dials.softness) == pytest.approx((0.9, BakeSettings.softness))
    assert dials.recovery_s == pytest.approx(BakeSettings.recovery_s), "nothing is left of what was there"
    assert obj.heft.baked_action.name == "FigureAction_heft"


@pytest.mark.parametrize(
    "extra",
    [
        ["--preset", "swim"],
        ["--preset", "dasilva2008_3d"],
        ["--armature", "Nobody"],
        ["--quality", "superb"],
        ["--only", "feet"],
        ["--assist", "-1"],
        ["--frames", "5", "5"],
    ],
)
def test_bad_options_are_one_line_and_status_2(
    blend: Path, extra: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli_command.run(["bake", str(blend), *extra]) == 2
    said = capfd.readouterr().err.strip().splitlines()
    assert said[-1].endswith(".")
    assert [path.name for path in blend.parent.iterdir()] == ["walk.blend"]


def test_missing_or_foreign_files_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli_command.run(["bake", str(tmp_path / "none.blend")]) == 2
    assert "does not exist" in capfd.readouterr().err
    foreign = tmp_path / "text.blend"
    foreign.write_text("hello")
    assert cli_command.run(["bake", str(foreign)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["text.blend"]


def test_a_missing_out_folder_is_refused_before_any_work(blend: Path, tmp_path: Path) -> None:
    assert cli_command.run(["bake", str(blend), "--out", str(tmp_path / "no" / "x.blend")]) == 2
