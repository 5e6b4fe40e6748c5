"""Exported replays: MuJoCo alone computes the motion of a result again, and a wrong one is noticed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from sim_core.bake.assemble import assemble
from sim_core.bake.attempt import Attempt
from sim_core.bake.baked import BakedCharacter
from sim_core.bake.methods import USUAL
from sim_core.bake.monitor import Monitor
from sim_core.bake.pipeline import bake, bake_together, run_attempt
from sim_core.bake.replay_export import export_replay
from sim_core.bake.replay_script import LARGEST_M, replay
from sim_core.bake.search_stage import search_after_fall
from sim_core.bake.setup import set_up
from sim_core.base.errors import InputError
from sim_core.base.progress import ignore_progress
from sim_core.cli.main import main
from sim_core.result.result import Result, save_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import FLAT, Hinge, Keys, Launch, Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, HeightField, Hull, Sphere
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, Performance, person, standing

SETTINGS = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)
STILL = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
BRICK = SceneObject("brick", Role.PROP, Box(np.full(3, 0.1)), np.array([0.25, 0.0, 1.0]), mass=3.0)
ROCK = SceneObject(
    "rock", Role.PROP, Hull(CORNERS @ np.diag([0.1, 0.07, 0.05])), np.array([1.0, 0, 0.5]), mass=2.0
)
BALL = SceneObject(
    "ball",
    Role.PROJECTILE,
    Sphere(0.1),
    np.array([1.2, 0.0, 1.3]),
    mass=2.0,
    launch=Launch(0.1, 6.0, "chest"),
)
LIFT = SceneObject(
    "lift",
    Role.MOVING,
    Box(np.array([2.0, 2.0, 0.5])),
    keys=Keys(np.array([0.0, 1.0]), np.array([[0.0, 0.0, -0.5], [0.3, 0.0, -0.4]]), STILL),
)
BOARD = SceneObject(
    "board",
    Role.HINGE,
    Box(np.array([0.5, 0.3, 0.02])),
    np.array([0.9, 0.0, 0.8]),
    mass=5.0,
    hinge=Hinge(np.array([0.0, 1.0, 0.0]), -1.0, 1.0),
)
HEIGHTS = 0.01 * np.random.default_rng(0).uniform(size=(7, 9))
FIELD = SceneObject("field", Role.GROUND, HeightField(np.array([3.0, 3.0]), HEIGHTS))
PUSH = Push("chest", np.array([80.0, 0.0, 0.0]), 0.1, 0.1)


def write(result: Result, folder: Path) -> Path:
    """Export the replay of a result by the command, and return its folder."""
    save_result(result, folder / "r.npz")
    assert main(["export", "--replay", str(folder / "r.npz")]) == 0
    return folder / "r_replay"


def distance(result: Result, folder: Path) -> float:
    """Replay a result in this process; return the largest distance of a joint [m]."""
    written = write(result, folder)
    return float(replay(written, dict(np.load(written / "replay.npz"))).max())


@pytest.fixture(scope="module")
def tracked() -> Result:
    return bake(Job(person(walk(0.6).performance), MAPPING, replace(SETTINGS, quality="standard")))


@pytest.fixture(scope="module")
def searched() -> Result:
    """Trunk and arms thrown forwards, which tips the tracker over; the search goes on from there."""
    stood = standing(0.5)
    bent = 1.6 * np.clip(stood.time / 0.3, 0.0, 1.0)
    parts = {"abdomen": np.outer(bent, [0.0, 1.0, 0.0]), "chest": np.outer(bent, [0.0, 0.5, 0.0])}
    motion = person(Performance(stood.time, parts, stood.hips_offset + np.outer(bent, [0.9, 0.0, 0.2])))
    settings = replace(SETTINGS, quality="standard")
    setups, monitor = set_up((Job(motion, MAPPING, settings),)), Monitor(ignore_progress)
    found = search_after_fall(setups, run_attempt(setups, (Attempt(USUAL),), monitor), monitor)
    return assemble(BakedCharacter(found.setups[0], found.outcomes[0]), settings, {"search": 1.0})


@pytest.mark.parametrize("kind", ["tracked", "searched"])
def test_the_script_needs_nothing_but_mujoco(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    result: Result = request.getfixturevalue(kind)
    assert (result.meta.search is not None) == (kind == "searched")
    folder, bare = write(result, tmp_path), tmp_path / "bare"
    bare.mkdir()
    for package in (Path(mujoco.__file__).parent, *Path(np.__file__).parents[1].glob("numpy*")):
        (bare / package.name).symlink_to(package)
    code = (
        "import importlib.util, runpy, sys\n"
        f"sys.path.append({str(bare)!r})\n"
        "assert all(importlib.util.find_spec(name) is None for name in ('sim_core', 'scipy'))\n"
        f"runpy.run_path({str(folder / 'replay.py')!r}, run_name='__main__')\n"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    later = "qacc_warmstart" if kind == "searched" else "nothing"
    assert f"besides controls and gains: {later}\n" in done.stdout
    seconds = f"{result.time[-1] - result.time[0]:.2f} s"
    assert f"within 0.1 mm until {seconds} of {seconds}\n" in done.stdout
    assert "0.0000" in done.stdout.splitlines()[-1]


def jobs_of(*scenes: Scene, **settings: Any) -> list[Job]:
    own = replace(SETTINGS, **settings)
    return [Job(person(standing(0.6)), MAPPING, own, scene, name=f"p{i}") for i, scene in enumerate(scenes)]


@pytest.mark.parametrize(
    "jobs",
    [
        lambda: jobs_of(Scene((BRICK, ROCK))),
        lambda: jobs_of(Scene((BALL,))),
        lambda: jobs_of(Scene((LIFT,))),
        lambda: jobs_of(Scene((BOARD,))),
        lambda: jobs_of(Scene((FIELD,), (PUSH,))),
        lambda: jobs_of(Scene((BALL, BRICK), (PUSH,)), only="upper"),
        lambda: jobs_of(Scene((BALL,)), only_around_hits=True),
        lambda: jobs_of(FLAT, blend_in_s=0.2),
    ],
    ids=["props", "projectile", "lift", "hinge", "ground and push", "upper body", "around hits", "blended"],
)
def test_scenes_are_replayed(jobs: Callable[[], list[Job]], tmp_path: Path) -> None:
    (result,) = bake_together(jobs())
    assert distance(result, tmp_path) < LARGEST_M


def test_characters_are_replayed_together(tmp_path: Path) -> None:
    first, second = jobs_of(FLAT, FLAT)
    moved = second.motion.position_world + [0.35, 0.0, 0.0]
    second = replace(second, motion=replace(second.motion, position_world=moved))
    for number, result in enumerate(bake_together((first, second))):
        (tmp_path / str(number)).mkdir()
        assert distance(result, tmp_path / str(number)) < LARGEST_M


def test_a_force_that_is_left_out_is_noticed(tracked: Result, tmp_path: Path) -> None:
    folder = write(tracked, tmp_path)
    given = dict(np.load(folder / "replay.npz"))
    given["control"][100:105] = 0.0
    distance = replay(folder, given)
    assert (distance[:11] < LARGEST_M).all(), "before the force is missing"
    assert distance[15:].min() > LARGEST_M


def test_what_was_not_simulated_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = bake(Job(person(walk(0.3).performance), MAPPING, replace(SETTINGS, simulate=False)))
    with pytest.raises(InputError, match="nothing in it was simulated"):
        export_replay(kept)
    assert main(["export", "--replay", str(tmp_path / "walk.bvh")]) == 2
    assert "only results can be replayed" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "r.npz")]) == 2
    assert "--out is missing" in capsys.readouterr().err


def test_the_command_tells_where_and_how_much(
    tracked: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_result(tracked, tmp_path / "r.npz")
    source, out = str(tmp_path / "r.npz"), str(tmp_path / "a" / "b")
    assert main(["export", "--replay", source, "--out", out, "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["engine_steps"] == 10 * (len(tracked.time) - 1)
    assert {path.name for path in Path(told["result"]).iterdir()} == {
        "model.xml",
        "model.mjb",
        "replay.npz",
        "replay.py",
    }
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "a" / "b" / "model.xml"))
    assert model.nu == tracked.control.shape[1]
