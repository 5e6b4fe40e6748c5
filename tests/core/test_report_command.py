"""`heft report` of a bake and of a clip."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.cli.main import main
from sim_core.motion.bvh_writer import write_bvh
from sim_core.report.frame_numbers import file_frames
from sim_core.report.page import page_of
from sim_core.report.report import make_report
from sim_core.result.records import Hit
from sim_core.result.result import Result, save_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import MAPPING, person, standing


@pytest.fixture(scope="module")
def stand() -> Result:
    settings = BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)
    return bake(Job(person(standing(0.5)), MAPPING, settings))


@pytest.fixture(scope="module")
def stand_file(stand: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "<stand> & more.npz"
    save_result(stand, path)
    return path


class Loads(HTMLParser):
    """What a page would fetch, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.heading = ""
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href") and tag != "a"]

    def handle_data(self, data: str) -> None:
        self.heading += data if self._in == "h1" else ""

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


def test_one_page_that_needs_nothing_else(
    stand_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    assert main(["report", str(stand_file), "--html", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    text = out.read_text("utf-8")
    page = Loads()
    page.feed(text)
    assert page.fetched == []
    assert page.heading == stand_file.name, "names with signs of HTML in them stay as they are"
    assert text.count("<svg viewBox") > 8 and text.count("Plotly.newPlot(") >= 7
    assert told["score"] == pytest.approx(told["after"]["score"]) and 0.0 <= told["score"] <= 100.0
    assert told["after"]["residual_share"] < 0.01


def test_curves_for_other_programs(stand: Result, stand_file: Path, tmp_path: Path) -> None:
    folder, file = tmp_path / "new" / "curves", tmp_path / "curves.npz"
    assert main(["report", str(stand_file), "--csv", str(folder), "--npz", str(file)]) == 0
    with (folder / "after.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(stand.time)
    assert float(rows[9]["shin.L/x_nm"]) == pytest.approx(
        float(stand.torque[9, list(stand.torque_name).index("shin.L/x")])
    )
    with np.load(file, allow_pickle=False) as arrays:
        assert arrays["after_torque"] == pytest.approx(stand.torque)
        # All that feet carry is all that the ground gives, for nothing else touches it.
        total = arrays["after_foot_force"].sum(axis=1)
        assert total == pytest.approx(stand.contact_force.sum(axis=1), abs=1e-9)
        assert json.loads(str(arrays["meta"]))["after"]["score"]["total"] > 0.0
    problems = (folder / "problems.csv").read_text().splitlines()
    assert problems[0].startswith("when,frame,") and {line.partition(",")[0] for line in problems[1:]} <= {
        "before",
        "after",
    }


def test_the_result_holds_its_judgement(stand: Result) -> None:
    """Blender shows what the child process found."""
    report = make_report(stand)
    assert stand.meta.report == report.record()


def test_options_of_motion_files_are_refused_for_results(
    stand_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(stand_file), "--mass", "70"]) == 2
    assert "--mass is for motion files" in capsys.readouterr().err


def test_a_clip_that_glides_is_told_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A body that stands and is moved along at 0.2 m/s: nothing else is wrong with it."""
    still, clips = standing(1.0), {}
    way = np.outer(0.2 * still.time, [1.0, 0.0, 0.0])
    for name, offset in (("stand", still.hips_offset), ("glide", still.hips_offset + way)):
        file = tmp_path / f"{name}.bvh"
        write_bvh(person(replace(still, hips_offset=offset)), file)
        assert main(["report", str(file), "--json"]) == 0
        clips[name] = json.loads(capsys.readouterr().out.splitlines()[-1])
    stand, glide = clips["stand"], clips["glide"]
    assert "after" not in stand and stand["score"] > 90.0 and stand["worst_frames"] == []
    assert glide["before"]["skate_cm_s"] == pytest.approx(20.0, rel=0.02)
    assert glide["before"]["outside_share"] < 0.02, "a steady glide needs no force"
    (told,) = glide["worst_frames"]
    assert "left foot slides 20 cm" in told and "right foot slides 20 cm" in told


def test_names_from_outside_cannot_break_the_page(stand: Result) -> None:
    evil = "</script><script>alert(1)</script>"
    hit = Hit(0.2, "trunk", "chest", evil, 5.0)
    result = replace(stand, meta=replace(stand.meta, hits=(hit,), notes=(evil,)))
    assert evil not in page_of(make_report(result), result, file_frames(result), evil)
