"""One motion as the report judges it: its forces, its feet, its poses.

All measures of a motion, under the names of docs/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..base.conventions import GRAVITY, BoolArray, FloatArray, frozen
from ..result import metrics
from ..result.result import NameArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Side:
    """T samples, F feet, D joint axes. SI units, world frame Z up.

    simulated: forces are the simulation's; else they are what the motion as it is would need
    held: why it is not known what held the body up, where a part of it followed the clip; else empty
    time (T): since the first sample [s]; mass [kg]; com (T, 3) [m]
    known (T): forces are known at the sample; nowhere, where there are none at all
    foot_name (F): bodies; foot_force (T, F, 3) [N]
    foot_slip (T, F): speed of a foot over what it stands on, 0 in the air [m/s]
    foot_depth (T, F): of its deepest point below the ground [m]
    axis_name (D): such as 'shin.L/x'; torque (T, D), torque_limit (D) [Nm]
    residual (T, 6): force [N] and moment [Nm] that nothing explains
    assist (T, 6): outside help, force [N] and torque [Nm]
    joint_error (T): from the motion that it follows [deg]; tremble (T): joint angles above 12 Hz [deg]
    """

    simulated: bool
    time: FloatArray
    mass: float
    com: FloatArray
    known: BoolArray
    foot_name: NameArray
    foot_force: FloatArray
    foot_slip: FloatArray
    foot_depth: FloatArray
    axis_name: NameArray
    torque: FloatArray
    torque_limit: FloatArray
    residual: FloatArray
    assist: FloatArray
    joint_error: FloatArray
    tremble: FloatArray
    held: str = ""

    def __post_init__(self) -> None:
        for name in ARRAY_NAMES:
            array = np.asarray(getattr(self, name))
            object.__setattr__(self, name, frozen(array, array.dtype.type))

    @property
    def dt(self) -> float:
        return float(self.time[1] - self.time[0])

    @property
    def weight(self) -> float:
        """[N]"""
        return self.mass * GRAVITY

    @property
    def outside_force(self) -> FloatArray:
        """Help, or what would have to come from nowhere (T) [N]; 0 where forces are not known."""
        return self._outside(slice(0, 3))

    @property
    def outside_moment(self) -> FloatArray:
        """Help, or what would have to come from nowhere (T) [Nm]; 0 where forces are not known."""
        return self._outside(slice(3, 6))

    def _outside(self, part: slice) -> FloatArray:
        # What is left of a simulated motion is only the rounding of its samples, and no force on it.
        wrench = self.assist if self.simulated else self.residual
        return np.where(self.known, np.linalg.norm(wrench[:, part], axis=1), 0.0)

    @property
    def used(self) -> FloatArray:
        """Torques over their limits (T, D); 0 where forces are not known."""
        return np.where(self.known[:, None], np.abs(self.torque) / self.torque_limit, 0.0)

    def arrays(self) -> dict[str, Any]:
        """All arrays by name."""
        return {name: getattr(self, name) for name in ARRAY_NAMES}


ARRAY_NAMES = tuple(f.name for f in fields(Side) if f.name not in ("simulated", "mass", "held"))


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
