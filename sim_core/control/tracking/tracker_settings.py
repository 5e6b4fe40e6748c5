"""Weights and gains of the tracking controller."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from ...scenario.dials import USUAL_SPRINGS, USUAL_TRACKING_GAIN


@dataclass(frozen=True)
class TrackerSettings:
    """Weights of the squared errors of tasks and inputs, and gains of the feedback.

    stiffness: k_os of McSim eq. 4 [1/s^2]; springs: k of table 1, share of the joints' intrinsic stiffness
    joint, root_turn: weights of the posture and of the root's rotation, for errors in [rad/s^2]
    com, swing, no_slip: for errors in [m/s^2]; momentum: for errors in [Nm]
    stance_knee: factor of `joint` for the knee of a standing leg; a nearly straight knee that is held at its
    angle cannot extend the leg
    flight_swing, flight_root_turn: used for `swing` and `root_turn` while nothing touches the ground
    force: for departures from planned ground forces [N]; torque: for torques as shares of their limits
    assist, assist_change: for the assist and its change between two control intervals, as shares of its cap
    friction: coefficient that contact forces are planned with on ordinary ground
    reach: largest height above the ground at which a planned contact can carry load [m]
    """

    stiffness: float = USUAL_TRACKING_GAIN
    springs: float = USUAL_SPRINGS
    joint: float = 1.0
    root_turn: float = 12.0
    com: float = 300.0
    swing: float = 10.0
    stance_knee: float = 1.0
    flight_swing: float = 10.0
    flight_root_turn: float = 12.0
    no_slip: float = 300.0
    momentum: float = 0.03
    force: float = 1e-4
    torque: float = 1.0
    assist: float = 100.0
    assist_change: float = 400.0
    friction: float = 0.7
    reach: float = 0.02

    @property
    def damping(self) -> float:
        """k_od of McSim eq. 4 [1/s]: critical damping."""
        return 2.0 * sqrt(self.stiffness)
