"""Tracking error of simulated motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray, IntArray
from sim_core.result import metrics
from sim_core.result.result import Result

TUMBLING_DEG = 8.0
"""A run that ends upright with a larger joint error was tumbling: it is not full."""


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses over time: root (T, 3) [m] and quaternion_world (T, J, 4)."""

    root: FloatArray
    quaternion_world: FloatArray


def squared_error(new: Poses, reference: Poses, parent: IntArray) -> FloatArray:
    """Return the squared distance of poses (T): angles of all joints [rad] and the root's distance [m].

    Figures 3 to 6 of da Silva et al. 2008 show such an error without its units.
    """
    local = metrics.local_rotations(new.quaternion_world, parent)
    wanted = metrics.local_rotations(reference.quaternion_world, parent)
    angle = rotations.angle_between(local, wanted)
    distance = np.linalg.norm(new.root - reference.root, axis=1)
    return (angle**2).sum(axis=1) + distance**2


def curve_of(result: Result) -> dict[str, list[float]]:
    """Return the tracking error of a result at the control rate."""
    new = Poses(result.joint_position[:, 0], result.joint_quaternion_world)
    reference = Poses(result.reference_joint_position[:, 0], result.reference_joint_quaternion_world)
    degrees = metrics.joint_error_deg(new.quaternion_world, reference.quaternion_world, result.joint_parent)
    squared = squared_error(new, reference, result.joint_parent)
    time = result.time - result.time[0]
    columns = {"time_s": time, "joint_error_deg": degrees, "squared_error": squared}
    return {name: [float(f"{v:.4g}") for v in values] for name, values in columns.items()}


def is_full(metrics: Mapping[str, Any]) -> bool:
    """Whether a run stays up to the end without tumbling."""
    return bool(metrics["full"]) and metrics["joint_error_deg"] < TUMBLING_DEG
