"""Frame rate of keypoints: from times beside them, else from what the recording's folder says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.json_files import read_json_file
from .text_table import read_table

SECONDS = (1.0, 1e-3, 1e-6, 1e-9)
"""Units that times are written in [s]."""
STEPS_S = (1.0 / 1000.0, 1.0 / 4.0)
"""Range of the time from one frame of a video to the next [s]."""
PARAMETERS = "recording_parameters.json"
RATE_WORDS = ("framerate", "frame_rate", "fps", "sampling_rate")
LEVELS = 3
"""Number of folders above a file, counted from its own, that belong to its recording."""
LARGEST_BYTES = 10_000_000
"""A file that tells a frame rate is smaller."""


def rate_of_times(cells: Sequence[str]) -> float | None:
    """Return the frame rate of a column of times, whatever their unit; None if they tell none."""
    times = np.array([_seconds(cell) for cell in cells])
    steps = np.diff(times[np.isfinite(times)])
    usual = float(np.median(steps)) if len(steps) else 0.0
    for unit in SECONDS:
        if STEPS_S[0] <= usual * unit <= STEPS_S[1]:
            # Times are often rounded to milliseconds, so the mean tells more; lost frames do not count.
            return 1.0 / (unit * float(np.mean(steps[np.abs(steps - usual) < 0.5 * usual])))
    return None


def _seconds(cell: str) -> float:
    """Return a time as a number; dates and times of day become seconds."""
    try:
        return float(cell)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(cell.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        return float("nan")


def rate_beside(path: Path) -> tuple[float | None, str]:
    """Return the frame rate that other files of the recording tell, and the name of the one that does."""
    folders = [*path.parents][:LEVELS]
    # Times were measured; the rate among the parameters may be a default that nobody changed.
    times = [file for folder in folders for file in _timestamp_files(folder)]
    parameters = [folder / PARAMETERS for folder in folders]
    for files, rate_of in ((times, _rate_of_timestamps), (parameters, _rate_of_parameters)):
        for file in files:
            rate = rate_of(file)
            if rate is not None:
                return rate, file.name
    return None, ""


def _timestamp_files(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / "synchronized_videos", folder / "synchronized_videos" / "timestamps"):
        if place.is_dir():
            yield from (file for file in sorted(place.glob("*timestamps*.csv")) if _is_small(file))


def _is_small(file: Path) -> bool:
    return file.is_file() and file.stat().st_size <= LARGEST_BYTES


def _rate_of_timestamps(file: Path) -> float | None:
    """Return the median rate of the columns of a table of times, one for each camera."""
    header, rows = read_table(file)
    columns = ([row[i] for row in rows if i < len(row)] for i in range(len(header)))
    # A column of frame numbers has steps of exactly 1.
    found = [rate for cells in columns if (rate := rate_of_times(cells)) is not None and not _counts(cells)]
    return float(np.median(found)) if found else None


def _counts(cells: Sequence[str]) -> bool:
    values: FloatArray = np.array([_seconds(cell) for cell in cells])
    return bool((np.diff(values) == 1.0).all())


def _rate_of_parameters(file: Path) -> float | None:
    if not _is_small(file):
        return None
    try:
        data = read_json_file(file, "recording")
    except InputError:  # it is a file of another program, and the rate may be told elsewhere
        return None
    found = [rate for rate in _rates(data) if 1.0 / STEPS_S[1] <= rate <= 1.0 / STEPS_S[0]]
    return found[0] if found else None


def _rates(data: Any) -> Iterator[float]:
    """Yield all numbers whose names mean a frame rate."""
    if isinstance(data, dict):
        for name, value in data.items():
            if str(name).lower() in RATE_WORDS and isinstance(value, int | float):
                yield float(value)
            yield from _rates(value)
    elif isinstance(data, list):
        for value in data:
            yield from _rates(value)
