"""C3D files by the libraries that read them: ezc3d, and the c3d package for files that ezc3d refuses.

This runs in a child process only (jobs/c3d_job.py): both can crash or take for ever on a damaged file.
"""

from __future__ import annotations

import importlib
import importlib.util
import platform
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from .c3d_layout import MIPS, c3d_bytes, declared_frames, processor
from .raw_points import RawPlate, RawPoints, with_gaps

OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")
"""Lists in POINT of labels that are not positions."""
FORCE_UNIT_N = {"": 1.0, "n": 1.0, "kn": 1000.0}


def read_with_libraries(path: Path) -> RawPoints:
    """Read all points, force plates and outputs of a file whose layout was checked."""
    data = c3d_bytes(path)
    if processor(data) == MIPS:
        return _read_second(path, data, "Force plates of files from MIPS machines are not read.")
    opened = _open(path)
    if opened is None:
        return _read_second(path, data, "The file departs from the format; its force plates are not read.")
    content, notes = opened
    _refuse_cut_off(content["data"]["points"].shape[2], content["data"]["points"].shape[1], data, path)
    points = content["parameters"]["POINT"]
    labels = _labels(points)
    position: FloatArray = np.moveaxis(content["data"]["points"][:3], 0, 2).swapaxes(0, 1).astype(np.float64)
    labels = _for_points(labels, position.shape[1])
    residual = content["data"]["meta_points"]["residuals"][0].T.astype(np.float64)
    position = with_gaps(np.where(residual[..., None] < 0.0, np.nan, position))
    outputs = {name for group in OUTPUT_GROUPS for name in _listed(points, group)}
    rate = float(content["header"]["points"]["frame_rate"])
    is_position = np.array([label not in outputs for label in labels], dtype=bool)
    return RawPoints(
        labels=tuple(label for label, chosen in zip(labels, is_position, strict=True) if chosen),
        rate_hz=rate,
        start_s=0.0,
        first_frame=int(content["header"]["points"]["first_frame"]) + 1,
        position=position[:, is_position],
        residual=np.where(residual > 0.0, residual, np.nan)[:, is_position],
        unit=_text(points, "UNITS").lower(),
        up=_text(points, "Y_SCREEN"),
        plates=tuple(_plates(content, rate)),
        outputs={
            label: position[:, i] for i, label in enumerate(labels) if not is_position[i] and label in outputs
        },
        parameters=_numbers(content["parameters"].get("PROCESSING", {})),
        notes=notes,
    )


def found_libraries() -> list[str]:
    """Return which packages that read C3D files are installed; a missing one is told when it is needed."""
    return [name for name in ("ezc3d", "c3d") if importlib.util.find_spec(name) is not None]


def _library(name: str) -> Any:
    """Import a package that reads C3D files, only when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        here = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        raise InputError(
            f"C3D files cannot be read because the package '{name}' does not run with {here}; export the "
            "markers as TRC."
        ) from problem


def _open(path: Path) -> tuple[Mapping[str, Any], tuple[str, ...]] | None:
    """Open the file with ezc3d; None if it refuses.

    Force plates of an unknown kind are left out, with a note.
    """
    ezc3d = _library("ezc3d")
    plates_left_out = ("The file's force plates are of a kind that is not understood; they were left out.",)
    for plates, notes in ((True, ()), (False, plates_left_out)):
        try:
            content = ezc3d.c3d(str(path), extract_forceplat_data=plates)
            if "POINT" in content["parameters"]:
                return content, notes
        except Exception:  # the library raises several kinds, also for plates of an unknown type
            continue
    return None


def _refuse_cut_off(frames: int, points: int, data: bytes, path: Path) -> None:
    """Raise InputError if frames are missing: libraries return fewer than the header declares."""
    if frames < 1 or points < 1:
        raise InputError(f"'{path.name}' has no frames of markers; export the markers again.")
    declared = declared_frames(data)
    if frames < declared:
        raise InputError(
            f"'{path.name}' says it has {declared} frames, but {frames} are there; "
            "it is cut off, export it again."
        )


def _for_points(labels: list[str], count: int) -> list[str]:
    """Return one label for each point: files may list more labels than points, or fewer."""
    return labels[:count] + [""] * (count - len(labels))


def _text(group: Mapping[str, Any], name: str) -> str:
    values = list(group.get(name, {}).get("value", ()))
    return str(values[0]).strip() if values else ""


def _listed(group: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of texts; those beyond 255 entries continue in NAME2, NAME3, ..."""
    texts = [str(text).strip() for text in group.get(name, {}).get("value", ())]
    number = 2
    while f"{name}{number}" in group:
        texts += [str(text).strip() for text in group[f"{name}{number}"].get("value", ())]
        number += 1
    return texts


def _labels(points: Mapping[str, Any]) -> list[str]:
    return _listed(points, "LABELS")


def _numbers(group: Mapping[str, Any]) -> dict[str, float]:
    """Return single numbers of a parameter group by name."""
    found: dict[str, float] = {}
    for name, entry in group.items():
        value = np.asarray(entry.get("value", ())).reshape(-1)
        if name != "__METADATA__" and value.size == 1 and value.dtype.kind in "fiu":
            found[name] = float(value[0])
    return found


def _plates(content: Mapping[str, Any], rate_hz: float) -> list[RawPlate]:
    """Return force plates with forces in newtons and lengths in the file's unit."""
    plates = []
    samples = max(1, content["data"]["analogs"].shape[2] // max(1, content["data"]["points"].shape[2]))
    for plate in content["data"].get("platform", ()):
        newton = FORCE_UNIT_N.get(str(plate["unit_force"]).lower(), 1.0)
        metre = 1e-3 if "mm" in str(plate["unit_moment"]).lower() else 1.0
        plates.append(
            RawPlate(
                corners=np.asarray(plate["corners"], dtype=np.float64).T,
                force=newton * np.asarray(plate["force"], dtype=np.float64).T,
                moment=np.asarray(plate["moment"], dtype=np.float64).T,
                pressure=np.asarray(plate["center_of_pressure"], dtype=np.float64).T,
                rate_hz=samples * rate_hz,
                moment_unit=metre,
            )
        )
    return plates


def _read_second(path: Path, data: bytes, note: str) -> RawPoints:
    """Read the points with the c3d package; note: what is lost."""
    c3d = _library("c3d")
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of whatever a file may leave out
            reader = c3d.Reader(file)
            frames = [points for _, points, _ in reader.read_frames(copy=True)]
            labels = [str(label).strip() for label in reader.point_labels]
            rate, first = float(reader.point_rate), int(reader.first_frame)
            unit, up = _second_text(reader, "UNITS"), _second_text(reader, "Y_SCREEN")
    except Exception as problem:  # the library raises many kinds on damaged files
        raise InputError(f"'{path.name}' is damaged or cut off; export it again.") from problem
    points: FloatArray = np.array(frames, dtype=np.float64)
    _refuse_cut_off(len(frames), points.shape[1] if len(frames) else 0, data, path)
    position = with_gaps(np.where(points[..., 3:4] < 0.0, np.nan, points[..., :3]))
    residual = np.where(points[..., 3] > 0.0, points[..., 3], np.nan)
    return RawPoints(
        tuple(_for_points(labels, points.shape[1])),
        rate,
        0.0,
        first,
        position,
        residual,
        unit.lower(),
        up,
        notes=(note,),
    )


def _second_text(reader: Any, name: str) -> str:
    parameter = reader.get(f"POINT:{name}")
    return "" if parameter is None else str(parameter.string_value).strip()
