"""Paths of markers and keypoints; the recordings in folders of Pose2Sim, OpenCap and FreeMoCap."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import InputError

MARKER_SUFFIXES, KEYPOINT_SUFFIXES = (".c3d", ".trc"), (".csv", ".npy")
TRC_FOLDERS = ("pose-3d", "MarkerData")
"""Folders in which Pose2Sim and OpenCap put what they triangulated, one file for each trial and person."""
OUTPUT_FOLDER = "output_data"
"""The folder in which FreeMoCap puts one recording."""
OUTPUTS = ("*body_3d_xyz.csv", "*by_frame.csv", "*by_trajectory.csv", "*body_3d_xyz.npy", "*skeleton_3d.npy")
"""Its files, those that tell most first."""
STEPS = re.compile(r"_(filt_[a-z0-9-]+|lstm)(?=_|$)", re.IGNORECASE)
"""Endings of the names of a trial's files after filtering and after markers were guessed from keypoints."""
DEPTH, MOST_FOLDERS = 3, 1000
"""Number of folders between a session and its trials' files, and of folders on one level."""


@dataclass(frozen=True)
class Recordings:
    """Files by the names of their takes, and notes that say which were chosen."""

    files: dict[str, Path]
    notes: tuple[str, ...]


def is_marker_file(path: Path) -> bool:
    """Return whether a file holds markers or keypoints, by its suffix, or is the folder of a session."""
    return path.suffix.lower() in (*MARKER_SUFFIXES, *KEYPOINT_SUFFIXES) or is_session(path)


def is_session(path: Path) -> bool:
    """Return whether a path stands for a folder: it is one, or it is the file of a session's settings."""
    # A name from a file may be too long for any folder, which Path.is_dir raises.
    return os.path.isdir(path) or path.suffix.lower() == ".toml"


def session_folder(path: Path) -> Path:
    """Return the folder that a path stands for."""
    return path if path.is_dir() else path.parent


def find_recordings(path: Path) -> Recordings:
    """Return the recordings of a folder, or of the folder of a file of settings."""
    folder = session_folder(path)
    found = _trials(folder) or _output(folder)
    if found is None:
        raise InputError(
            f"The folder '{folder.name or folder.resolve()}' holds no keypoints: neither "
            f"{TRC_FOLDERS[0]}/*.trc, as Pose2Sim writes them, nor "
            f"{OUTPUT_FOLDER}/{OUTPUTS[0]}, as FreeMoCap does. Choose the file itself."
        )
    return found


def _trials(folder: Path) -> Recordings | None:
    """Return one TRC file for each trial and person: filtered keypoints, if there are any."""
    trials: dict[tuple[Path, str], list[Path]] = {}
    for file in (trc for place in _named_folders(folder) for trc in sorted(place.glob("*.trc"))):
        trials.setdefault((file.parent, STEPS.sub("", file.stem)), []).append(file)
    if not trials:
        return None
    stems = [stem for _, stem in trials]
    files, notes = {}, []
    for (place, stem), versions in trials.items():
        chosen = min(versions, key=_preference)
        name = stem if stems.count(stem) == 1 else f"{place.parent.name} {stem}"
        files[name] = chosen
        others = [f"'{other.name}'" for other in versions if other != chosen]
        if others:
            notes.append(f"'{chosen.name}' was read, and not {', '.join(others)}.")
    return Recordings(files, tuple(notes))


def _preference(file: Path) -> tuple[bool, bool, str]:
    """Return a key that is least for the version of a trial to be read.

    Filtered paths have less noise; markers that a network guessed from keypoints add nothing to them.
    """
    steps = [step.lower() for step in STEPS.findall(file.stem)]
    return "lstm" in steps, not steps, file.name


def _named_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders with triangulated points in and below a folder."""
    if folder.name in TRC_FOLDERS:
        yield folder
        return
    below = [folder]
    for _ in range(DEPTH):
        below = [child for parent in below for child in _folders(parent)][:MOST_FOLDERS]
        yield from (child for child in below if child.name in TRC_FOLDERS)


def _folders(parent: Path) -> list[Path]:
    """Return the folders in a folder; none in one that may not be read."""
    try:
        return [child for child in sorted(parent.iterdir()) if child.is_dir()]
    except OSError:
        return []


def _output(folder: Path) -> Recordings | None:
    """Return the file of a recording by FreeMoCap that tells most."""
    place = folder if folder.name == OUTPUT_FOLDER else folder / OUTPUT_FOLDER
    if not place.is_dir():
        return None
    for pattern in OUTPUTS:
        files = [file for file in sorted(place.rglob(pattern)) if "rigid" not in file.name]
        if files:
            return Recordings({place.parent.name: files[0]}, (f"'{files[0].name}' was read.",))
    return None
