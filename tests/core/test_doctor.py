"""The check of an installation: what is looked at, and what is said when something is wrong."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.cli import main as cli
from sim_core.control.tracking.qp import BoxQP, Daqp
from sim_core.doctor import checks as packages
from sim_core.doctor.checks import ANSWER, NEEDED, PROBLEM, check_packages, check_solvers
from sim_core.doctor.examine import DoctorJob, DoctorReport, examine
from sim_core.jobs.doctor_job import load_doctor_job, load_doctor_report, save_doctor_job, save_doctor_report

ROOT = Path(__file__).parents[2]


def test_the_packages_are_those_that_are_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    wanted = dict(re.findall(r"^([\w-]+)[>=]=(\S+)$", "\n".join(declared), re.M))
    assert len(wanted) == len(declared)
    assert {name: oldest for name, (_, oldest) in NEEDED.items()} == wanted


def test_the_manual_names_every_package_that_is_checked() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text("utf-8")
    (named,) = re.findall(r"^\| each package: ([^|]+) \|", page, re.M)
    assert named.split(", ") == list(NEEDED)


def test_all_is_well_here_and_the_bake_stays_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["failed"] == 0 and {"heft", "python", "mujoco-core"} <= found["versions"].keys()
    names = [check["name"] for check in found["checks"]]
    assert names[-3:] == ["solver DAQP", "solver OSQP", "self-test bake"]
    assert "stayed up" in found["checks"][-1]["found"]
    for folder in found["origins"].values():
        assert Path(folder).is_dir()


def test_the_known_answer_is_the_minimum_within_the_bounds() -> None:
    assert PROBLEM.residual(ANSWER) < 1e-12
    inside = np.linalg.solve(PROBLEM.hessian, -PROBLEM.gradient)
    assert inside[0] > PROBLEM.high[0]


def test_a_solver_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Daqp, problem: BoxQP, guess: object) -> FloatArray:
        return ANSWER + 0.01

    monkeypatch.setattr(Daqp, "solve", wrong)
    daqp, osqp = check_solvers()
    assert not daqp.well and osqp.well and "Reinstall" in daqp.advice


def test_missing_and_old_packages_are_named_and_no_bake_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(packages.NEEDED, "numpy", ("numpy", "999.1"))
    monkeypatch.setitem(packages.NEEDED, "heft-nothing", ("heft_nothing", "1"))
    wrong = {check.name: check for check in check_packages() if not check.well}
    assert wrong.keys() == {"numpy", "heft-nothing"}
    assert "999.1 or later" in wrong["numpy"].advice and "cannot be loaded" in wrong["heft-nothing"].found
    found = examine(DoctorJob())
    assert found.failed == 2 and not any("bake" in check.name for check in found.checks)


def test_a_folder_that_cannot_be_written_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "gone"))
    assert cli.main(["doctor"]) == 3
    said = capsys.readouterr().out
    assert "temporary folder: WRONG: " in said and "writable" in said and "failed: 1" in said


def test_it_travels_as_json(tmp_path: Path) -> None:
    around = DoctorJob({"blender": "5.0"}, {"user folder": "/x"})
    save_doctor_job(around, tmp_path / "job")
    assert load_doctor_job(tmp_path / "job") == around
    found = DoctorReport({"heft": "1"}, {"numpy": "/y"}, check_solvers())
    save_doctor_report(found, tmp_path / "result")
    assert load_doctor_report(tmp_path / "result") == found
