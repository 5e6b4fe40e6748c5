"""What a balance policy asks of the tracker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...base.conventions import BoolArray, FloatArray
from ...simulation.protocol import State
from ..tracking.prediction import Prediction


@dataclass(frozen=True, eq=False)
class BalanceTargets:
    """Wanted at this instant.

    com_acceleration (3) [m/s^2], momentum_rate (3): angular, about the com [Nm]
    foot_shift (F, 3): where each foot should be, against the plan [m]
    foot_shift_velocity (F, 3): of feet that swing [m/s]
    joint_offset (nv): what joint angles should be, against the plan [rad]
    com: how many times more than usual the acceleration of the centre of mass counts
    joint_acceleration (nv): added to that of the reference and its springs [rad/s^2]
    swing: how many times more than usual the way of swinging feet counts
    acceleration (nv): of all coordinates, in place of the reference's with springs
    extra: further goals; each is rows (m, nv) over accelerations, what they should give (m), a weight
    """

    com_acceleration: FloatArray
    momentum_rate: FloatArray
    foot_shift: FloatArray
    foot_shift_velocity: FloatArray | float = 0.0
    joint_offset: FloatArray | float = 0.0
    com: float = 1.0
    joint_acceleration: FloatArray | float = 0.0
    swing: float = 1.0
    acceleration: FloatArray | None = None
    extra: tuple[tuple[FloatArray, FloatArray, float], ...] = ()


class BalancePolicy(Protocol):
    def touches(self, sample: int) -> BoolArray:
        """Which of the plan's points should rest on the ground (K)."""
        ...

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Targets at a sample of the plan."""
        ...
