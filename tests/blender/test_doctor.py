"""Check Installation: the operator, the command, and what the preferences show."""

from __future__ import annotations

import json

import bpy
import pytest
from heft.addon.cli import command as cli_command
from heft.addon.jobs import doctor_session

pytestmark = pytest.mark.usefixtures("heft_registered")


def test_the_operator_finds_all_well_and_keeps_it_for_the_preferences() -> None:
    assert bpy.ops.heft.check_installation() == {"FINISHED"}
    found = doctor_session.last_doctor_report()
    assert found is not None and found.failed == 0
    assert found.versions["blender"] == bpy.app.version_string
    assert {"user folder", "self-test bake"} <= {check.name for check in found.checks}


def test_the_command_tells_it_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli_command.run(["doctor", "--json"]) == 0
    found = json.loads(capfd.readouterr().out.strip().splitlines()[-1])
    assert found["failed"] == 0 and found["versions"]["blender"] == bpy.app.version_string


def test_a_user_folder_that_cannot_be_written_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_session, "user_folder_for", lambda: "/nowhere/at/all")
    with pytest.raises(RuntimeError, match="user folder"):
        bpy.ops.heft.check_installation()
