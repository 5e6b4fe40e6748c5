"""Motions whose report is known: a body of 10 kg that stands for two seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_core.report.motion_series import MotionSeries

SAMPLES, DT, MASS = 201, 0.01, 10.0


def series(**changes: Any) -> MotionSeries:
    """Nothing is wrong with it but what is changed."""
    values: dict[str, Any] = {
        "simulated": False,
        "time": np.arange(SAMPLES) * DT,
        "mass": MASS,
        "com": np.tile([0.0, 0.0, 1.0], (SAMPLES, 1)),
        "known": np.ones(SAMPLES, dtype=bool),
        "foot_name": np.array(["foot.L", "foot.R"]),
        "foot_force": np.zeros((SAMPLES, 2, 3)),
        "foot_slip": np.zeros((SAMPLES, 2)),
        "foot_depth": np.zeros((SAMPLES, 2)),
        "axis_name": np.array(["thigh.R/x", "thigh.R/y", "shin.R/x"]),
        "torque": np.zeros((SAMPLES, 3)),
        "torque_limit": np.array([200.0, np.inf, 260.0]),
        "residual": np.zeros((SAMPLES, 6)),
        "assist": np.zeros((SAMPLES, 6)),
        "joint_error": np.zeros(SAMPLES),
        "tremble": np.zeros(SAMPLES),
    }
    return MotionSeries(**(values | changes))


def over(true_intervals: dict[tuple[float, float], float]) -> np.ndarray:
    """Values (T) that hold from a time on and before another [s]; 0 elsewhere."""
    values, time = np.zeros(SAMPLES), np.arange(SAMPLES) * DT
    for (start, end), value in true_intervals.items():
        values[(time > start - 1e-6) & (time < end - 1e-6)] = value
    return values
