"""A Blender whose Python has no packages of Heft is refused with a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import pytest
from heft.addon.blender import engine_packages
from heft.addon.blender.engine_packages import require_packages
from heft.sim_core.base.errors import HeftError
from pytest import MonkeyPatch


def test_the_packages_of_this_blender_are_enough() -> None:
    require_packages()


def test_a_missing_package_is_named_with_what_to_do() -> None:
    with pytest.raises(HeftError, match=r"no no_such_engine\. .* use a Blender from blender\.org"):
        require_packages(("scipy", "no_such_engine"))


def test_a_package_that_another_extension_broke_is_one_sentence(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    (tmp_path / "brought.py").write_text("raise ImportError('numpy 9 is needed\\nand more')")
    wheel = tmp_path / "repo" / "neighbour" / "wheels" / "brought-9.9-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    wheel.touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(engine_packages, "HERE", tmp_path / "repo" / "heft")
    words = r"brought cannot be loaded here \(numpy 9 is needed\)\. It comes with 'neighbour': disable that"
    with pytest.raises(HeftError, match=words):
        require_packages((), ("brought",))


def test_where_it_cannot_run_it_says_so_in_its_place_and_can_be_disabled(
    monkeypatch: MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused() -> None:
        raise HeftError("Heft cannot run here; use another Blender.")

    package = sys.modules["heft"]
    monkeypatch.setattr(engine_packages, "require_packages", refused)
    package.register()
    try:
        assert bpy.types.HEFT_PT_refusal.sentence == "Heft cannot run here; use another Blender."
        assert not hasattr(bpy.types, "HEFT_OT_simulate")
        assert "Heft: Heft cannot run here" in capsys.readouterr().out
    finally:
        package.unregister()
    assert not hasattr(bpy.types, "HEFT_PT_refusal")
