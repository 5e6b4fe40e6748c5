"""Balance by offsets of hips and ankles while both feet stand (Zordan, Hodgins 2002, section 6).

    lambda = k (x_d - x) - b v                                                                 (eq. 5)

lambda is added to the angles that the joints are asked for, as in Wooten, Hodgins 2000. Offsets of the ankles
lean the whole body back over its feet; those of the hips act where the soles are not enough (two_feet.py).

The tracker holds the orientation of the pelvis and the centre of mass beside the joints, and would resist a
lean that only the ankles know of. So an offset enters as the acceleration of the whole leaning body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.conventions import Z_UP, FloatArray
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalancePolicy
from ..tracking.prediction import Prediction
from .two_feet import HipGains, StanceError, TwoFeetBalance


@dataclass(frozen=True)
class JointOffsetGains:
    """Gains of the ankles for a leg of 0.86 m.

    ankle: k_a [rad/m]; ankle_damping: b_a [rad s/m]; largest: bound of the lean [rad]
    """

    ankle: float = 0.02
    ankle_damping: float = 0.02
    largest: float = 0.05


class JointOffsetBalance(TwoFeetBalance):
    """Leans the whole body about its ankles; stiffness: of the tracker's joints, k_os [1/s^2]."""

    def __init__(
        self,
        world: World,
        plan: TrackingPlan,
        leg_length: float,
        other: BalancePolicy,
        gains: JointOffsetGains,
        hip_gains: HipGains,
        stiffness: float,
    ) -> None:
        super().__init__(world, plan, leg_length, other, hip_gains)
        self.gains, self.stiffness = gains, stiffness

    def added_acceleration(self, error: StanceError, prediction: Prediction) -> FloatArray:
        """Return the accelerations (nv) with which the tracker follows the offsets of the ankles."""
        return self.stiffness * self.tilt(np.cross(Z_UP, self.offset(error)), self.ankles)

    def offset(self, error: StanceError) -> FloatArray:
        """Return the lean of the body about its ankles along world X, Y and Z [rad]."""
        gains, size = self.gains, self.size
        lean = -gains.ankle / size * error.offset - gains.ankle_damping / np.sqrt(size) * error.velocity
        lean *= min(1.0, gains.largest / max(float(np.linalg.norm(lean)), 1e-9))
        return np.array([*lean, 0.0])
