"""The functions for scripts: their examples run, and they give what the command line gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_core import api
from sim_core.cli.main import main
from sim_core.markers.fit_file import fit_figures
from tools.demo.example_files import CHILD_M, STEP_M, write_example_files
from tools.demo.markers import ATTACHED_WITHIN_M
from tools.examples import run_examples

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python-api.md"
PHYSICAL = api.BakeSettings(assist_cap=0.0, loop="off")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    write_example_files(folder)
    return folder


def test_the_examples_of_the_page_run_as_they_are_written(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_examples(PAGE, files) == 7
    said = capsys.readouterr().out
    assert "s: ball with" in said
    assert f"{100 * STEP_M:.0f} cm" in said
    assert "missing.bvh" in said
    assert (files / "walk.npz").is_file() and (files / "fitted.bvh").is_file()


def test_every_name_of_the_facade_is_on_its_page() -> None:
    text = PAGE.read_text("utf-8")
    functions = [name for name in api.__all__ if name.islower()]
    assert [name for name in functions if f"api.{name}" not in text] == []


def test_a_bake_is_the_one_of_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip, out = files / "walk.bvh", files / "by_command.npz"
    words = ["bake", str(clip), "--out", str(out), "--assist", "0", "--no-loop", "--json"]
    assert main(words) == 0
    capsys.readouterr()
    ours, theirs = api.bake(clip, PHYSICAL), api.load_result(out)
    assert np.array_equal(ours.joint_position, theirs.joint_position)
    assert ours.meta.settings == theirs.meta.settings


def test_markers_on_the_mannequin_are_fitted_and_carry_its_weight(files: Path) -> None:
    fitted = api.fit(files / "walk.trc")
    assert fit_figures(fitted.fit)["marker_rms_cm"] < 100.0 * ATTACHED_WITHIN_M
    walk = api.dynamics(fitted)
    weight = 9.81 * walk.body_mass.sum()
    carried = walk.foot_force.sum(axis=1)[:, 2]
    # Somebody who neither rises nor sinks over some strides pushes with its weight on average.
    assert carried[walk.known].mean() == pytest.approx(weight, rel=0.05)


def test_a_retargeted_walk_has_the_legs_of_the_child(files: Path) -> None:
    child = api.retarget(files / "walk.bvh", files / "child.bvh", target_unit_m=0.01)
    assert child.leg_ratio == pytest.approx(CHILD_M / 1.75, rel=0.01)
    # A motion in memory, whose bones are recognised, stays as it is on its own body; BVH rounds to 1e-6.
    again = api.retarget(child.motion, files / "child.bvh", target_unit_m=0.01)
    assert np.allclose(again.motion.position_world, child.motion.position_world, atol=1e-4)


def test_a_result_is_not_a_motion(files: Path) -> None:
    api.save_result(api.bake(files / "step.bvh", api.BakeSettings(quality="draft")), files / "step.npz")
    with pytest.raises(api.HeftError, match="is a result, not a motion; read it with load_result"):
        api.dynamics(files / "step.npz")
    assert api.dynamics(api.load_result(files / "step.npz")).kind == "simulated"


def test_arguments_of_another_kind_are_refused_in_a_sentence(files: Path) -> None:
    walk, wrong = files / "walk.bvh", "scene.json"
    with pytest.raises(api.HeftError, match="scene must not be a str; read a scene file with load_scene"):
        api.bake(walk, scene=wrong)  # type: ignore[arg-type]
    with pytest.raises(api.HeftError, match="settings must not be a dict; make them with BakeSettings"):
        api.bake(walk, {})  # type: ignore[arg-type]
    for read in (api.bake, api.supports, api.dynamics):
        with pytest.raises(api.HeftError, match="motion must not be a NoneType; give a file, a Motion"):
            read(None)  # type: ignore[arg-type]
