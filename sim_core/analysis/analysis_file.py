"""The file of an analysis (docs/dynamics.md), its summary figures, and its series as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.conventions import GRAVITY, FloatArray
from ..base.files import AnyPath, write_text_atomically
from ..base.npz_file import write_file
from ..result import metrics
from .analysis import MEASURED, Analysis

UNEXPLAINED = 0.1
"""Share of the weight that nothing explains above which forces are called doubtful. Walks have 0.1 to 3 %."""


def unexplained_note(analysis: Analysis) -> tuple[str, ...]:
    """Return a sentence if much of the weight stays unexplained, with what to check."""
    share = float(figures(analysis)["residual_share"])
    if share <= UNEXPLAINED:
        return ()
    check = (
        "check scale, zero and axes of the force plates, or leave them out (--no-plates)"
        if analysis.forces_from == MEASURED
        else "check frame rate and scale of the motion, and what else it touches"
    )
    return (f"{share:.0%} of the body's weight stays unexplained, so these forces are doubtful; {check}.",)


def figures(analysis: Analysis) -> dict[str, Any]:
    """Return root mean squares and extremes over the samples whose forces are known."""
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
    """Return the root mean square of the lengths of vectors (T, n)."""
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


SCHEMA = 1
KIND = "dynamics"
XYZ = ("x", "y", "z")


def save_analysis(analysis: Analysis, path: AnyPath, meta: Mapping[str, Any]) -> None:
    """Write an analysis and further meta data to a file."""
    own = {"kind": analysis.kind, "forces_from": analysis.forces_from, "notes": list(analysis.notes)}
    write_file(path, KIND, SCHEMA, analysis.arrays(), {**meta, **own})


def save_table(analysis: Analysis, path: AnyPath) -> None:
    """Write all series as comma-separated values, one row per sample, with empty cells for unknown values."""
    columns = series(analysis)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in np.stack(list(columns.values()), axis=1):
        writer.writerow(["" if np.isnan(value) else f"{value:.6g}" for value in row])
    write_text_atomically(path, text.getvalue())


def series(analysis: Analysis) -> dict[str, FloatArray]:
    """Return every quantity over time (T) by a name that contains its unit."""
    found: dict[str, FloatArray] = {"time_s": analysis.time}
    vectors = {"com_{}_m": analysis.com, "momentum_{}_kgm/s": analysis.momentum}
    vectors["angular_momentum_{}_kgm2/s"] = analysis.angular_momentum
    for f, foot in enumerate(analysis.foot_name):
        vectors[f"{foot}_force_{{}}_N"] = analysis.foot_force[:, f]
        vectors[f"{foot}_pressure_{{}}_m"] = analysis.foot_pressure[:, f]
    vectors["residual_force_{}_N"] = analysis.residual[:, :3]
    vectors["residual_moment_{}_Nm"] = analysis.residual[:, 3:]
    vectors["assist_force_{}_N"] = analysis.assist[:, :3]
    vectors["assist_torque_{}_Nm"] = analysis.assist[:, 3:]
    for name, values in vectors.items():
        found |= {name.format(axis): values[:, i] for i, axis in enumerate(XYZ)}
    found["energy_J"] = analysis.energy
    for d, axis in enumerate(analysis.axis_name):
        found[f"{axis}_torque_Nm"] = analysis.torque[:, d]
        found[f"{axis}_power_W"] = analysis.power[:, d]
    return found
