"""The built extension, with wheels for the Python of the Blender under test."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools.dev.checks import this_platform
from tools.dev.extension import DIST, FILES, PACKAGES
from tools.dev.shell import ROOT, DevError, run
from tools.dev.wheels import PYTHONS, bundled_pins, fits, lock_file

from .find_blender import Missing

PLATFORM = "linux-x64"


def zip_for(python: str) -> Path:
    """The zip in `dist/`, built anew when sources are newer."""
    if this_platform() != PLATFORM:
        raise Missing(f"These tests run on {PLATFORM} only, and this machine is {this_platform()}.")
    if python not in PYTHONS[PLATFORM]:
        raise Missing(f"The extension has no wheels for Python {python}, which this Blender runs.")
    path = built_zip()
    if not _fits_python(path, python):
        raise DevError(f"{path.name} lacks wheels for Python {python}.")
    return path


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
    yield from lock_file(PYTHONS[PLATFORM][0]).parent.glob("engine-*.txt")
    for package in PACKAGES:
        yield from (path for path in (ROOT / package).rglob("*") if path.suffix in (".py", ".json", ".xml"))


def _fits_python(path: Path, python: str) -> bool:
    with zipfile.ZipFile(path) as archive:
        names = [Path(name).name for name in archive.namelist()]
    pins = bundled_pins(lock_file(python).read_text())
    return all(any(fits(name, pin, PLATFORM, python) for name in names) for pin in pins)
