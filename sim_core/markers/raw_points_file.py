"""The points of a marker file on their way from the process that reads it to the one that asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..base.files import AnyArray, AnyPath
from ..base.npz_file import read_file, take_array, write_file
from .raw_points import RawPlate, RawPoints

KIND, SCHEMA = "points", 1
_PLATE = ("corners", "force", "moment", "pressure")


def save_points(points: RawPoints, path: AnyPath) -> None:
    """Write points to a file."""
    arrays: dict[str, AnyArray] = {
        "label": _texts(points.labels),
        "position": points.position,
        "residual": points.residual,
        "timing": np.array([points.rate_hz, points.start_s, points.first_frame], dtype=float),
        "declared": _texts((points.unit, points.up)),
        "note": _texts(points.notes),
        "output_label": _texts(points.outputs),
        "parameter_name": _texts(points.parameters),
        "parameter": np.array(list(points.parameters.values()), dtype=float),
        "plate": np.array([(plate.rate_hz, plate.moment_unit) for plate in points.plates]).reshape(-1, 2),
    }
    arrays |= {f"output_{number}": values for number, values in enumerate(points.outputs.values())}
    for number, plate in enumerate(points.plates):
        arrays |= {f"plate_{number}_{name}": getattr(plate, name) for name in _PLATE}
    write_file(path, KIND, SCHEMA, arrays, {})


def load_points(path: AnyPath) -> RawPoints:
    """Read points from a file."""
    arrays, _ = read_file(path, KIND, SCHEMA)
    rate, start, first = take_array(arrays, "timing", "f", 1, path).tolist()
    unit, up = _names(arrays, "declared", path)
    plates = take_array(arrays, "plate", "f", 2, path).tolist()
    return RawPoints(
        labels=_names(arrays, "label", path),
        rate_hz=rate,
        start_s=start,
        first_frame=int(first),
        position=take_array(arrays, "position", "f", 3, path),
        residual=take_array(arrays, "residual", "f", 2, path),
        unit=unit,
        up=up,
        plates=tuple(_plate(arrays, number, own, path) for number, own in enumerate(plates)),
        outputs={
            label: take_array(arrays, f"output_{number}", "f", 2, path)
            for number, label in enumerate(_names(arrays, "output_label", path))
        },
        parameters=dict(
            zip(
                _names(arrays, "parameter_name", path),
                take_array(arrays, "parameter", "f", 1, path).tolist(),
                strict=True,
            )
        ),
        notes=_names(arrays, "note", path),
    )


def _plate(arrays: Mapping[str, AnyArray], number: int, units: list[float], path: AnyPath) -> RawPlate:
    rate_hz, moment_unit = units
    own = {name: take_array(arrays, f"plate_{number}_{name}", "f", 2, path) for name in _PLATE}
    return RawPlate(**own, rate_hz=rate_hz, moment_unit=moment_unit)


def _names(arrays: Mapping[str, AnyArray], name: str, path: AnyPath) -> tuple[str, ...]:
    return tuple(take_array(arrays, name, "U", 1, path).tolist())


def _texts(texts: Iterable[str]) -> AnyArray:
    """Return texts as an array; characters of damaged labels that no file can hold are replaced."""
    listed = [text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ") for text in texts]
    return np.array(listed, dtype=str)
