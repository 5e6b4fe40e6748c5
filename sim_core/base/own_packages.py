"""Copies of the bundled packages for the worker alone, where another extension has brought other versions.

Blender keeps one folder of packages for all extensions, and of two versions of a package it installs the
newer one. So what lies there may be what Heft was never tried with. The wheels stay in Heft's own folder:
where the shared ones differ, they are unpacked for the worker. Numpy is not bundled; it is Blender's own.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .errors import InputError

WHEELS = Path(__file__).resolve().parents[2] / "wheels"
NUMPY = "numpy"
_place = Path(tempfile.gettempdir()) / "heft_packages"


def bundled_wheels(folder: Path = WHEELS) -> list[Path]:
    """Return the wheels of the extension that fit this Python; a clone of the repository has none."""
    return [wheel for wheel in sorted(folder.glob("*.whl")) if _fits(wheel)]


def _fits(wheel: Path) -> bool:
    *_, python, abi, _platform = wheel.stem.split("-")
    own = "{}{}".format(*sys.version_info[:2])
    return any(
        tag == "py3"
        or tag == f"cp{own}"
        or abi == "abi3"
        and tag.startswith("cp3")
        and int(tag[3:]) <= int(own[1:])
        for tag in python.split(".")
    )


def foreign_packages(wheels: Iterable[Path], shared: Path) -> list[str]:
    """Return the packages of the shared folder that are not those of the wheels, and numpy if it is there."""
    parts = [wheel.name.split("-") for wheel in wheels]
    found = [name for name, version, *_ in parts if not (shared / f"{name}-{version}.dist-info").is_dir()]
    return [*found, *([NUMPY] if parts and (shared / NUMPY).is_dir() else [])]


def keep_copies_in(folder: Path) -> None:
    """Say where copies may be kept; in Blender this is the folder of the extension's user."""
    global _place
    _place = folder


def unpacked(wheels: Sequence[Path]) -> Path:
    """Return a folder with the content of the wheels, made once; it appears whole or not at all."""
    place = _place
    names = "\n".join(wheel.name for wheel in wheels)
    target = place / hashlib.sha256(names.encode()).hexdigest()[:16]
    if target.is_dir():
        return target
    try:
        place.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix="part_", dir=place))
        try:
            for wheel in wheels:
                with zipfile.ZipFile(wheel) as packed:
                    packed.extractall(part)  # names that lead out of the folder are made harmless
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except (OSError, zipfile.BadZipFile) as problem:
        if target.is_dir():  # another Blender was faster
            return target
        raise InputError(
            f"Heft's own packages cannot be unpacked in '{place}' ({problem}); make room there, or disable "
            "the extension that brings other versions of them."
        ) from problem
    return target


def folder_without(name: str, shared: Path) -> Path | None:
    """Return the folder of a package that is not in the shared one."""
    places = [place for place in sys.path if place and Path(place).resolve() != shared.resolve()]
    found = importlib.machinery.PathFinder.find_spec(name, places)
    return None if found is None or found.origin is None else Path(found.origin).resolve().parent.parent
