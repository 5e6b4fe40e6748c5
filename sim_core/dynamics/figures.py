"""The figures of an analysis, for the command line and for tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import metrics
from ..conventions import GRAVITY, FloatArray
from .analysis import Analysis


def figures(analysis: Analysis) -> dict[str, Any]:
    """Root mean squares and extremes over the samples whose forces are known."""
    known = analysis.known
    weight = analysis.mass * GRAVITY
    force, moment = rms(analysis.residual[known, :3]), rms(analysis.residual[known, 3:])
    busy, worst = metrics.effort(
        analysis.torque[known], analysis.torque_limit, tuple(analysis.axis_name.tolist())
    )
    power = analysis.power[known].sum(axis=1)
    return {
        "seconds": float(analysis.time[-1] - analysis.time[0]),
        "samples": len(analysis.time),
        "kind": analysis.kind,
        "forces_from": analysis.forces_from,
        "mass_kg": analysis.mass,
        "residual_force_n": force,
        "residual_moment_nm": moment,
        "residual_share": force / weight,
        "foot_force_max_share": float(analysis.foot_force[known, :, 2].max(initial=0.0) / weight),
        "effort_share": busy,
        "effort_worst_joint": worst,
        "power_max_w": float(power.max()),
        "power_min_w": float(power.min()),
        "work_j": float(np.maximum(power, 0.0).sum() * analysis.dt),
        "assist_force_max_n": metrics.norms(analysis.assist[:, :3])[1],
    }


def rms(vectors: FloatArray) -> float:
    """Of the lengths of vectors (T, n)."""
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))
