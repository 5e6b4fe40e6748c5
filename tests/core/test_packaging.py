"""Lock files, wheels and advice of the developer's tools."""

from __future__ import annotations

import ast
import re
import shutil
import struct
import tomllib
from pathlib import Path

import pytest

from sim_core import VERSION
from tools.dev.extension import PACKAGES, with_wheels
from tools.dev.libraries import missing_sonames, package_hint
from tools.dev.wheels import NOT_BUNDLED, PLATFORMS, PYTHONS, Pin, bundled_pins, fits, missing_wheels
from tools.release import PLACES, write_version

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
MARKER = r'; (sys_platform == "win32"|python_version < "3.12")'
INSTALLERS_AND_NETWORK = {"pip", "ensurepip", "venv", "socket", "ssl", "urllib", "http", "ftplib", "requests"}
INSTALLERS_AND_NETWORK |= {"pythonosc", "asyncio", "socketserver", "xmlrpc"}
PIN = re.compile(rf"^(?P<name>[a-z0-9.-]+)==(?P<version>[\w.]+)({MARKER})?$")


def pins(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / name).read_text()
    matches = [PIN.match(line) for line in text.splitlines() if not line.startswith("#")]
    return {m["name"]: m["version"] for m in matches if m}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_line_of_a_lock_is_one_exact_version(lock: Path) -> None:
    lines = [line for line in lock.read_text().splitlines() if not line.startswith("#")]
    assert lines
    assert [line for line in lines if not PIN.match(line)] == []


@pytest.mark.parametrize(("newer", "others"), [("313", {"numpy"}), ("314", {"numpy", "scipy"})])
def test_all_pythons_run_the_same_engine(newer: str, others: set[str]) -> None:
    old, new = pins("engine-py311.txt"), pins(f"engine-py{newer}.txt")
    assert {name for name in old | new if old.get(name) != new.get(name)} == others


def test_a_zip_for_linux_also_runs_in_the_blender_of_a_distribution() -> None:
    pin = Pin("scipy", pins("engine-py314.txt")["scipy"])
    old = [f"scipy-1.15.3-cp{python}-cp{python}-manylinux_2_17_x86_64.whl" for python in (311, 313)]
    gaps = missing_wheels(old, "linux-x64")
    assert f"scipy {pin.version} for Python 3.14 on linux-x64" in gaps
    assert not any("scipy" in gap and "3.14" not in gap for gap in gaps)


@pytest.mark.parametrize(
    ("engine", "blender"), [("311", "4.2"), ("311", "4.5"), ("311", "5.0"), ("313", "5.2")]
)
def test_engine_and_blender_agree_on_shared_packages(engine: str, blender: str) -> None:
    ours, theirs = pins(f"engine-py{engine}.txt"), pins(f"bpy-{blender}.txt")
    assert "numpy" in ours
    assert {name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]} == set()


def test_what_is_bundled_is_what_is_tested() -> None:
    text = (ROOT / "requirements" / "engine-py311.txt").read_text()
    assert {pin.name for pin in bundled_pins(text)} == pins("engine-py311.txt").keys() - NOT_BUNDLED.keys()


def test_a_wheel_fits_only_its_platform_and_python() -> None:
    pin = Pin("mujoco-core", "4.0.1")
    name = "mujoco_core-4.0.1-cp311-cp311-win_amd64.whl"
    assert fits(name, pin, "windows-x64", "3.11")
    assert not fits(name, pin, "windows-x64", "3.13")
    assert not fits(name, pin, "linux-x64", "3.11")
    assert not fits(name, Pin("mujoco-core", "4.0.0"), "windows-x64", "3.11")
    stable = "coacd-1.0.14-cp39-abi3-win_amd64.whl"
    assert all(
        fits(stable, Pin("coacd", "1.0.14"), "windows-x64", python) for python in PYTHONS["windows-x64"]
    )
    assert not fits(stable, Pin("coacd", "1.0.14"), "linux-x64", "3.11")
    assert all(fits("jinja2-3.1.6-py3-none-any.whl", Pin("jinja2", "3.1.6"), p, "3.13") for p in PLATFORMS)


def test_the_manifest_is_fit_for_the_extensions_platform() -> None:
    text = (ROOT / "blender_manifest.toml").read_text("utf-8")
    manifest = tomllib.loads(text)
    assert manifest["id"] == "heft"
    assert manifest["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert set(manifest["platforms"]) == set(PLATFORMS)
    assert set(manifest["permissions"]) == {"files", "network"}
    for sentence in (manifest["tagline"], *manifest["permissions"].values()):
        assert len(sentence) <= 64
        assert sentence[-1].isalnum()
    assert "wheels" not in manifest
    assert tomllib.loads(with_wheels(text, ["a.whl"]))["wheels"] == ["./wheels/a.whl"]


def version_in(root: Path, name: str) -> str:
    text = (root / name).read_text("utf-8")
    found = re.search(r'^(?:version|VERSION)(?: = "|: )([\d.]+)', text, re.MULTILINE)
    assert found, f"{name} has no version"
    return found[1]


def test_every_place_has_the_same_version() -> None:
    assert {version_in(ROOT, name) for name in PLACES} == {VERSION}


def test_a_release_changes_every_place_and_the_changelog(tmp_path: Path) -> None:
    for name in (*PLACES, "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    write_version(tmp_path, "7.8.9", "2030-01-02")
    assert {version_in(tmp_path, name) for name in PLACES} == {"7.8.9"}
    assert "## [Unreleased]\n\n## [7.8.9] - 2030-01-02\n" in (tmp_path / "CHANGELOG.md").read_text("utf-8")
    with pytest.raises(SystemExit, match="is not a version"):
        write_version(tmp_path, "seven", "2030-01-02")


def test_the_manifest_credits_all_that_is_bundled() -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
    credited = " ".join(manifest["copyright"]).lower()
    bundled = {pin.name for pin in bundled_pins((ROOT / "requirements" / "engine-py311.txt").read_text())}
    missing = {name for name in bundled if name.removesuffix("-core") not in credited}
    assert missing == {"python-osc"}, "in the public domain"


@pytest.mark.parametrize(("name", "size"), [("icon", (256, 256)), ("featured", (1920, 1080))])
def test_the_images_of_the_listing_have_the_sizes_of_the_platform(name: str, size: tuple[int, int]) -> None:
    header = (ROOT / "docs" / "images" / f"listing_{name}.png").read_bytes()[:24]
    assert header.startswith(b"\x89PNG") and struct.unpack(">II", header[16:]) == size


def test_nothing_that_ships_installs_or_goes_on_line() -> None:
    """Not even in passing: what is imported is looked at, wherever in a file that is.

    One module may open a port, and the package it is in may use what speaks over one.
    """
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in imported(path)
        if name in INSTALLERS_AND_NETWORK
    ]
    stream = "sim_core/stream"
    speaks = {"osc_packets imports pythonosc", "sender imports pythonosc", "receiver imports socket"}
    assert set(found) == {f"{stream}/{line.replace(' ', '.py ', 1)}" for line in speaks}


def imported(path: Path) -> set[str]:
    """The first parts of the names of all modules that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    absolute = [node for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    names += [node.module for node in absolute if node.module]
    return {name.partition(".")[0] for name in names}


def test_missing_libraries_are_named_with_their_packages() -> None:
    loader = "ImportError: libXi.so.6: cannot open shared object file: No such file or directory"
    ldd = "\tlibSM.so.6 => not found\n\tlibm.so.6 => /lib/libm.so.6 (0x1)\n\tlibXi.so.6 => not found\n"
    found = missing_sonames(loader + "\n" + ldd)
    assert found == ["libSM.so.6", "libXi.so.6"]
    hint = package_hint(found)
    assert "apt-get install libsm6 libxi6" in hint
    assert "dnf install libSM libXi" in hint
    assert "libodd.so.1" in package_hint(["libodd.so.1"])
