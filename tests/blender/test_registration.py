"""Registering adds what it should, and unregistering leaves nothing."""

from __future__ import annotations

import sys

import bpy
import pytest


def registered_names() -> set[str]:
    types = {name for name in dir(bpy.types) if name.startswith(("HEFT_", "Heft"))}
    owners = (bpy.types.Object, bpy.types.Armature, bpy.types.WindowManager, bpy.types.Scene)
    return types | {f"{owner.__name__}.heft" for owner in owners if hasattr(owner, "heft")}


def test_nothing_is_left() -> None:
    package = sys.modules["heft"]
    assert registered_names() == set()
    for _ in range(2):
        package.register()
        assert "HEFT_OT_simulate" in registered_names()
        assert "Object.heft" in registered_names()
        package.unregister()
        assert registered_names() == set()


def test_a_failure_on_the_way_takes_everything_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from heft.addon import registration
    from heft.addon.cli import command as cli_command

    def fail() -> None:
        raise RuntimeError("no command line today")

    monkeypatch.setattr(cli_command, "register", fail)
    with pytest.raises(RuntimeError, match="no command line today"):
        registration.register()
    assert registered_names() == set()
