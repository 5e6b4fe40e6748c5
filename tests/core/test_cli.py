"""The `heft` command: options, messages, exit status, and what is on which stream."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import SimulationError
from sim_core.base.progress import Progress, ProgressCallback
from sim_core.cli import main as cli
from sim_core.result.records import MotionInput
from sim_core.result.result import Result, load_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_files import small_metrics, small_result, standing_bvh

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "stand.bvh"
    path.write_text(standing_bvh())
    return path


class FakeBake:
    """Stands in for the simulation and remembers the job."""

    def __init__(self, outcome: Result | BaseException) -> None:
        self.outcome = outcome
        self.jobs: list[Job] = []

    def __call__(self, jobs: Sequence[Job], report: ProgressCallback) -> tuple[Result, ...]:
        self.jobs += jobs
        report(Progress("Simulating", 0.5))
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        results = [replace(self.outcome, meta=replace(self.outcome.meta, name=job.name)) for job in jobs]
        return tuple(results)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeBake:
    fake = FakeBake(small_result())
    monkeypatch.setattr("sim_core.cli.bake_command.bake_together", fake)
    return fake


def input_of(path: Path) -> MotionInput:
    record = load_result(path).meta.input
    assert record is not None
    return record


def bake(bvh: Path, *options: object) -> int:
    return cli.main(["bake", str(bvh), "--out", str(bvh.with_name("r.npz")), *map(str, options)])


def test_json_is_the_last_line_and_the_result_is_written(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bake(bvh, "--json") == 0
    out, err = capsys.readouterr()
    metrics = json.loads(out.splitlines()[-1])
    assert metrics == asdict(small_metrics()) | {"fell_at": None, "result": str(bvh.with_name("r.npz"))}
    assert "Simulating" in err and "All is well." in err
    assert "0.25 s: 'ball' hits the head with 8.0 Ns." in err
    source = load_result(bvh.with_name("r.npz")).meta.input
    assert source is not None and source.file == "stand.bvh" and source.frames_skipped in (0, 1)
    assert source.unit_m == pytest.approx(0.01) and source.notes
    assert all(note in err for note in source.notes)


def test_without_json_the_metrics_are_listed(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bake(bvh) == 0
    assert "joint_error_deg: 1.5" in capsys.readouterr().out.splitlines()


def test_all_options_reach_the_job(bvh: Path, fake: FakeBake) -> None:
    options = "--quality draft --assist 0 --seed 3 --noise 0.1 --height 1.9 --mass 90"
    options += " --balance swing_hip --no-find-assist --effort 0.1 --stiffness 0.2 --balance-weight 0.3"
    options += " --softness 0.4 --alertness 0.6 --weight 0.7 --tracking-gain 800 --springs 0.1"
    assert bake(bvh, *options.split(), "--unit", 0.02, "--fps", 60, "--seconds", 0.1, 0.3) == 0
    job = fake.jobs[0]
    assert job.settings == BakeSettings(
        "draft", 0.0, 3, 0.1, 1.9, 90.0, balance="swing_hip", find_assist=False, effort=0.1, stiffness=0.2,
        balance_weight=0.3, softness=0.4, alertness=0.6, weight=0.7, tracking_gain=800.0, springs=0.1,
    )  # fmt: skip
    assert job.motion.rate_hz == pytest.approx(60.0)
    assert job.motion.duration == pytest.approx(0.2)
    heights = job.motion.position_world[:, job.motion.skeleton.index["Hips"], 2]
    assert heights == pytest.approx(2.0 * 0.97)


def test_presets_later_ones_win_and_options_win_over_all(bvh: Path, fake: FakeBake, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"settings": {"softness": 0.9}}', "utf-8")
    chosen = ["--preset", "ragdoll", "--preset", "child", "--preset", own]
    assert bake(bvh, *chosen, "--effort", 0.7, "--mass", 30) == 0
    expected = BakeSettings(height=1.38, mass=30.0, softness=0.9, effort=0.7)
    assert fake.jobs[0].settings == expected, "nothing is left of the first reaction"
    assert input_of(bvh.with_name("r.npz")).presets == tuple(str(word) for word in chosen[1::2])


def test_a_strike_reaches_the_job_and_is_told(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    aim = "--aim hand.R --at 1 2 3 --frame 4 --speed 5 --aim-blend 0.3"
    assert bake(bvh, *aim.split(), "--fps", 50) == 0
    (asked,) = fake.jobs[0].aims
    skipped = input_of(bvh.with_name("r.npz")).frames_skipped
    assert (asked.bone, asked.speed, asked.blend) == ("hand.R", 5.0, 0.3)
    assert asked.time == pytest.approx((3 - skipped) / 50.0) and asked.at.tolist() == [[1.0, 2.0, 3.0]]
    said = capsys.readouterr().err
    assert "0.30 s: The right hand comes within 1.0 cm of its target at 4.9 m/s (5.0 m/s were" in said


def test_a_fall_is_told_by_frame_and_still_saved(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.outcome = small_result(fell_at=0.5, source_time=np.arange(7) / 30 + 0.2)
    assert bake(bvh, "--seconds", 0.2, 0.9, "--json") == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["fell_at"] == 0.5
    skipped = input_of(bvh.with_name("r.npz")).frames_skipped
    assert f"fell after 0.50 s (frame {22 + skipped})" in err


def test_another_character_has_its_own_file_size_and_place(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bvh.with_name("guest.bvh")
    other.write_text(standing_bvh())
    fake.outcome = small_result(fell_at=0.5)
    sizes = ("--height", 1.7, "--with-height", 1.9, "--with-mass", 90)
    assert bake(bvh, "--with", other, "--with", bvh, *sizes, "--place", 1.0, 2.0, 90.0, "--json") == 3
    assert [job.name for job in fake.jobs] == ["stand", "guest", "stand"]
    assert [job.settings.height for job in fake.jobs] == [1.7, 1.9, None]
    assert [job.settings.mass for job in fake.jobs] == [None, 90.0, None]
    assert input_of(bvh.with_name("r_guest.npz")).place == (1.0, 2.0, 90.0)
    assert input_of(bvh.with_name("r_stand.npz")).file == "stand.bvh"
    out, err = capsys.readouterr()
    assert json.loads(out)["others"]["guest"]["result"] == str(bvh.with_name("r_guest.npz"))
    assert "guest: 0.25 s: 'ball' hits the head with 8.0 Ns." in err
    first, second, _ = (job.motion.position_world[0] for job in fake.jobs)
    centre, way = first[0], second - first
    assert way[0] == pytest.approx([1.0, 2.0, 0.0])
    # A quarter turn to the left about where it starts: what was ahead is now on the left.
    arm = (first - centre)[:, :2] @ [[0.0, 1.0], [-1.0, 0.0]]
    assert (second - second[0])[:, :2] == pytest.approx(arm)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--place", "1", "0", "0"], "--place is given 1 time"),
        (["--with", "BVH", "--with-mass", "60", "--with-mass", "70"], "--with-mass is given 2 time"),
        (["--with", "BVH", "--with-out", "OUT"], "Two results would go to"),
        (["--with", "BVH", "--with-out", "BVH"], "--with-out names the file"),
    ],
)
def test_options_of_characters_that_do_not_fit_are_refused(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    named = {"BVH": str(bvh), "OUT": str(bvh.with_name("r.npz"))}
    assert bake(bvh, *[named.get(option, option) for option in options]) == 2
    assert said in capsys.readouterr().err
    assert not fake.jobs


def test_motions_in_sequence_are_one_motion_with_its_parts(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bvh.with_name("sway.bvh")
    other.write_text(standing_bvh())
    fake.outcome = small_result(fell_at=1.5, source_time=np.arange(7) / 30)
    assert bake(bvh, "--then", other, "--then", bvh, "--blend", 0.2) == 3
    motion = fake.jobs[0].motion
    meta = load_result(bvh.with_name("r.npz")).meta
    assert [part.name for part in meta.parts] == ["stand.bvh", "sway.bvh", "stand.bvh"]
    first, second, third = meta.parts
    assert first.start_s == 0.0 and first.transition is None
    assert 0.0 < second.start_s <= first.end_s <= second.start_s + 0.2 + 1e-9
    assert third.end_s == pytest.approx(motion.duration)
    assert 1.0 < motion.duration <= 3.1
    assert second.transition is not None and second.transition.cost >= 0.0
    err = capsys.readouterr().err
    assert "'stand.bvh' goes over into 'sway.bvh'" in err
    assert re.search(r"fell after 1.50 s \(frame \d+ of 's\w+.bvh'\)", err)


def test_transitions_are_listed_by_their_cost(bvh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = bvh.with_name("sway.bvh")
    other.write_text(standing_bvh())
    assert cli.main(["transitions", str(bvh), str(other), "--json"]) == 0
    costs = json.loads(capsys.readouterr().out)
    assert set(costs) == {f"{a} -> {b}" for a in ("stand", "sway") for b in ("stand", "sway")}
    assert list(costs.values()) == sorted(costs.values())
    assert costs["stand -> sway"] == pytest.approx(costs["sway -> stand"])


@pytest.mark.parametrize(
    ("outcome", "status", "words"),
    [
        (SimulationError("It burst at frame 3."), 3, "It burst at frame 3."),
        (KeyboardInterrupt(), 130, "Stopped; nothing was saved."),
        (ZeroDivisionError("oops"), 1, "An internal error stopped Heft (ZeroDivisionError: oops)"),
    ],
)
def test_failures_save_nothing_and_say_why(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str], outcome: Any, status: int, words: str
) -> None:
    fake.outcome = outcome
    assert bake(bvh, "--json") == status
    out, err = capsys.readouterr()
    assert out == "" and words in err.splitlines()[-1]
    assert ("Traceback" in err) == (status == 1)
    assert os.listdir(bvh.parent) == ["stand.bvh"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--quality perfect", "draft, standard, best"),
        ("--assist -1", "assist_cap is -1.0"),
        ("--assist much", "invalid float value: 'much'"),
        ("--seed 1.5", "--seed"),
        ("--height 0", "height is 0.0"),
        ("--mass nan", "mass is nan"),
        ("--unit 0", "unit is 0"),
        ("--fps 0", "--fps is 0"),
        ("--fps nan", "--fps is nan"),
        ("--seconds 1", "--seconds"),
        ("--seconds 0.5 0.2", "--seconds is 0.5 0.2"),
        ("--seconds -1 0.2", "--seconds is -1 0.2"),
        ("--seconds 50 60", "Nothing lies between 50 s and 60 s"),
        ("--scene absent.json", "'absent.json' does not exist"),
        (f"--scene {__file__}", "not valid JSON"),
        ("--aim hand.R", "add --at X Y Z"),
        ("--at 0 0 1", "--at belongs to --aim BONE"),
        ("--aim a.json --speed 2", "--speed belongs to --aim BONE"),
        ("--aim a.json", "'a.json' does not exist"),
        ("--aim hand.R --at 0 0 1 --speed -1", "'hand.R' strikes at -1 m/s"),
        ("--aim hand.R --at 0 0 1 --aim-blend 9", "it must be 0.1 to 2"),
        ("--then absent.bvh", "absent.bvh' does not exist"),
        ("--then {bvh} --blend 9", "between 0 and 2"),
        ("--out absent/r.npz", "does not exist"),
        ("--out {bvh}", "choose another name"),
        ("--out {bvh}/r.npz", "not a folder"),
        ("--qual draft", "unrecognized arguments: --qual draft"),
        ("--bogus", "unrecognized arguments: --bogus"),
    ],
)
def test_bad_options_are_one_sentence(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str], options: str, words: str
) -> None:
    try:
        status = bake(bvh, *options.format(bvh=bvh).split())
    except SystemExit as leaving:  # how argparse ends
        status = int(leaving.code or 0)
    out, err = capsys.readouterr()
    assert status == 2 and out == ""
    assert words in err and err.count("\n") == 1 and err.endswith(".\n")
    assert not fake.jobs and os.listdir(bvh.parent) == ["stand.bvh"]


@pytest.mark.parametrize("arguments", [[], ["dance"], ["bake"], ["bake", "x.bvh"]])
def test_an_incomplete_command_is_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        cli.main(arguments)
    err = capsys.readouterr().err
    assert leaving.value.code == 2
    assert err.count("\n") == 1 and "--help" in err


def test_a_damaged_motion_is_one_sentence(
    bvh: Path, fake: FakeBake, capsys: pytest.CaptureFixture[str]
) -> None:
    bvh.write_text("HIERARCHY\nROOT Hips\n{\n")
    assert bake(bvh) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert bake(bvh.with_name("absent.bvh")) == 2
    assert "absent.bvh" in capsys.readouterr().err


def heft(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sim_core", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that a shell runs in the background ignore Ctrl-C, and so would the child.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_the_version_is_the_same_everywhere(tmp_path: Path) -> None:
    out, _ = heft(tmp_path, "--version").communicate(timeout=30)
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    extension = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    assert out.split() == ["heft", package] and extension == package


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_ends_a_real_bake_cleanly(bvh: Path) -> None:
    process = heft(bvh.parent, "bake", bvh, "--out", "r.npz", "--fps", 0.5)
    assert process.stderr
    for line in process.stderr:
        if line.endswith("...\n"):
            break
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err.splitlines()[-1] == "Stopped; nothing was saved."
    assert os.listdir(bvh.parent) == ["stand.bvh"]


def test_a_real_bake(bvh: Path) -> None:
    process = heft(
        bvh.parent, "bake", bvh, "--out", "r.npz", "--quality", "draft", "--seconds", 0, 0.5, "--json"
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 3), err
    metrics = json.loads(out.splitlines()[-1])
    result = load_result(bvh.with_name("r.npz"))
    assert (metrics["fell_at"] is None) == (process.returncode == 0)
    assert asdict(result.meta.measured).items() <= metrics.items()
    assert len(result.source_time) == len(result.bone_position) >= 15
    assert sorted(os.listdir(bvh.parent)) == ["r.npz", "stand.bvh"]
