"""The built extension, with wheels for the Python of the Blender under test."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools.dev.checks import this_platform
from tools.dev.extension import DIST, FILES, PACKAGES, with_wheels
from tools.dev.shell import ROOT, Command, DevError, capture, run
from tools.dev.wheels import PLATFORMS, PYTHONS, Pin, bundled_pins, fits, lock_file

from .find_blender import GUI, Missing

PLATFORM = "linux-x64"
MANIFEST = "blender_manifest.toml"
# The pinned version is older than Python 3.14: on a Python without it, take the newest.
FREE_VERSION = ("scipy",)


def zip_for(python: str) -> Path:
    """The zip in `dist/`, built anew when sources are newer; a copy with other wheels where it has none."""
    if this_platform() != PLATFORM:
        raise Missing(f"These tests run on {PLATFORM} only, and this machine is {this_platform()}.")
    path = built_zip()
    if _fits_python(path, python):
        return path
    print(f"gui: the zip has no wheels for Python {python}; this test adds them to a copy.", flush=True)
    return _copy_with_wheels(path, python, _download(python))


def built_zip() -> Path:
    """The zip of this platform in `dist/`, not older than what it is made from."""
    newest_source = max(path.stat().st_mtime for path in _sources())
    pattern = f"heft-*-{PLATFORM.replace('-', '_')}.zip"
    found = list(DIST.glob(pattern))
    if len(found) != 1 or found[0].stat().st_mtime < newest_source:
        if run([sys.executable, ROOT / "dev.py", "build"]) != 0:
            raise DevError("The extension could not be built.")
        found = list(DIST.glob(pattern))
    return found[0]


def _sources() -> Iterator[Path]:
    yield from (ROOT / name for name in FILES)
    yield from lock_file(PYTHONS[0]).parent.glob("engine-*.txt")
    for package in PACKAGES:
        yield from (path for path in (ROOT / package).rglob("*") if path.suffix in (".py", ".json", ".xml"))


def _pins() -> list[Pin]:
    return bundled_pins(lock_file(PYTHONS[-1]).read_text())


def _fits_python(path: Path, python: str) -> bool:
    with zipfile.ZipFile(path) as archive:
        names = [Path(name).name for name in archive.namelist()]
    return all(any(fits(name, pin, PLATFORM, python) for name in names) for pin in _pins())


def _download(python: str) -> list[Path]:
    """The bundled packages for another Python, kept in `.dev/gui` for the next run."""
    folder = GUI / f"wheels-{python}"
    wanted = [pin.name if pin.name in FREE_VERSION else f"{pin.name}=={pin.version}" for pin in _pins()]
    if len(list(folder.glob("*.whl"))) != len(wanted):
        tags = [part for tag in PLATFORMS[PLATFORM] for part in ("--platform", tag)]
        pip: Command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--disable-pip-version-check",
            "--dest",
            folder,
        ]
        target = ["--no-deps", "--only-binary=:all:", "--python-version", python, "--implementation", "cp"]
        answer = capture([*pip, *target, *tags, *wanted])
        if answer.returncode != 0:
            last = answer.stdout.strip().splitlines()[-1]
            raise Missing(f"Wheels for Python {python} could not be downloaded: {last}")
    return sorted(folder.glob("*.whl"))


def _copy_with_wheels(path: Path, python: str, wheels: list[Path]) -> Path:
    copy = GUI / f"{path.stem}-py{python}.zip"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for name in source.namelist():
            if name != MANIFEST and not name.endswith(".whl"):
                target.writestr(name, source.read(name))
        manifest = (ROOT / MANIFEST).read_text("utf-8")
        target.writestr(MANIFEST, with_wheels(manifest, [wheel.name for wheel in wheels]))
        for wheel in wheels:
            target.write(wheel, f"wheels/{wheel.name}")
    return copy
