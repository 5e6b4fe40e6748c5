"""How far simulated states are from the reference: scaled residuals whose squares add up to the cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..character.spec import CharacterSpec
from .features import BodyFeatures

FALL_TIME_S = 0.32
"""sqrt(height / g) of a standing adult's centre of mass, with which velocities count in the capture point."""
JOINT_SHARE = {"hand": 0.3, "head": 0.5, "forearm": 0.7, "foot": 0.7}
"""Weight of joint errors by segment; 1 for all others."""
WORST = 50.0
"""Bound of a residual, so that a diverged sample does not hide the others."""


@dataclass(frozen=True)
class ResidualScales:
    """Errors that count as one.

    joint, root [rad]; com: horizontal and vertical [m]; com_velocity [m/s]
    momentum: as a share of mass times leg length [1/s]; end: of hands, feet and head [m]
    joint_velocity [rad/s]; capture_point [m]
    velocity_weight: weight of joint velocities beside all else
    """

    joint: float = 0.2
    root: float = 0.15
    com: tuple[float, float, float] = (0.10, 0.10, 0.05)
    com_velocity: float = 0.25
    momentum: float = 0.05
    end: float = 0.10
    joint_velocity: float = 3.0
    capture_point: float = 0.04
    velocity_weight: float = 0.3


class Residuals:
    """Residuals of one body against a reference."""

    def __init__(self, spec: CharacterSpec, leg_length: float, scales: ResidualScales) -> None:
        self.scales = scales
        self.momentum = scales.momentum * spec.mass * leg_length
        names = [segment.name.partition(".")[0] for segment in spec.segments[1:]]
        self.joint_share = np.array([JOINT_SHARE.get(name, 1.0) for name in names])

    def __call__(self, actual: BodyFeatures, wanted: BodyFeatures) -> FloatArray:
        """Return the residuals (B, M) of states against others of the same number."""
        scales, groups = self.scales, list[FloatArray]()

        def add(error: FloatArray, count: float = 1.0, weight: float = 1.0) -> None:
            groups.append(np.sqrt(weight / count) * error.reshape(len(error), -1))

        joints = rotations.to_vector(rotations.relative(wanted.local, actual.local))
        dofs = actual.joint_velocity.shape[1]
        add(self.joint_share[:, None] * joints / scales.joint, dofs / 6.0)
        add(rotations.to_vector(rotations.relative(wanted.root, actual.root)) / scales.root)
        com, velocity = actual.com - wanted.com, actual.com_velocity - wanted.com_velocity
        add(com / np.array(scales.com))
        add(velocity / scales.com_velocity)
        add((actual.angular_momentum - wanted.angular_momentum) / self.momentum)
        add((actual.ends - wanted.ends) / scales.end, actual.ends.shape[1] / 2.0)
        add(
            (actual.joint_velocity - wanted.joint_velocity) / scales.joint_velocity,
            dofs / 6.0,
            scales.velocity_weight,
        )
        add((com + FALL_TIME_S * velocity)[:, :2] / scales.capture_point)
        return np.nan_to_num(np.clip(np.concatenate(groups, axis=1), -WORST, WORST), nan=WORST)
