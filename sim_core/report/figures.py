"""All measures of a motion, under the names of docs/metrics.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import metrics
from .side import Side


def figures_of(side: Side, measured: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured where the bodies were, and what the forces say."""
    return {**measured, **_force_figures(side)} if side.known.any() else dict(measured)


def _force_figures(side: Side) -> dict[str, Any]:
    known, names = side.known, tuple(str(name) for name in side.axis_name)
    torque = side.torque[known]
    busy, _ = metrics.effort(torque, side.torque_limit, names)
    over = metrics.overload(torque, side.torque_limit)
    used = (np.abs(torque) / side.torque_limit).max(axis=0)
    return {
        "residual_share": metrics.rms(np.linalg.norm(side.residual[known, :3], axis=1)) / side.weight,
        "outside_share": metrics.rms(side.outside_force[known]) / side.weight,
        "tipping_m": metrics.rms(side.outside_moment[known]) / side.weight,
        "effort_share": busy,
        "effort_worst_joint": names[int(used.argmax())],
        "effort_max_share": float(used.max()),
        "overload_mean": float(over.mean()),
    }
