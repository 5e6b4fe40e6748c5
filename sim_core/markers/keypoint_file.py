"""Readers of keypoints from video: CSV tables, one row a frame or one row a point, and npy arrays.

FreeMoCap and scripts around MediaPipe write them. Units and axes are found from the body (file_axes.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import SHOWN, InputError
from ..base.files import read_npy
from ..motion.text_file import is_number
from .keypoint_columns import AXES, coordinate_columns
from .keypoint_names import names_by_count
from .keypoint_rate import rate_beside, rate_of_times
from .label_meaning import read_label
from .raw_points import RawPoints, with_gaps
from .text_table import read_table

FRAME_WORDS = ("frame", "frame#", "frame_id", "frame_number", "frame_index", "frame_no", "framenumber")
TIME_WORDS = ("time", "timestamp", "time_s", "time_ms", "timestamp_s", "timestamp_ms", "seconds", "t")
NAME_WORDS = (
    "keypoint",
    "landmark",
    "landmark_name",
    "joint",
    "marker",
    "name",
    "point",
    "body_part",
    "bodypart",
)
PERSON_WORDS = ("person", "person_id", "subject", "track_id")
TRAJECTORY = "3d_xyz"
"""Of several versions of a point, the one without bones of a fixed length, because the fit finds lengths."""
SPARSEST = 10
"""Frame numbers that reach further than this many times the number of rows are no frame numbers."""
UNKNOWN_RATE = 0.0
FARTHEST = 1e7
"""Coordinates beyond this are no measurement, in whatever unit; the point counts as not seen."""
FLAT = 0.01
"""Points with less depth, relative to their extent, lie in a plane."""
STILL = 0.01
"""Hips whose middle moves less, relative to their distance, are the origin."""


def read_keypoints(path: Path) -> RawPoints:
    """Read keypoints; the rate is UNKNOWN_RATE where neither the file nor its recording tells one."""
    points = _read_array(path) if path.suffix.lower() == ".npy" else _read_csv(path)
    if points.rate_hz == UNKNOWN_RATE:
        rate, file = rate_beside(path)
        if rate is not None:
            note = f"'{file}' tells the frame rate, {rate:.4g} Hz."
            points = replace(points, rate_hz=rate, notes=(*points.notes, note))
    return replace(points, notes=(*_still_hips_note(points), *points.notes))


def _read_array(path: Path) -> RawPoints:
    """Read an array (T, P, 3), as FreeMoCap saves it."""
    array = read_npy(path)
    if array.dtype.kind != "f" or array.ndim != 3 or array.shape[2] != len(AXES):
        raise InputError(
            f"'{path.name}' holds an array of shape {array.shape} and type {array.dtype}; keypoints need "
            "frames, points and three coordinates as fractions; save it so."
        )
    names, note = names_by_count(array.shape[1], f"'{path.name}'")
    position = np.array(array[:, : len(names)], dtype=np.float64)
    return _points(names, position, UNKNOWN_RATE, notes=(note,))


def _read_csv(path: Path) -> RawPoints:
    header, rows = read_table(path)
    words = [cell.lower() for cell in header]
    if set(AXES) <= set(words) and any(word in words for word in NAME_WORDS):
        return _read_long(words, rows, path)
    header, rows = _joined_header(header, rows)
    return _read_wide(header, rows, path)


def _joined_header(header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Return a header of two lines, points above their axes, as one."""
    below = [cell.strip().lower() for cell in rows[0]]
    if sum(cell in AXES and cell != "" for cell in below) * 2 < len(below) or len(below) != len(header):
        return header, rows
    names: list[str] = []
    for cell in header:
        names.append(cell or (names[-1] if names else ""))
    return [f"{name} {axis}".strip() for name, axis in zip(names, below, strict=True)], rows[1:]


def _read_wide(header: list[str], rows: list[list[str]], path: Path) -> RawPoints:
    """Read a table with one row for each frame."""
    found = coordinate_columns(header, f"'{path.name}'")
    names = found.names
    notes: tuple[str, ...] = ()
    columns = np.array(found.columns)
    if found.numbered:
        names, note = names_by_count(len(names), f"'{path.name}'")
        columns, notes = columns[: len(names)], (note,)
    numbers = _numbers(rows, columns.reshape(-1).tolist(), path).reshape(len(rows), len(columns), len(AXES))
    words = [cell.lower() for cell in header]
    frame = _frames([_cell(row, _column(words, FRAME_WORDS)) for row in rows], len(rows))
    position = np.full((int(frame[-1]) + 1, *numbers.shape[1:]), np.nan)
    position[frame] = numbers
    return _points(names, position, _rate(rows, words, frame), found.unit, notes)


def _read_long(words: list[str], rows: list[list[str]], path: Path) -> RawPoints:
    """Read a table with one row for each point of each frame."""
    rows, notes = _chosen_rows(words, rows)
    frame_column, name_column = _column(words, FRAME_WORDS), _column(words, NAME_WORDS)
    if frame_column is None:
        raise InputError(
            f"'{path.name}' has a row for each point, but no column called frame; export it again."
        )
    person = _column(words, PERSON_WORDS)
    labels = [
        _cell(row, name_column) if person is None else f"{_cell(row, person)}:{_cell(row, name_column)}"
        for row in rows
    ]
    names = list(dict.fromkeys(labels))
    place = {name: i for i, name in enumerate(names)}
    numbers = _numbers(rows, [words.index(axis) for axis in AXES], path)
    every = _numbers(rows, [frame_column], path)[:, 0]
    if not np.isfinite(every).all():
        raise InputError(f"'{path.name}' has rows without a number of their frame; export it again.")
    known, index = np.unique(every, return_inverse=True)
    frame = _frames([f"{value}" for value in known], len(known))[index]
    position = np.full((int(frame.max()) + 1, len(names), len(AXES)), np.nan)
    column = np.array([place[label] for label in labels])
    _refuse_doubles(frame, column, names, path)
    position[frame, column] = numbers
    _, first = np.unique(frame, return_index=True)
    return _points(tuple(names), position, _rate([rows[i] for i in first], words, frame[first]), notes=notes)


def _chosen_rows(words: list[str], rows: list[list[str]]) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return the rows of the body, without face, hands and centres of mass, and a note of what was left."""
    total = len(rows)
    model, trajectory = _column(words, ("model",)), _column(words, ("trajectory",))
    if model is not None and any("body" in _cell(row, model) for row in rows):
        rows = [row for row in rows if "body" in _cell(row, model)]
    if trajectory is not None and any(_cell(row, trajectory) == TRAJECTORY for row in rows):
        rows = [row for row in rows if _cell(row, trajectory) == TRAJECTORY]
    if len(rows) == total:
        return rows, ()
    return rows, ("Of the file's points those of the body were read, as they were triangulated.",)


def _refuse_doubles(frame: IntArray, column: IntArray, names: Sequence[str], path: Path) -> None:
    pairs, count = np.unique(np.stack([frame, column], axis=1), axis=0, return_counts=True)
    if (count > 1).any():
        at, name = pairs[int(np.argmax(count > 1))]
        raise InputError(
            f"'{path.name}' has several places for '{names[int(name)]}' in its frame {int(at) + 1}; if they "
            "are of several persons, export one at a time."
        )


def _points(
    names: tuple[str, ...], position: FloatArray, rate_hz: float, unit: str = "", notes: tuple[str, ...] = ()
) -> RawPoints:
    residual = np.full(position.shape[:2], np.nan)
    position = np.where(np.abs(position) < FARTHEST, position, np.nan)
    return RawPoints(names, rate_hz, 0.0, 1, with_gaps(position), residual, unit, notes=notes)


def _column(words: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((words.index(word) for word in wanted if word in words), None)


def _cell(row: Sequence[str], column: int | None) -> str:
    return "" if column is None or column >= len(row) else row[column].strip()


def _numbers(rows: Sequence[Sequence[str]], columns: Sequence[int], path: Path) -> FloatArray:
    """Return numbers (rows, columns); empty cells are NaN."""
    table = np.full((len(rows), len(columns)), np.nan)
    for i, row in enumerate(rows):
        try:
            table[i] = [float(cell) if (cell := _cell(row, column)) else np.nan for column in columns]
        except ValueError:
            bad = next(cell for cell in row if cell and not is_number(cell))
            raise InputError(
                f"'{path.name}' row {i + 2} holds '{bad[:SHOWN]}' where a number was expected; export the "
                "keypoints again."
            ) from None
    return table


def _frames(cells: Sequence[str], count: int) -> IntArray:
    """Return the frame of each row, counted from 0; frames without a row are gaps.

    Rows are consecutive where nothing numbers them, or where the numbers cannot be those of frames.
    """
    try:
        numbers = np.array([float(cell) for cell in cells])
    except ValueError:
        numbers = np.full(count, np.nan)
    frames = numbers - numbers[0]
    steps = np.diff(frames)
    if (
        not np.isfinite(frames).all()
        or (steps < 1.0).any()
        or (frames % 1.0).any()
        or frames[-1] >= SPARSEST * count
    ):
        return np.arange(count)
    return frames.astype(np.int64)


def _rate(rows: Sequence[Sequence[str]], words: Sequence[str], frame: IntArray) -> float:
    """Return the frame rate that a column of times tells for rows at these frames."""
    column = _column(words, TIME_WORDS)
    if column is None:
        return UNKNOWN_RATE
    rate = rate_of_times([_cell(row, column) for row in rows])
    return UNKNOWN_RATE if rate is None else rate * float(np.median(np.diff(frame)))


def refuse_picture(points: RawPoints, path: Path) -> None:
    """Refuse places in a picture: points without depth, or as shares of the picture's width and height.

    A person who stands is longer than 1 m along some axis, so coordinates in metres are no such shares.
    """
    seen = points.position[np.isfinite(points.position).all(axis=2)]
    if not len(seen):
        return
    low, high = np.quantile(seen, [0.01, 0.99], axis=0)
    flat = (high - low).min() < FLAT * (high - low).max()
    shares = (low[:2] >= 0.0).all() and (high[:2] <= 1.0).all() and np.abs([low[2], high[2]]).max() <= 1.0
    if flat or shares:
        raise InputError(
            f"The points of '{path.name}' are places in a picture, "
            f"{'without depth' if flat else 'as shares of its width and height'}. Export keypoints in space: "
            "triangulated from several cameras, or world landmarks. If they are, give their unit in metres."
        )


def _still_hips_note(points: RawPoints) -> tuple[str, ...]:
    """Return a note where coordinates are relative to the hips, as MediaPipe's world landmarks are."""
    hips = [
        i
        for i, name in enumerate(points.labels)
        if (landmark := read_label(name)) is not None and landmark.place == "hip centre" and landmark.side
    ]
    if len(hips) != 2:
        return ()
    both = points.position[:, hips]
    both = both[np.isfinite(both).all(axis=(1, 2))]
    apart = np.linalg.norm(both[:, 0] - both[:, 1], axis=1)
    if len(both) < 2 or not both.mean(axis=1).std(axis=0).max() < STILL * np.median(apart):
        return ()
    return (
        "The hips are at the same place in all frames: the points are given relative to them, so how the "
        "body moved through space is not known, and feet slide. Use points that were triangulated.",
    )
