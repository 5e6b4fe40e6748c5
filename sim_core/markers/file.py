"""The file of a fit (docs/markers.md): joints as in a result file, and markers beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..files import AnyArray, AnyPath
from ..joint_arrays import joint_arrays
from ..schema import write_file
from .fit import MarkerFit
from .report import by_marker
from .take import MarkerTake

SCHEMA = 1


def save_fit(fit: MarkerFit, take: MarkerTake, path: AnyPath, meta: dict[str, Any]) -> None:
    """Write the fit as one npz, whole or not at all."""
    arrays: dict[str, AnyArray] = {
        **joint_arrays(fit.motion),
        "marker_name": np.array(fit.labels),
        "marker_joint": fit.subject.calibration.rig.bone[fit.attachments.link],
        "marker_position": fit.measured,
        "marker_model_position": fit.model,
        "marker_distance": fit.distance,
        **_plates(take),
    }
    faults = [
        {"marker": f.marker, "kind": f.kind, "first": f.first + 1, "last": f.last + 1, "other": f.other}
        for f in fit.faults
    ]
    record = {
        "marker_set": fit.subject.table.name,
        "first_frame": take.first_frame,
        "length_ratio": fit.subject.calibration.length_ratio,
        "by_marker": by_marker(fit),
        "faults": faults,
    }
    write_file(path, "fit", SCHEMA, arrays, {**record, **meta})


def _plates(take: MarkerTake) -> dict[str, AnyArray]:
    """Force plates of one rate side by side; no entries without any."""
    if not take.plates:
        return {}
    return {
        "plate_time": take.plates[0].time,
        "plate_corners": np.array([plate.corners_world for plate in take.plates]),
        "plate_force": np.stack([plate.force_world for plate in take.plates], axis=1),
        "plate_moment": np.stack([plate.moment_world for plate in take.plates], axis=1),
        "plate_pressure": np.stack([plate.pressure_world for plate in take.plates], axis=1),
    }
