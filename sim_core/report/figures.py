"""All measures of a motion, under the names of docs/metrics.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import metrics
from .side import Side


def figures_of(side: Side, measured: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured where the bodies were, and what the forces say."""
    if not side.known.any():
        return dict(measured)
    return {**measured, **_outside_figures(side), **_effort_figures(side)}


def _outside_figures(side: Side) -> dict[str, Any]:
    """None where a part of the body was held up by what is not known."""
    if side.held:
        return dict.fromkeys(("residual_share", "outside_share", "tipping_m"))
    known = side.known
    return {
        "residual_share": metrics.rms(np.linalg.norm(side.residual[known, :3], axis=1)) / side.weight,
        "outside_share": metrics.rms(side.outside_force[known]) / side.weight,
        "tipping_m": metrics.rms(side.outside_moment[known]) / side.weight,
    }


def _effort_figures(side: Side) -> dict[str, Any]:
    names, torque = tuple(str(name) for name in side.axis_name), side.torque[side.known]
    busy, _ = metrics.effort(torque, side.torque_limit, names)
    over = metrics.overload(torque, side.torque_limit)
    used = (np.abs(torque) / side.torque_limit).max(axis=0)
    return {
        "effort_share": busy,
        "effort_worst_joint": names[int(used.argmax())],
        "effort_max_share": float(used.max()),
        "overload_mean": float(over.mean()),
    }
