"""Digests of batches: another option or another content is another bake, whatever files name each other."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sim_core.cli.batch.batch_list import BatchItem
from sim_core.cli.batch.digest import Digests


def test_the_digest_follows_options_and_contents_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_text("one")
    (tmp_path / "play.json").write_text(json.dumps({"hits": [{"file": "a.bvh"}]}))
    item, play = BatchItem("x", {"motion": "a.bvh"}), BatchItem("y", {"motion": "play.json"})
    before, play_before = Digests(tmp_path).of(item), Digests(tmp_path).of(play)
    assert Digests(tmp_path).of(replace(item, name="other")) == before
    assert Digests(tmp_path).of(replace(item, options={**item.options, "seed": 1})) != before
    (tmp_path / "a.bvh").write_text("two")
    assert Digests(tmp_path).of(item) != before
    assert Digests(tmp_path).of(play) != play_before


def test_files_that_name_each_other_and_files_without_an_end_have_a_digest(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"wait": {"file": "b.json"}}))
    (tmp_path / "b.json").write_text(json.dumps({"hits": [{"file": "a.json"}, {"file": "b.json"}]}))
    before = Digests(tmp_path).of(BatchItem("x", {"motion": "a.json"}))
    (tmp_path / "b.json").write_text(json.dumps({"hits": [{"file": "a.json"}]}))
    assert Digests(tmp_path).of(BatchItem("x", {"motion": "a.json"})) != before
    for name in ("/dev/zero", "x" * 5000, "../" * 2000):
        assert Digests(tmp_path).of(BatchItem("x", {"motion": name}))


@pytest.mark.parametrize("preset", ["mine.json", ["walk", "mine.json"]])
def test_another_preset_file_is_another_bake(tmp_path: Path, preset: str | list[str]) -> None:
    item = BatchItem("x", {"motion": "a.bvh", "preset": preset})
    (tmp_path / "mine.json").write_text('{"settings": {"stiffness": 0.2}}')
    before = Digests(tmp_path).of(item)
    (tmp_path / "mine.json").write_text('{"settings": {"stiffness": 0.3}}')
    assert Digests(tmp_path).of(item) != before
