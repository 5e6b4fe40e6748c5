"""The file of a fit (docs/markers.md), and figures of how well it explains its markers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.files import AnyArray, AnyPath
from ..base.npz_file import write_file
from ..motion.motion_arrays import motion_to_arrays
from .marker_fit import MarkerFit
from .marker_take import MarkerTake


def fit_figures(fit: MarkerFit) -> dict[str, Any]:
    """Return distances of the markers that were used, their share of all named ones, and counts of faults."""
    distance = fit.distance
    if not np.isfinite(distance).any():
        return {"marker_rms_cm": None}
    worst = np.unravel_index(np.nanargmax(distance), distance.shape)
    kinds = [fault.kind for fault in fit.faults]
    return {
        "frames": len(distance),
        "markers": len(fit.labels),
        "markers_named": len(fit.offered),
        "marker_share": len(fit.used_labels) / max(1, len(fit.offered)),
        "marker_rms_cm": 100.0 * float(np.sqrt(np.nanmean(distance**2))),
        "marker_p95_cm": 100.0 * float(np.nanquantile(distance, 0.95)),
        "marker_worst_cm": 100.0 * float(distance[worst]),
        "marker_worst": fit.labels[int(worst[1])],
        "marker_worst_frame": int(worst[0]) + 1,
        "missing_share": float(np.mean(~np.isfinite(fit.measured).all(axis=2))),
        **{f"{kind}_spells": kinds.count(kind) for kind in ("missing", "outlier", "swapped")},
        "height_m": fit.subject.height,
        "leg_length_m": leg_length(fit),
    }


def used_words(metrics: Mapping[str, Any]) -> str:
    """Return how many of the named markers were used, which belongs beside every RMS."""
    named = metrics["markers_named"]
    return f"{round(metrics['marker_share'] * named)} of {named} markers"


def leg_length(fit: MarkerFit) -> float:
    """Return the length from hip over knee to ankle, mean of both sides [m]."""
    rig = fit.subject.calibration.rig
    lengths = np.linalg.norm(rig.body.anchors, axis=1)
    links = [rig.link(f"{part}.{side}") for part in ("shin", "foot") for side in "LR"]
    return 0.5 * float(sum(lengths[link] for link in links if link is not None))


def by_marker(fit: MarkerFit) -> dict[str, dict[str, float | None]]:
    """Return RMS and worst distance [cm] of each marker, and the frame of the worst, counted from 1."""
    table: dict[str, dict[str, float | None]] = {}
    for m, label in enumerate(fit.labels):
        distance = 100.0 * fit.distance[:, m]
        seen = np.isfinite(distance)
        if not seen.any():
            table[label] = {"rms_cm": None, "worst_cm": None, "worst_frame": None}
            continue
        table[label] = {
            "rms_cm": float(np.sqrt(np.mean(distance[seen] ** 2))),
            "worst_cm": float(np.nanmax(distance)),
            "worst_frame": int(np.nanargmax(distance)) + 1,
        }
    return table


SCHEMA = 1


def save_fit(fit: MarkerFit, take: MarkerTake, path: AnyPath, meta: dict[str, Any]) -> None:
    """Write the fit as one npz file: joints as in a result file, and markers."""
    arrays: dict[str, AnyArray] = {
        **motion_to_arrays(fit.motion),
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
    """Return the force plates, which share one rate; empty without any."""
    if not take.plates:
        return {}
    return {
        "plate_time": take.plates[0].time,
        "plate_corners": np.array([plate.corners_world for plate in take.plates]),
        "plate_force": np.stack([plate.force_world for plate in take.plates], axis=1),
        "plate_moment": np.stack([plate.moment_world for plate in take.plates], axis=1),
        "plate_pressure": np.stack([plate.pressure_world for plate in take.plates], axis=1),
    }
