"""Only recorded wheels under known licences are bundled."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from tools.dev.shell import DevError
from tools.dev.wheel_checks import RECORDED, refuse_unknown_wheels
from tools.dev.wheels import PLATFORMS, missing_wheels


def wheel(folder: Path, licence: str) -> Path:
    path = folder / "a-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a-1.0.dist-info/METADATA", f"Metadata-Version: 2.4\nName: a\n{licence}\n\nAbout.\n")
    return path


def recorded(folder: Path, path: Path) -> Path:
    text = f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
    (folder / "list").write_text(text)
    return folder / "list"


def test_a_recorded_wheel_passes_and_a_changed_one_does_not(tmp_path: Path) -> None:
    path = wheel(tmp_path, "License-Expression: MIT")
    listed = recorded(tmp_path, path)
    refuse_unknown_wheels([path], listed)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DevError, match="has the hash"):
        refuse_unknown_wheels([path], listed)
    (tmp_path / "list").write_text("")
    with pytest.raises(DevError, match="is not recorded"):
        refuse_unknown_wheels([path], listed)


def test_a_licence_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = wheel(tmp_path, "License: All rights reserved")
    with pytest.raises(DevError, match="no licence that is known"):
        refuse_unknown_wheels([path], recorded(tmp_path, path))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_wheel_that_ships_is_recorded(platform: str) -> None:
    names = [line.split()[1] for line in RECORDED.read_text("utf-8").splitlines()]
    assert missing_wheels(names, platform) == []
