"""How well a fit explains its markers, in figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .fit import MarkerFit


def figures(fit: MarkerFit) -> dict[str, Any]:
    """RMS and worst distances over all markers, and counts of what does not belong."""
    distance = fit.distance
    if not np.isfinite(distance).any():
        return {"marker_rms_cm": None}
    worst = np.unravel_index(np.nanargmax(distance), distance.shape)
    kinds = [fault.kind for fault in fit.faults]
    return {
        "frames": len(distance),
        "markers": len(fit.labels),
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


def leg_length(fit: MarkerFit) -> float:
    """Hip to knee to ankle, mean of both sides [m]."""
    rig = fit.subject.calibration.rig
    lengths = np.linalg.norm(rig.body.anchors, axis=1)
    links = [rig.link(f"{part}.{side}") for part in ("shin", "foot") for side in "LR"]
    return 0.5 * float(sum(lengths[link] for link in links if link is not None))


def by_marker(fit: MarkerFit) -> dict[str, dict[str, float | None]]:
    """RMS and worst distance [cm] of each marker, and the frame of the worst, counted from 1."""
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
