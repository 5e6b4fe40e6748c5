"""One motion as the report judges it: its forces, its feet, its poses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..conventions import GRAVITY, BoolArray, FloatArray, frozen
from ..result import NameArray


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
