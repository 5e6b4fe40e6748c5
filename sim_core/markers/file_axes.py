"""Unit and vertical axis of a marker file, found from the markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from .label_meaning import read_label

UNIT_M = {"mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "m": 1.0, "in": 0.0254, "inch": 0.0254, "ft": 0.3048}
BODY_SPAN = (0.3, 3.2)
"""Range of the distance between the outermost markers of a person, from a toddler to raised arms [m]."""
STANDING_HEIGHT = {
    "head": 1.58,
    "neck": 1.49,
    "clavicle": 1.41,
    "chest": 1.21,
    "spine": 1.06,
    "hips": 0.93,
    "thigh": 0.93,
    "shin": 0.50,
    "foot": 0.07,
    "toe": 0.03,
}
"""Heights of parts' joints in standing [m]; hands and arms may be anywhere."""
LEAST_LANDMARKS, LEAST_SPREAD = 4, 0.3
"""Number of landmarks that show which way is up, and the least distance between their heights [m]."""
DOMINANT = 1.5
"""The body must be this many times longer along its up axis than along others, or it does not stand."""
SAMPLES = 50

TURNS: dict[str, FloatArray] = {
    # Rows are the world's axes in the file's; all are rotations.
    "+Z": np.eye(3),
    "+Y": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "+X": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "-Z": np.diag([1.0, -1.0, -1.0]),
    "-Y": np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]),
    "-X": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]),
}


@dataclass(frozen=True, eq=False)
class FileAxes:
    """Conversion of a file's coordinates: world = unit_m * turn @ file."""

    unit_m: float
    turn: FloatArray
    notes: tuple[str, ...] = ()


def find_file_axes(
    labels: tuple[str, ...],
    position: FloatArray,
    unit: str,
    up: str,
    unit_given: float | None,
    plates: Sequence[FloatArray] = (),
) -> FileAxes:
    """Return the conversion for positions (T, P, 3); `unit` and `up` as the file declares them.

    plates: corners (4, 3) of force plates
    unit_given: metres per file unit from the user; None trusts the file
    """
    span = _span(position)
    unit_m, unit_note = _unit(span, unit, unit_given)
    axis, axis_note = _up(labels, position, up, plates)
    return FileAxes(unit_m, TURNS[axis], tuple(note for note in (unit_note, axis_note) if note))


def _span(position: FloatArray) -> float:
    """Return the distance between the outermost markers in a typical frame, in file units; 0 when unknown."""
    frames = position[:: max(1, len(position) // 50)]
    spans = []
    for frame in frames:
        points = frame[np.isfinite(frame).all(axis=1)]
        if len(points) > 1:
            # The middle nine tenths: a stray point far off must not decide.
            low, high = np.quantile(points, [0.05, 0.95], axis=0)
            spans.append(float(np.linalg.norm(high - low)))
    return float(np.median(spans)) if spans else 0.0


def _unit(span: float, declared: str, given: float | None) -> tuple[float, str]:
    if given is not None:
        if not 0.0 < given < np.inf:
            raise InputError(f"The unit is {given}; it must be metres per file unit, above zero.")
        return given, ""
    plausible = [name for name in ("mm", "cm", "m") if BODY_SPAN[0] < span * UNIT_M[name] < BODY_SPAN[1]]
    if declared in UNIT_M:
        _refuse_wrong_unit(span, declared, plausible)
        return UNIT_M[declared], ""
    if not plausible:
        raise InputError(
            f"The markers lie {span:g} units apart and the file names no unit that is known ('{declared}'); "
            "give the unit in metres."
        )
    return UNIT_M[plausible[0]], f"The file names no unit; the body's size says {plausible[0]}."


def _refuse_wrong_unit(span: float, declared: str, plausible: list[str]) -> None:
    metres = span * UNIT_M[declared]
    if plausible and declared not in plausible and not 0.1 * BODY_SPAN[0] < metres < 2.0 * BODY_SPAN[1]:
        better = plausible[0]
        raise InputError(
            f"The markers lie {metres:.4g} m apart if the file's unit ({declared}) is right, which is no "
            f"body; they look like {better}: give {UNIT_M[better]:g} as the unit in metres."
        )


def _up(
    labels: tuple[str, ...], position: FloatArray, declared: str, plates: Sequence[FloatArray]
) -> tuple[str, str]:
    """Return the up axis and a note: by the body first, because declarations are often left as they were."""
    named = _up_by_labels(labels, position)
    declared = declared.upper() if declared.upper() in TURNS else ""
    if declared and named and declared != named:
        return named, f"The file says {declared} is up, but the head is above the feet along {named}."
    if named:
        return named, ""
    if declared:
        above = _sign_above_plates(position, plates, "XYZ".index(declared[1])) + declared[1]
        if plates and above != declared:
            return (
                above,
                f"The file says {declared} is up, but markers are above the force plates along {above}.",
            )
        return declared, ""
    axis = _up_by_extent(position)
    return axis, f"The file does not say which axis is up; {axis} was taken."


def _up_by_labels(labels: tuple[str, ...], position: FloatArray) -> str | None:
    """Return the axis along which landmarks are as far above each other as in standing."""
    heights = {i: height for i, label in enumerate(labels) if (height := _standing_height(label)) is not None}
    if len(heights) < LEAST_LANDMARKS or np.ptp(list(heights.values())) < LEAST_SPREAD:
        return None
    columns, expected = list(heights), np.array(list(heights.values()))
    slopes = []
    for frame in position[:: max(1, len(position) // SAMPLES), columns]:
        seen = np.isfinite(frame).all(axis=1)
        if seen.sum() >= LEAST_LANDMARKS and np.ptp(expected[seen]) >= LEAST_SPREAD:
            away = expected[seen] - expected[seen].mean()
            slopes.append(away @ frame[seen] / (away @ away))
    if not slopes:
        return None
    upward = np.median(slopes, axis=0)
    axis = int(np.argmax(np.abs(upward)))
    if np.abs(upward[axis]) < DOMINANT * np.delete(np.abs(upward), axis).max():
        return None  # lying, or not standing for most of the take
    return ("+" if upward[axis] > 0.0 else "-") + "XYZ"[axis]


def _standing_height(label: str) -> float | None:
    """Return the height of the landmark that a label names in standing [m]; None if it is not known."""
    landmark = read_label(label.rpartition(":")[2])
    if landmark is None:
        return None
    row = landmark.placement
    part = row.part.split(".")[0]
    if part not in STANDING_HEIGHT or row.offset is None:
        return None
    return STANDING_HEIGHT[part] + float(row.offset[2])


def _sign_above_plates(position: FloatArray, plates: Sequence[FloatArray], axis: int) -> str:
    """Return the direction along an axis in which most points are from force plates with these corners."""
    if not plates:
        return "+"
    floor = float(np.mean([corners[:, axis].mean() for corners in plates]))
    return "+" if float(np.nanmedian(position[..., axis])) >= floor else "-"


def _up_by_extent(position: FloatArray) -> str:
    """Return the axis along which the lowest points have similar heights, as subjects stand on a floor."""
    flat = position.reshape(-1, 3)
    flat = flat[np.isfinite(flat).all(axis=1)]
    if len(flat) == 0:
        return "+Z"
    best = min(
        product("+-", "XYZ"),
        key=lambda choice: _floor_spread(flat[:, "XYZ".index(choice[1])], choice[0]),
    )
    return best[0] + best[1]


def _floor_spread(values: FloatArray, sign: str) -> float:
    """Return the spread of the lowest twentieth of points relative to the whole extent."""
    values = values if sign == "+" else -values
    lowest, low, high = np.quantile(values, [0.002, 0.05, 0.998])
    return float((low - lowest) / max(high - lowest, 1e-12))
