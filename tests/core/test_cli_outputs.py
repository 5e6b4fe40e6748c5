"""Files that commands write: none that is read is overwritten, and none is written twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim_core.cli import main as cli
from tests.core.sample_files import standing_bvh

WORDS = {
    "bake --scene": "bake A --out JSON --scene JSON",
    "bake --aim": "bake A --aim AIMS --out AIMS",
    "dynamics --csv": "dynamics A --out OUT --csv A",
    "hop --bvh": "hop A --out OUT --bvh A",
    "live --log": "live A --out OUT --seconds 1 --log A",
    "live --commands": "live A --out OUT --commands JSON --log JSON",
    "plausible --scene": "plausible A --out B --scene B",
    "report --html": "report A --html A",
    "retarget --scene-out": "retarget A B --out OUT --scene JSON --scene-out B",
    "fit --skeleton": "fit A --out OUT --skeleton B --bvh B",
    "export --scene": "export A --out XML --scene XML",
    "actions": "actions A B --out B",
    "supports": "supports A --out A",
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    names = {"A": "a.bvh", "B": "b.bvh", "OUT": "r.npz", "XML": "own.xml"}
    names |= {"JSON": "own.json", "AIMS": "aims.json"}
    for name in ("A", "B", "XML"):
        (tmp_path / names[name]).write_text(standing_bvh())
    for name, kind in (("JSON", "scene"), ("AIMS", "aims")):
        of_this_kind = {"format": f"heft-{kind}", "schema": 1, "objects" if kind == "scene" else kind: []}
        (tmp_path / names[name]).write_text(json.dumps(of_this_kind))
    return {name: str(tmp_path / file) for name, file in names.items()}


def refused(words: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one sentence with which a command line is refused, with all files as they were."""
    before = {file: Path(file).read_bytes() for file in files.values() if Path(file).exists()}
    assert cli.main([files.get(word, word) for word in words.split()]) == 2
    sentence = capsys.readouterr().err.splitlines()[-1]
    assert {file: Path(file).read_bytes() for file in before} == before
    return sentence


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_a_file_that_is_read_is_not_overwritten(
    words: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "names the file" in refused(words, files, capsys)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("dynamics A --out OUT --csv OUT", "--out and --csv"),
        ("report A --html OUT --npz OUT", "--html and --npz"),
        ("hop A --out OUT --bvh OUT", "--out and --bvh"),
        ("live A --seconds 1 --out OUT --log OUT", "--out and --log"),
    ],
)
def test_two_outputs_have_two_files(
    words: str, options: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(words, files, capsys).startswith(f"{options} both name ")


def test_all_outputs_are_tried_before_the_work(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files["MISSING"] = str(tmp_path / "missing" / "x")
    for words in ("hop A --out OUT --bvh MISSING", "live A --seconds 1 --out OUT --log MISSING"):
        assert "does not exist; create it first" in refused(words, files, capsys)


def test_a_log_that_no_memory_holds_is_refused(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = {"format": "heft-live-log", "schema": 1, "ticks": 10**9, "first": 0, "commands": []}
    (tmp_path / "log.json").write_text(json.dumps(log))
    files["LOG"] = str(tmp_path / "log.json")
    assert "'log.json' plays for 1e+07 s" in refused("live A --out OUT --commands LOG", files, capsys)


def test_too_little_memory_is_said_in_a_sentence(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(*_: object) -> None:
        raise MemoryError("Unable to allocate 410 GiB")

    monkeypatch.setattr("sim_core.cli.bake_command.bake_together", too_much)
    sentence = refused("bake A --out OUT", files, capsys)
    assert sentence.startswith("There is not enough memory for this (Unable to allocate 410 GiB);")


def test_motions_of_one_name_keep_their_own_transitions(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "a.bvh"
    other.parent.mkdir()
    other.write_text(standing_bvh())
    assert cli.main(["transitions", files["A"], str(other)]) == 0
    assert sorted(line.split(":")[0] for line in capsys.readouterr().out.splitlines()) == [
        "a -> a", "a -> a 2", "a 2 -> a", "a 2 -> a 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "live A --out OUT --seconds nan",
        "live A --out OUT --seconds 0",
        "live A --out OUT --seconds 1e9",
        "hop A --out OUT --seconds inf",
        "model hopper --seconds -1",
        "model pendulum --hop 0",
        "model pendulum --frequency 0",
        "dynamics A --out OUT --fps 1e-300",
        "retarget A B --out OUT --fps 1e300",
    ],
)
def test_numbers_that_nothing_can_be_made_of_are_refused(
    words: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refused(words, files, capsys)
    assert words.split()[-1].replace("1e9", "1e+09").replace("1e300", "1e+300") in sentence
