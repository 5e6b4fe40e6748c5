"""The time series of one motion that the report judges, and the figures computed from them.

The figures have the names of docs/metrics.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from ..base.array_record import ArrayRecord
from ..base.conventions import GRAVITY, BoolArray, FloatArray
from ..result import metrics
from ..result.result import NameArray


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionSeries(ArrayRecord):
    """T samples, F feet, D joint axes; SI units, world frame Z up.

    simulated: forces are the simulation's; otherwise they are those that the motion as it is would need
    unknown_support: why external forces are not known although forces are; empty if they are
    time (T): since the first sample [s]; mass [kg]; com (T, 3) [m]
    known (T): whether forces are known at the sample
    foot_name (F): bodies; foot_force (T, F, 3) [N]
    foot_slip (T, F): speed of a foot relative to the surface below, 0 in the air [m/s]
    foot_depth (T, F): of its deepest point below the ground [m]
    axis_name (D): such as 'shin.L/x'; torque (T, D), torque_limit (D) [Nm]
    residual (T, 6): force [N] and moment [Nm] that no contact explains
    assist (T, 6): external force [N] and torque [Nm]
    joint_error (T): mean distance from the reference [deg]; tremble (T): joint angles above 12 Hz [deg]
    """

    NO_ARRAYS: ClassVar[frozenset[str]] = frozenset({"simulated", "mass", "unknown_support"})

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
    unknown_support: str = ""

    @property
    def dt(self) -> float:
        """Time between two samples [s]."""
        return float(self.time[1] - self.time[0])

    @property
    def weight(self) -> float:
        """Weight of the body [N]."""
        return self.mass * GRAVITY

    @property
    def outside_force(self) -> FloatArray:
        """Assist force, or force that no contact explains (T) [N]; 0 where forces are not known."""
        return self._outside(slice(0, 3))

    @property
    def outside_moment(self) -> FloatArray:
        """Assist torque, or moment that no contact explains (T) [Nm]; 0 where forces are not known."""
        return self._outside(slice(3, 6))

    def _outside(self, part: slice) -> FloatArray:
        # The residual of a simulated motion is only due to the finite sampling.
        wrench = self.assist if self.simulated else self.residual
        return np.where(self.known, np.linalg.norm(wrench[:, part], axis=1), 0.0)

    @property
    def used(self) -> FloatArray:
        """Torques relative to their limits (T, D); 0 where forces are not known."""
        return np.where(self.known[:, None], np.abs(self.torque) / self.torque_limit, 0.0)


def figures_of(series: MotionSeries, measured: metrics.MotionMetrics) -> dict[str, Any]:
    """Return the measures of a motion together with those of its forces, where these are known."""
    forces = asdict(_force_figures(series)) if series.known.any() else {}
    return {**asdict(measured), **forces}


def _force_figures(series: MotionSeries) -> metrics.ForceFigures:
    known, supported = series.known, not series.unknown_support
    names, torque = tuple(str(name) for name in series.axis_name), series.torque[known]
    busy, _ = metrics.effort(torque, series.torque_limit, names)
    used = metrics.effort_share(torque, series.torque_limit).max(axis=0)
    unexplained = metrics.rms(np.linalg.norm(series.residual[known, :3], axis=1)) / series.weight
    return metrics.ForceFigures(
        residual_share=unexplained if supported else None,
        outside_share=metrics.rms(series.outside_force[known]) / series.weight if supported else None,
        tipping_m=metrics.rms(series.outside_moment[known]) / series.weight if supported else None,
        effort_share=busy,
        effort_worst_joint=names[int(used.argmax())],
        effort_max_share=float(used.max()),
        overload_mean=float(metrics.overload(torque, series.torque_limit).mean()),
    )
