"""The interface between the tracker and the balance policies that set its targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...base.conventions import BoolArray, FloatArray
from ...simulation.protocol import State
from .prediction import Prediction
from .tasks import JacobianTask


@dataclass(frozen=True, eq=False)
class BalanceTargets:
    """Targets of the tracker at one control interval; F feet.

    com_acceleration (3) [m/s^2]; momentum_rate (3): rate of angular momentum about the centre of mass [Nm]
    foot_shift (F, 3) [m], foot_shift_velocity (F, 3) [m/s]: displacement of the feet from the plan
    joint_offset (nv): displacement of the joint angles from the plan [rad]
    com, swing: factors of the weights of the centre of mass and of the swinging feet
    rate: of the plan's clock, from now on; late: foot that should stand, and still swings
    joint_acceleration (nv): added to that of the reference with feedback [rad/s^2]
    acceleration (nv): of all coordinates; None takes the reference's with feedback (eq. 4)
    extra: further tasks of the QP
    """

    com_acceleration: FloatArray
    momentum_rate: FloatArray
    foot_shift: FloatArray
    foot_shift_velocity: FloatArray | float = 0.0
    joint_offset: FloatArray | float = 0.0
    com: float = 1.0
    joint_acceleration: FloatArray | float = 0.0
    swing: float = 1.0
    rate: float = 1.0
    late: int | None = None
    acceleration: FloatArray | None = None
    extra: tuple[JacobianTask, ...] = ()


class BalancePolicy(Protocol):
    """Decides which points carry the body, and what the body should do to stay upright."""

    def touches(self, sample: int) -> BoolArray:
        """Return which of the plan's K support points should touch the ground."""
        ...

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Return the targets at a sample of the plan; called once for each control interval."""
        ...
