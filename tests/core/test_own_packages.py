"""The worker's own copies of packages: taken where another extension has brought other versions."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from sim_core.base import own_packages, worker_command
from sim_core.base.errors import InputError
from sim_core.base.own_packages import bundled_wheels, folder_without, foreign_packages, unpacked

THIS = "cp{}{}".format(*sys.version_info[:2])


def wheel(folder: Path, name: str, version: str = "1.0", tags: str = "py3-none-any") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{version}-{tags}.whl"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"{name}/__init__.py", f"version = '{version}'\n")
        packed.writestr(f"{name}-{version}.dist-info/METADATA", "")
        packed.writestr("../outside.py", "")
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(own_packages, "_place", tmp_path / "copies")
    return tmp_path / "copies"


def test_only_wheels_for_this_python_are_taken(tmp_path: Path) -> None:
    for tags in ("py3-none-any", "py2.py3-none-any", f"{THIS}-{THIS}-linux_x86_64", "cp39-abi3-linux_x86_64"):
        wheel(tmp_path / "fit", "a", tags=tags)
    for tags in ("cp27-cp27m-linux_x86_64", "cp399-abi3-linux_x86_64", "cp39-cp39-linux_x86_64"):
        wheel(tmp_path / "other", "a", tags=tags)
    assert len(bundled_wheels(tmp_path / "fit")) == 4
    assert bundled_wheels(tmp_path / "other") == [] == bundled_wheels(tmp_path / "absent")


def test_other_versions_and_a_numpy_are_foreign(tmp_path: Path) -> None:
    wheels = [wheel(tmp_path, "scipy"), wheel(tmp_path, "jinja2")]
    shared = tmp_path / "shared"
    for folder in ("scipy-1.0.dist-info", "jinja2-99.0.dist-info", "numpy"):
        (shared / folder).mkdir(parents=True)
    assert foreign_packages(wheels, shared) == ["jinja2", "numpy"]
    assert foreign_packages([], shared) == []  # a clone bundles nothing


def test_copies_are_made_once_and_whole_and_stay_in_their_folder(tmp_path: Path, place: Path) -> None:
    wheels = [wheel(tmp_path, "scipy")]
    target = unpacked(wheels)
    assert (target / "scipy" / "__init__.py").read_text() == "version = '1.0'\n"
    assert [path.name for path in place.iterdir()] == [target.name]
    assert not (place / "outside.py").exists() and (target / "outside.py").exists()
    (target / "mark").touch()
    assert unpacked(wheels) == target and (target / "mark").exists()


def test_a_damaged_wheel_leaves_nothing_and_is_a_sentence(tmp_path: Path, place: Path) -> None:
    bad = tmp_path / "scipy-1.0-py3-none-any.whl"
    bad.write_bytes(b"no zip")
    with pytest.raises(InputError, match="own packages cannot be unpacked in .* disable the extension"):
        unpacked([bad])
    assert list(place.iterdir()) == []


def test_the_worker_is_started_with_its_own_copies(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = worker_command._package_folders(("scipy", "numpy"))
    monkeypatch.setattr(worker_command, "bundled_wheels", lambda: [wheel(tmp_path, "scipy", "0.1")])
    own, numpy = worker_command._package_folders(("scipy", "numpy"))
    assert Path(own).parent == place and numpy in usual


def test_a_package_is_found_besides_the_shared_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shared", "blender"):
        (tmp_path / name / "numpy_like").mkdir(parents=True)
        (tmp_path / name / "numpy_like" / "__init__.py").touch()
        monkeypatch.syspath_prepend(tmp_path / name)
    assert folder_without("numpy_like", tmp_path / "blender") == tmp_path / "shared"
    assert folder_without("no_such_package", tmp_path) is None
