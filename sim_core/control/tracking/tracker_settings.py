"""Weights and gains of the tracking controller."""

from __future__ import annotations

from dataclasses import dataclass

from ...scenario.dials import USUAL_SPRINGS, USUAL_TRACKING_GAIN


@dataclass(frozen=True)
class TrackerSettings:
    """Weights of squared errors, and gains.

    stiffness: k_os of eq. 4 [1/s^2]; springs: k of table 1, share of the intrinsic stiffness
    joint, root_turn: of accelerations [rad/s^2]; com, swing, no_slip [m/s^2]; momentum [Nm]
    stance_knee: share of `joint` for the knee of a standing leg: a nearly straight knee that insists
    on its angle takes the leg's push away
    flight_swing, flight_root_turn: in place of `swing` and `root_turn` while nothing touches
    force: of departures from planned ground forces [N]; torque: of effort, as a share of the limit
    assist, assist_change: of the helping hand and of its change from one command to the next, as a
    share of its cap
    friction: that the plan counts on, on usual ground; reach: how near it a planned contact must be [m]
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
