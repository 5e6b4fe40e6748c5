"""Walks that are simulated at 0 N: the vertical force under each foot against the plates."""

from __future__ import annotations

import numpy as np

from sim_core.analysis.analysis import Analysis, analyse_result
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.tables import Row
from .steps import LOADED_N, at_times, correlation, smooth, steps_of
from .trials import Measured


def simulated_rows(measured: Measured) -> list[Row]:
    """Simulate a walk as a bake of its markers does; return a row for each foot that a plate has measured.

    Its mass is that of the take. Feet are compared at the times at which estimates are: from the end of the
    contact before a plate to the start of the next one. Simulated forces have the plates' own low-pass.
    """
    fit, take = measured.fitted.fit, measured.take
    result = bake(Job(fit.motion, fit.subject.calibration.rig.mapping, BakeSettings(mass=take.mass)))
    found = analyse_result(result)
    force = smooth(found.foot_force, found.time)
    rows: list[Row] = []
    for step in steps_of(take, measured.fitted.take, measured.analysis):
        own = at_times(step.time, _source_time(result, found), force[:, "LR".index(step.side)])
        mine, theirs = own[:, 2], step.measured[:, 2]
        carries = theirs > LOADED_N
        error = np.sqrt(((mine - theirs) ** 2).mean()) / (take.mass * GRAVITY)
        rows.append(
            {
                "name": take.name,
                "side": step.side,
                "mass": take.mass,
                "fell": "-" if result.meta.fell_at is None else f"{result.meta.fell_at:.2f} s",
                "r": correlation(mine, theirs),
                "stance_r": correlation(mine[carries], theirs[carries]),
                "peak_ratio": float(mine.max() / theirs.max()),
                "impulse_ratio": float(mine.sum() / theirs.sum()),
                "error": 100.0 * float(error),
                "joint_error": None if result.meta.metrics is None else result.meta.metrics.joint_error_deg,
            }
        )
    return rows


def _source_time(result: Result, found: Analysis) -> np.ndarray:
    """Return the times of the simulation on the axis of the capture (T) [s]."""
    return np.asarray(found.time + float(result.source_time[0] - result.time[0]))
