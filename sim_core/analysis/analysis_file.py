"""The figures of an analysis, for the command line and for tables.

The file of an analysis (docs/dynamics.md), and its series as a table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.conventions import GRAVITY, FloatArray
from ..base.errors import InputError
from ..base.files import AnyPath, write_text_atomically
from ..base.npz_file import read_file, take_array, write_file
from ..result import metrics
from .analysis import ARRAY_NAMES, Analysis


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


SCHEMA = 1
KIND = "dynamics"
_KINDS = {"known": "b", "contact_body": "i", "axis_body": "i"}
_TEXTS = ("body_name", "foot_name", "axis_name")
_DIMENSIONS = {
    **dict.fromkeys(("body_com", "foot_force", "foot_pressure", "contact_point", "contact_force"), 3),
    **dict.fromkeys(("com", "momentum", "angular_momentum", "contact_body", "torque", "power"), 2),
    **dict.fromkeys(("residual", "assist"), 2),
}
XYZ = ("x", "y", "z")


def save_analysis(analysis: Analysis, path: AnyPath, meta: Mapping[str, Any]) -> None:
    own = {"kind": analysis.kind, "forces_from": analysis.forces_from, "notes": list(analysis.notes)}
    write_file(path, KIND, SCHEMA, analysis.arrays(), {**meta, **own})


def load_analysis(path: AnyPath) -> Analysis:
    """Whatever is wrong with the file is told as an InputError."""
    arrays, meta = read_file(path, KIND, SCHEMA)
    taken = {
        name: take_array(
            arrays, name, "U" if name in _TEXTS else _KINDS.get(name, "f"), _DIMENSIONS.get(name, 1), path
        )
        for name in ARRAY_NAMES
    }
    lengths = {
        len(taken[name]) for name in ("time", "com", "torque", "residual", "foot_force", "contact_force")
    }
    if len(lengths) > 1:
        raise InputError(
            f"The arrays of '{path}' do not have the same number of samples; make the file again."
        )
    notes = tuple(str(note) for note in meta.get("notes", ()))
    return Analysis(kind=str(meta["kind"]), forces_from=str(meta["forces_from"]), notes=notes, **taken)


def save_table(analysis: Analysis, path: AnyPath) -> None:
    """All series as comma-separated values, one row for each sample; empty where nothing is known."""
    columns = series(analysis)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in np.stack(list(columns.values()), axis=1):
        writer.writerow(["" if np.isnan(value) else f"{value:.6g}" for value in row])
    write_text_atomically(path, text.getvalue())


def series(analysis: Analysis) -> dict[str, FloatArray]:
    """Every quantity over time (T) by a name that says its unit."""
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
