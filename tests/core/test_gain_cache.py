"""Gains that are kept: the same as computed ones, found again, and never those of something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from sim_core.control import gain_cache
from sim_core.control.gain_cache import SUFFIX, GainArrays, GainCache, digest_of
from tests.core.sample_plans import both_stand, glide_plan, one_step

BALL = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"


class Work:
    """Counts how often gains are computed."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self) -> GainArrays:
        self.done += 1
        return {"gains": np.arange(6.0).reshape(2, 3) / 7.0}


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_one_bake_computes_the_same_gains_once() -> None:
    cache, work = GainCache(), Work()
    first, again = cache.get(("a",), work), cache.get(("a",), work)
    cache.get(("b",), work)
    assert first is again
    assert (work.done, cache.made, cache.read) == (2, 2, 0)


def test_the_next_bake_finds_them_bit_by_bit(tmp_path: Path) -> None:
    folder, work = tmp_path / "made on demand", Work()
    made = GainCache(folder).get(("a",), work)
    later = GainCache(folder)
    found = later.get(("a",), work)
    assert (found["gains"] == made["gains"]).all()
    assert (work.done, later.read, later.made) == (1, 1, 0)


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    work = Work()
    GainCache(tmp_path).get(("a",), work)
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], b"no zip at all"):
        file.write_bytes(damage)
        cache = GainCache(tmp_path)
        assert (cache.get(("a",), work)["gains"] == Work()()["gains"]).all()
        assert cache.made == 1
        assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("mine")
    assert GainCache(blocked / "gains").get(("a",), Work())["gains"].shape == (2, 3)
    assert blocked.read_text() == "mine"


def test_only_the_newest_stay_and_other_files_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gain_cache, "MOST_FILES", 3)
    (tmp_path / "notes.txt").write_text("mine")
    for n in range(6):
        GainCache(tmp_path).get((n,), Work())
    kept = [file for file in files(tmp_path) if file.name.endswith(SUFFIX)]
    assert len(kept) == 3
    assert (tmp_path / "notes.txt").read_text() == "mine"
    last = GainCache(tmp_path)
    last.get((5,), Work())
    assert last.read == 1


def test_other_code_has_other_gains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work()
    GainCache(tmp_path).get(("a",), work)
    monkeypatch.setattr(gain_cache, "_code", lambda: "of tomorrow")
    GainCache(tmp_path).get(("a",), work)
    assert work.done == 2


def test_whatever_gains_follow_from_changes_the_digest() -> None:
    plan, model = glide_plan(both_stand(20)), mujoco.MjModel.from_xml_string(BALL)
    usual = digest_of("p", model, plan, 1.0)
    assert usual == digest_of("p", mujoco.MjModel.from_xml_string(BALL), glide_plan(both_stand(20)), 1.0)
    heavy = mujoco.MjModel.from_xml_string(BALL)
    heavy.body_mass[1] *= 1.0 + 1e-12
    moved = replace(plan, com=plan.com + 1e-12)
    others = [
        ("q", model, plan, 1.0),
        ("p", heavy, plan, 1.0),
        ("p", model, moved, 1.0),
        ("p", model, glide_plan(one_step(20, 5, 9)), 1.0),
        ("p", model, plan, 1.0 + 1e-12),
    ]
    assert usual not in {digest_of(*other) for other in others}


def test_what_has_no_content_is_refused() -> None:
    with pytest.raises(TypeError, match="has no digest"):
        digest_of(object())
