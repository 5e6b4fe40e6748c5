"""A motion that forces cannot produce, changed until they can, without a simulation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.analysis.analysis_file import figures
from sim_core.analysis.clip_dynamics import DynamicsSettings, analyse_motion
from sim_core.bake.plausible import Plausible, make_plausible
from sim_core.cli.main import main
from sim_core.motion.bvh_writer import write_bvh
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import read_bvh
from sim_core.report.frame_numbers import file_frames
from sim_core.report.measure_table import table_of
from sim_core.report.page import page_of
from sim_core.report.report import make_report
from sim_core.report.score import HALF
from sim_core.scenario.job import Job, load_job, save_job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person


def swaying(seconds: float = 1.2) -> Motion:
    """A walk whose body floats from side to side as no foot could make it."""
    motion = person(walk(seconds).performance)
    time = motion.time - motion.time[0]
    sway = 0.03 * np.sin(2.0 * np.pi * 2.0 * time)[:, None, None] * np.array([0.0, 1.0, 0.0])
    return replace(motion, position_world=motion.position_world + sway)


@pytest.fixture(scope="module")
def made() -> Plausible:
    return make_plausible(Job(swaying(), MAPPING, BakeSettings()))


def test_less_stays_unexplained_and_the_change_is_told(made: Plausible) -> None:
    told = made.figures
    assert told["residual_after_share"] < 0.2 * told["residual_before_share"]
    assert 0.5 < told["root_mean_cm"] < told["root_max_cm"] < 10.0
    (note,) = [note for note in made.result.meta.notes if note.startswith("So that forces")]
    assert f"{told['residual_before_share']:.1%} of the weight before" in note and "deg" in note
    assert not made.result.simulated.any() and not made.result.assist.any()


def test_the_analysis_of_the_new_motion_agrees(made: Plausible) -> None:
    before, after = (
        figures(analyse_motion(motion, MAPPING, DynamicsSettings()))["residual_force_n"]
        for motion in (swaying(), made.motion)
    )
    assert after < 0.5 * before


def test_bones_keep_their_lengths(made: Plausible) -> None:
    source, skeleton = swaying(), made.motion.skeleton
    child = np.flatnonzero(skeleton.parents >= 0)
    parent = skeleton.parents[child]

    def lengths(motion: Motion) -> np.ndarray:
        return np.linalg.norm(motion.position_world[:, child] - motion.position_world[:, parent], axis=2)

    assert np.allclose(lengths(made.motion), lengths(source), atol=0.01)


def test_a_job_file_asks_for_it_too(tmp_path: Path) -> None:
    job = Job(swaying(), MAPPING, BakeSettings(only_plausible=True))
    save_job(job, tmp_path / "j.npz")
    assert load_job(tmp_path / "j.npz").settings.only_plausible


def test_the_command_writes_a_motion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bvh(swaying(0.5), tmp_path / "in.bvh")
    out = tmp_path / "out.bvh"
    assert main(["plausible", str(tmp_path / "in.bvh"), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["residual_after_share"] <= told["residual_before_share"]
    assert len(read_bvh(out).motion.time) == len(swaying(0.5).time)
    assert main(["plausible", str(tmp_path / "in.bvh"), "--out", str(tmp_path / "out.txt")]) == 2
    assert "must end in .bvh or .npz" in capsys.readouterr().err


def test_the_report_judges_the_new_motion_as_it_judges_the_source(made: Plausible) -> None:
    report = make_report(made.result)
    before, after = report.before, report.after
    assert after is not None and not after.series.simulated and after.not_judged == ""
    assert set(after.score.parts) == set(before.score.parts) == set(HALF)
    assert after.score.parts["forces"] > before.score.parts["forces"]
    assert after.figures["outside_share"] < 0.5 * before.figures["outside_share"]
    assert after.figures["skate_cm_s"] < before.figures["skate_cm_s"]
    assert made.result.meta.report == report.record()
    rows = {row.name: row for row in table_of(before.figures, after.figures)}
    assert "up_s" not in rows, "nobody knows whether it would stay up"
    page = page_of(report, made.result, file_frames(made.result), "sway")
    assert "without a simulation" in page and "not judged" not in page.lower()
