"""The clips of a library: a folder with anything in it, or a list with a group for each clip."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".bvh"
NO_GROUP = "all"


@dataclass(frozen=True)
class LibraryClip:
    """A motion file of a library.

    name: unique in the library; fps: its true frame rate [Hz], None where the file's own is right
    """

    name: str
    file: Path
    group: str
    fps: float | None = None


@dataclass(frozen=True)
class Library:
    """Clips to bake, and files that are no BVH files."""

    clips: tuple[LibraryClip, ...]
    skipped: tuple[Path, ...]


def read_library(source: Path) -> Library:
    """Return the clips of a folder and all folders in it, or those of a list (docs/benchmarks.md)."""
    if not source.exists():
        raise SystemExit(f"--clips: '{source}' does not exist; give a folder, or a list as CSV.")
    entries = _in_folder(source) if source.is_dir() else _listed(source)
    chosen = [entry for entry in entries if entry[0].suffix.lower() == SUFFIX]
    if not chosen:
        raise SystemExit(f"--clips: there is no BVH file in '{source}'.")
    names = _unique_names([file for file, _, _ in chosen])
    clips = tuple(LibraryClip(name, *entry) for name, entry in zip(names, chosen, strict=True))
    return Library(clips, tuple(file for file, _, _ in entries if file.suffix.lower() != SUFFIX))


Entry = tuple[Path, str, float | None]
"""A file, its group and its true frame rate."""


def _in_folder(source: Path) -> list[Entry]:
    """Return all files of a folder and of those below it, which are their groups."""
    files = sorted(path for path in source.rglob("*") if path.is_file())
    folders = [file.parent.relative_to(source).as_posix() for file in files]
    return [
        (file, NO_GROUP if folder == "." else folder, None)
        for file, folder in zip(files, folders, strict=True)
    ]


def _listed(path: Path) -> list[Entry]:
    """Return the rows of a list; files are relative to its folder."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and not {"file"} <= set(rows[0]) <= {"file", "group", "fps"}:
        raise SystemExit(
            f"--clips: '{path}' must begin with 'file,group,fps'; group and fps may be left out."
        )
    missing = [row["file"] for row in rows if not (path.parent / row["file"]).is_file()]
    if missing:
        raise SystemExit(f"--clips: {len(missing)} files of '{path}' are missing, such as '{missing[0]}'.")
    return [
        (path.parent / row["file"], row.get("group") or NO_GROUP, float(rate) if rate else None)
        for row in rows
        for rate in [row.get("fps")]
    ]


def _unique_names(files: list[Path]) -> list[str]:
    """Return the names of files, with those of their folders where several have the same."""
    often = Counter(file.stem for file in files)
    named = [file.stem if often[file.stem] == 1 else f"{file.parent.name}_{file.stem}" for file in files]
    count = Counter[str]()
    unique = []
    for name in named:
        count[name] += 1
        unique.append(name if count[name] == 1 else f"{name}_{count[name]}")
    return unique
