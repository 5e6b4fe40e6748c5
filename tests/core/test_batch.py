"""Batches: lists, what is done again, what fails and why, the ranking, the table and the sheet."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sim_core.base import files
from sim_core.base.errors import InputError
from sim_core.cli import main as cli
from sim_core.cli.batch import sheet
from sim_core.cli.batch.bake_arguments import bake_options, bake_words
from sim_core.cli.batch.batch_folder import (
    FAILED,
    FELL,
    UP,
    BatchFolder,
    ItemRecord,
    digest_of_results,
    finished,
    load_record,
    record_from_json,
    save_record,
)
from sim_core.cli.batch.batch_list import changes_from_words, read_list
from sim_core.cli.batch.ranking import ranked
from sim_core.cli.batch.run_item import ItemTask, task_from_json
from tests.core.sample_files import standing_bvh

ROOT = Path(__file__).parents[2]
WAIT_S = 300.0
"""A machine may have other work [s]."""
DRAFT = {"quality": "draft", "no-find-assist": True, "seconds": [0, 0.1]}


def write_list(folder: Path, **entries: Any) -> Path:
    path = folder / "list.json"
    path.write_text(json.dumps({"format": "heft-batch", "schema": 1, **entries}))
    return path


def test_axes_are_multiplied_and_items_added(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.bvh").write_text("")
    characters = [{"name": "child", "height": 1.2}, {"name": "adult", "height": 1.8}]
    axes = {"motion": ["*.bvh"], "character": characters, "seed": [0, 7]}
    single = {"name": "a/odd one", "motion": "a.bvh", "assist": 30}
    path = write_list(tmp_path, options={"assist": 0, "seed": 1}, axes=axes, items=[single])
    batch = read_list(path, {"quality": "draft"})
    names = [item.name for item in batch.items]
    assert names[:3] == ["a_child_seed0", "a_child_seed7", "a_adult_seed0"]
    assert len(names) == 2 * 2 * 2 + 1 and names[-1] == "a_odd_one"
    second = batch.named("a_child_seed7").options
    assert second == {"assist": 0, "seed": 7, "motion": "a.bvh", "height": 1.2, "quality": "draft"}
    assert batch.named("a_odd_one").options["assist"] == 30


def test_names_that_meet_get_numbers(tmp_path: Path) -> None:
    motions = ("x/run.bvh", "y/Run.bvh", "run.bvh")
    path = write_list(tmp_path, items=[{"motion": motion} for motion in motions])
    assert [item.name for item in read_list(path, {}).items] == ["run", "Run-2", "run-3"]


def test_a_folder_is_a_list_of_its_motions(tmp_path: Path) -> None:
    for name in ("a.bvh", "b.C3D", "notes.txt"):
        (tmp_path / name).write_text("")
    found = [item.options for item in read_list(tmp_path, {}).items]
    assert found == [{"motion": "a.bvh"}, {"motion": "b.C3D"}]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"schema": 2}, "\"schema\": 1, but has 'heft-batch' and 2"),
        ({"axis": {}}, "'axis', which is unknown"),
        ({}, "asks for no bakes"),
        ({"axes": {"seed": []}}, "at least one entry"),
        ({"axes": {"push": [{"noise": 1}]}}, 'no "name"'),
        ({"axes": {"motion": ["*.bvh"]}}, "No file fits"),
        ({"items": [{"seed": 1}]}, 'neither a "name" nor a "motion"'),
    ],
)
def test_wrong_lists_are_refused_in_one_sentence(tmp_path: Path, entries: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_list(write_list(tmp_path, **entries), {})


def test_options_become_the_words_of_bake() -> None:
    options: dict[str, Any] = {"motion": "-odd.bvh", "then": ["b.bvh", "c.bvh"], "seconds": [0, -1.5]}
    options["only_around_hits"] = True
    parsed = bake_options({**options, "assist": 3, "place": [[1, 2, 3]], "mass": None}, Path("r.npz"))
    assert parsed.motion == Path("-odd.bvh") and parsed.then == [Path("b.bvh"), Path("c.bvh")]
    assert parsed.seconds == [0.0, -1.5] and parsed.only_around_hits and parsed.assist == 3.0
    assert parsed.place == [[1.0, 2.0, 3.0]] and parsed.mass is None and parsed.out == Path("r.npz")
    for wrong in ({"motion": "a", "sede": 1}, {"motion": "a", "seed": "x"}, {"seed": 1}):
        with pytest.raises(InputError):
            bake_options(wrong, Path("r.npz"))
    with pytest.raises(InputError, match="names its results itself"):
        bake_words({"motion": "a", "out": "b"}, Path("r.npz"))


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("out=/tmp/x", True),
        ("out", "x"),
        ("with-out", ["x"]),
        ("with_out", "x"),
        ("with_out=x", True),
        ("gain-folder", "../../x"),
        ("gain_folder", "/tmp/x"),
        ("-out", "x"),
        ("", "x"),
        ("seed --out", 1),
        ("seed", {"a": 1}),
    ],
)
def test_a_list_names_no_file_to_write(tmp_path: Path, entry: str, value: object) -> None:
    with pytest.raises(InputError):
        bake_options({"motion": "a", entry: value}, tmp_path / "results" / "r.npz")


def test_gains_are_kept_in_the_batchs_folder(tmp_path: Path) -> None:
    parsed = bake_options({"motion": "a", "gain-folder": "gains"}, tmp_path / "results" / "r.npz")
    assert parsed.gain_folder == str(tmp_path / "gains")


def test_a_list_that_asks_for_more_than_anybody_has_is_refused(tmp_path: Path) -> None:
    axes = {f"axis{i}": [{"name": str(k)} for k in range(100)] for i in range(6)}
    with pytest.raises(InputError, match="1000000000000 bakes"):
        read_list(write_list(tmp_path, axes={"motion": ["a.bvh"], **axes}), {})


def test_a_damaged_record_is_not_believed(tmp_path: Path) -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"state": "great"},
        {"metrics": {"joint_error_deg": "small"}},
        {"metrics": {"fell_at": []}},
    )
    for wrong in changes:
        with pytest.raises(InputError, match="The record"):
            record_from_json(json.dumps({"name": "x", "digest": "d", "state": UP} | wrong))


def test_set_takes_json_or_text() -> None:
    assert changes_from_words(["quality=draft", "seconds=[0, 1]"]) == {"quality": "draft", "seconds": [0, 1]}
    with pytest.raises(InputError, match="NAME=VALUE"):
        changes_from_words(["draft"])


def test_a_record_with_half_of_its_measures_is_a_sentence(tmp_path: Path) -> None:
    half = record_from_json(
        json.dumps({"name": "x", "digest": "d", "state": UP, "metrics": {"joint_error_deg": 1}})
    )
    assert half.sentence() == "stayed up (0.0 s)"
    folder = BatchFolder(tmp_path)
    folder.create()
    folder.record("x").write_text(json.dumps({"name": "x", "digest": "d", "state": "odd"}))
    with pytest.raises(InputError, match="x.json.*bake it again"):
        load_record("x", folder)


def test_only_the_same_digest_with_its_result_is_finished(tmp_path: Path) -> None:
    folder = BatchFolder(tmp_path)
    folder.create()
    record = ItemRecord("x", "digest", UP, metrics={"result": "elsewhere/x.npz"})
    assert finished("x", "digest", folder) is None
    save_record(record, folder)
    assert finished("x", "digest", folder) is None
    folder.result("x").write_bytes(b"whole")
    assert finished("x", "digest", folder) is None
    record = replace(record, files=digest_of_results(record.metrics, folder))
    save_record(record, folder)
    assert finished("x", "digest", folder) == record
    folder.result("x").write_bytes(b"who")
    assert finished("x", "digest", folder) is None, "a damaged result is not a finished one"
    folder.result("x").write_bytes(b"whole")
    assert finished("x", "other", folder) is None
    save_record(replace(record, state=FAILED), folder)
    assert finished("x", "digest", folder) is None
    folder.record("x").write_text('{"name": "x"')
    assert finished("x", "digest", folder) is None


def test_tasks_travel_as_text() -> None:
    task = ItemTask("x", {"motion": "a.bvh", "seconds": [0, 1]}, "d", "/start", "/out", 5.0)
    assert task_from_json(task.as_json()) == task


def figures(up_s: float, assist_n: float, error: float) -> dict[str, Any]:
    measured = {"seconds": 2.0, "up_s": up_s, "assist_force_mean_n": assist_n}
    return measured | {"joint_error_source_deg": error, "rtf": error}


def test_the_ranking_is_fate_then_help_then_the_measure() -> None:
    records = [
        ItemRecord("broken", "", FAILED, "no"),
        ItemRecord("early fall", "", FELL, metrics=figures(0.5, 0.0, 0.1)),
        ItemRecord("late fall", "", FELL, metrics=figures(1.5, 9.0, 3.0)),
        ItemRecord("helped", "", UP, metrics=figures(2.0, 8.0, 0.2)),
        ItemRecord("rough", "", UP, metrics=figures(2.0, 0.2, 2.0)),
        ItemRecord("close", "", UP, metrics=figures(2.0, 0.4, 1.0)),
    ]
    names = [record.name for record in ranked(records)]
    assert names == ["close", "rough", "helped", "late fall", "early fall", "broken"]
    assert [record.name for record in ranked(records, "rtf")][:2] == ["rough", "close"]
    with pytest.raises(InputError, match="--rank-by 'beauty' is unknown"):
        ranked(records, "beauty")


class Page(HTMLParser):
    """Counts what a page has, and what it would fetch from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], int]:
    """Four items that work and two that do not; the list, what was told, the exit status."""
    folder = tmp_path_factory.mktemp("six")
    (folder / "stand.bvh").write_text(standing_bvh())
    (folder / "damaged.bvh").write_text(standing_bvh()[:400])
    sizes = [{"name": f"h{cm}", "height": cm / 100} for cm in (150, 180)]
    broken = [{"motion": "damaged.bvh"}, {"name": "<giant>", "motion": "stand.bvh", "height": 900}]
    axes = {"motion": ["stand.bvh"], "size": sizes, "seed": [0, 1]}
    path = write_list(folder, options=DRAFT, axes=axes, items=broken)
    status = cli.main(["batch", str(path), "--out", str(folder / "out"), "--jobs", "2"])
    rows = json.loads((folder / "out" / "table.json").read_text())["items"]
    return path, {row["name"]: row for row in rows}, status


def starts(out: Path) -> dict[str, int]:
    logs = (out / "log").glob("*.log")
    return {log.stem: log.read_text().count("started") for log in logs}


def test_broken_items_have_reasons_and_the_rest_have_results(six: tuple[Path, dict[str, Any], int]) -> None:
    path, rows, status = six
    out = path.parent / "out"
    assert status == 3
    assert sorted(file.stem for file in (out / "results").iterdir()) == sorted(
        name for name, row in rows.items() if row["state"] == "up"
    )
    assert sum(row["state"] == "up" for row in rows.values()) == 4
    assert "height is 900" in rows["giant"]["reason"] and rows["damaged"]["reason"].endswith(".")
    assert rows["damaged"]["result"] is None
    assert [row["rank"] for row in rows.values()] == list(range(1, 7))
    table = list(csv.DictReader((out / "table.csv").open()))
    assert [row["name"] for row in table] == list(rows)
    assert float(table[0]["joint_error_deg"]) == pytest.approx(rows[table[0]["name"]]["joint_error_deg"])
    assert not list(out.glob("**/*.heft-part"))


def test_the_sheet_is_one_page_with_a_picture_for_each_result(six: tuple[Path, dict[str, Any], int]) -> None:
    page = Page()
    page.feed((six[0].parent / "out" / "sheet.html").read_text())
    assert page.tags.count("svg") == 4 * sheet.STRIP and page.tags.count("section") == 6
    assert page.fetched == [] and "script" not in page.tags
    assert "4 stayed up, 0 fell, 2 failed" in page.text and "height is 900" in page.text


def test_only_what_is_new_or_failed_is_done_again(
    six: tuple[Path, dict[str, Any], int], capsys: pytest.CaptureFixture[str]
) -> None:
    path, rows, _ = six
    out = path.parent / "out"
    before = starts(out)
    one = next(iter(rows))
    (out / "results" / f"{one}.npz").unlink()
    assert cli.main(["batch", str(path), "--out", str(out), "--json"]) == 3
    told, said = capsys.readouterr()
    assert json.loads(told)["up"] == 4 and "3 of 6 items are finished already." in said
    again = {name for name, count in starts(out).items() if count > before.get(name, 0)}
    assert again == {one, "damaged", "giant"}


def test_a_killed_child_is_one_failed_item_and_a_killed_batch_goes_on(tmp_path: Path) -> None:
    (tmp_path / "stand.bvh").write_text(standing_bvh())
    path = write_list(tmp_path, options=DRAFT, axes={"motion": ["stand.bvh"], "seed": [0, 1]})
    out = tmp_path / "out"
    command = [sys.executable, "-m", "sim_core", "batch", str(path), "--out", str(out), "--jobs", "1"]
    batch = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert batch.stderr is not None
    first = wait_for(out / "log" / "stand_seed0.log")
    os.kill(int(first.split()[3]), signal.SIGKILL)
    second = wait_for(out / "log" / "stand_seed1.log")
    batch.kill()
    _, said = batch.communicate()
    assert "[1/2] stand_seed0: failed: The process of the bake died (killed by SIGKILL" in said
    assert wait_until_gone(int(second.split()[3]))
    part = files._part(out / "records" / "stand_seed1.json")  # as if it was killed while it wrote this
    part.with_name(part.name.replace(f"-{os.getpid()}-", f"-{batch.pid}-")).touch()
    assert cli.main(["batch", str(path), "--out", str(out), "--jobs", "1"]) == 0
    assert len(list((out / "results").iterdir())) == 2
    assert not list(out.glob("**/*.heft-part"))


def test_ctrl_c_is_told_and_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(tasks: Sequence[ItemTask], jobs: int, on_record: Callable[[ItemRecord], None]) -> None:
        on_record(ItemRecord(tasks[0].name, tasks[0].digest, UP))
        raise KeyboardInterrupt

    monkeypatch.setattr("sim_core.cli.batch.batch_command.run_here", stop)
    path = write_list(tmp_path, items=[{"motion": "a.bvh"}, {"motion": "b.bvh"}])
    assert cli.main(["batch", str(path), "--out", str(tmp_path / "out")]) == 130
    assert "Stopped; 1 of 2 items are finished and kept" in capsys.readouterr().err
    assert not (tmp_path / "out" / "table.csv").exists()


def wait_for(log: Path) -> str:
    """The first line of a log, as soon as it is there."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if log.is_file() and (text := log.read_text()).endswith("\n"):
            return text.splitlines()[0]
        time.sleep(0.01)
    raise AssertionError(f"{log.name} did not appear")


def wait_until_gone(process_id: int) -> bool:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process_id}/stat")
        if state.is_file() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True  # ended, and only not yet fetched by whoever took it over
        time.sleep(0.05)
    return False


def test_flamenco_gets_a_command_line_for_each_item(tmp_path: Path) -> None:
    path = write_list(tmp_path, items=[{"motion": "a.bvh"}, {"motion": "b.bvh"}])
    job = tmp_path / "job.json"
    words = ["batch", str(path), "--out", str(tmp_path / "out"), "--set", "quality=draft"]
    assert cli.main([*words, "--flamenco", str(job)]) == 0
    tasks = json.loads(job.read_text())["tasks"]
    assert [task["name"] for task in tasks] == ["a", "b", "contact sheet"]
    assert tasks[0]["args"][-2:] == ["--only", "a"] and tasks[2]["after"] == ["a", "b"]
    assert "quality=draft" in tasks[0]["args"] and tasks[0]["exe"] == "heft"
    assert not (tmp_path / "out").exists()
    assert cli.main(tasks[0]["args"]) == 3
    assert cli.main(tasks[2]["args"]) == 3
    assert "not run" in (tmp_path / "out" / "sheet.html").read_text()


@pytest.mark.parametrize("words", ["--jobs 0", "--item-seconds 0", "--rank-by beauty", "--only z"])
def test_wrong_options_are_refused_before_any_work(tmp_path: Path, words: str) -> None:
    path = write_list(tmp_path, items=[{"motion": "a.bvh"}])
    assert cli.main(["batch", str(path), "--out", str(tmp_path / "out"), *words.split()]) == 2
    assert not list(tmp_path.glob("out/log/*"))
