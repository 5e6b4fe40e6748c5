"""Balance gains along a plan: a time-varying LQR on the body's momentum, with footsteps as inputs.

The state is the error of the whole body: of its centre of mass and that one's velocity, of the trunk's
rotation, of the angular momentum, and of the position of each foot. Inputs are changes of the ground force,
of its centre of pressure and of its moment about the vertical, and at each planned touchdown a new foothold.
The gains are computed before the simulation; while it runs, balance is a handful of small matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.conventions import GRAVITY, BoolArray, FloatArray
from ...dynamics.kinematics import cross_matrix
from ...reference.contacts import REFERENCE_LEG_LENGTH
from ..tracking.plan import TrackingPlan

COM, VELOCITY, TURN, MOMENTUM = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
FEET = (slice(12, 14), slice(14, 16))
STATES, INPUTS = 16, 6
FORCE, PRESSURE, YAW = slice(0, 3), slice(3, 5), slice(5, 6)

LONG_SWING_S = 0.4
"""In a swing that is shorter, a step costs by its speed [s]: a boxer's foot is in the air for 0.1 s."""
LEAST_ROOM = 0.01
"""Range of the centre of pressure that is assumed even on an edge, for a leg of 0.86 m [m]."""


@dataclass(frozen=True)
class LqrScales:
    """Errors and inputs of equal cost, for a leg of 0.86 m and its weight.

    com_over_feet [m]: relative to the feet that carry the body
    com [m]: from the planned path, to which the body returns within a few steps; infinity lets it drift
    velocity [m/s]; turn [rad]; momentum: share of mass * leg * sqrt(g leg)
    pressure: share of the extent of the standing feet; force: share of weight
    yaw: share of weight * leg; step [m]: in a swing of LONG_SWING_S or more
    """

    com_over_feet: float = 0.1
    com: float = 0.1
    velocity: float = 0.4
    turn: float = 0.3
    momentum: float = 0.035
    pressure: float = 0.25
    force: float = 0.09
    yaw: float = 0.026
    step: float = 0.1


@dataclass(frozen=True, eq=False)
class CentroidalGains:
    """Gains at T samples.

    feedback (T, 6, 16): inputs = -feedback state
    foothold (T, 2, 2, 16): the shift of a foot's next foothold = foothold state
    share (T, 2): of the load that each foot carries; centre (T, 3): planned centre of pressure
    force (T, 3): planned ground force
    """

    feedback: FloatArray
    foothold: FloatArray
    share: FloatArray
    centre: FloatArray
    force: FloatArray


def compute_gains(plan: TrackingPlan, mass: float, leg_length: float, scales: LqrScales) -> CentroidalGains:
    """Return the gains of a plan by one Riccati recursion from its end to its start."""
    share, centre, force = _support(plan)
    weights = _Weights(scales, mass, leg_length)
    samples = len(plan)
    feedback = np.zeros((samples, INPUTS, STATES))
    foothold = np.zeros((samples, 2, 2, STATES))
    touchdowns = _touchdowns(plan)
    state_cost, effort = weights.states(share), weights.efforts(plan)
    by_state, by_input = _dynamics(plan, mass, share, centre, force)
    value: FloatArray = 10.0 * state_cost[-1]
    prediction: FloatArray = np.zeros((2, 2, STATES))
    for t in range(samples - 1, -1, -1):
        a, b = by_state[t], by_input[t]
        gain = np.linalg.solve(effort[t] + b.T @ value @ b, b.T @ value @ a)
        closed = a - b @ gain
        feedback[t], prediction = gain, prediction @ closed
        foothold[t] = prediction
        value = state_cost[t] + gain.T @ effort[t] @ gain + closed.T @ value @ closed
        for foot in (0, 1):
            if touchdowns[t, foot]:
                anchor = FEET[1 - foot] if plan.schedule.stands[t - 1, 1 - foot] else COM
                cost = weights.step_in(_swing_seconds(plan, t, foot))
                value, prediction = _step(value, prediction, foot, anchor, cost)
    return CentroidalGains(feedback, foothold, share[:, :2], centre, force)


def _support(plan: TrackingPlan) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return load shares of feet and other parts (T, 3), centre of pressure (T, 3), total force (T, 3)."""
    vertical = np.maximum(plan.support_force[..., 2], 0.0)
    total = vertical.sum(axis=1)
    loaded = total > 1e-3
    safe = np.where(loaded, total, 1.0)
    share = np.stack([vertical[:, plan.schedule.foot == f].sum(axis=1) / safe for f in (0, 1, -1)], axis=1)
    centre = np.einsum("tk,tki->ti", vertical, plan.support_points) / safe[:, None]
    centre = np.where(loaded[:, None], centre, plan.com * [1.0, 1.0, 0.0])
    return share, centre, plan.support_force.sum(axis=1)


def _supports(plan: TrackingPlan) -> BoolArray:
    """Return which points can carry load (T, K): those that touch, and all others of feet that stand."""
    schedule = plan.schedule
    standing = (schedule.stands[:, None, :] & (schedule.foot[:, None] == (0, 1))).any(axis=2)
    return np.asarray(schedule.touches | standing)


def _touchdowns(plan: TrackingPlan) -> np.ndarray:
    """Return whether each foot starts to stand at a sample (T, 2)."""
    stands = plan.schedule.stands
    return stands & ~np.vstack([stands[:1], stands[:-1]])


def _swing_seconds(plan: TrackingPlan, touchdown: int, foot: int) -> float:
    """Return the duration of the swing that ends at a sample [s]."""
    before = np.flatnonzero(plan.schedule.stands[:touchdown, foot])
    lifted = int(before[-1]) + 1 if len(before) else 0
    return float((touchdown - lifted) * plan.reference.dt)


class _Weights:
    """Quadratic costs at T samples."""

    def __init__(self, scales: LqrScales, mass: float, leg: float) -> None:
        weight, size = mass * GRAVITY, leg / REFERENCE_LEG_LENGTH
        self.over_feet = (scales.com_over_feet * size) ** -2
        self.com = (scales.com * size) ** -2
        self.velocity = (scales.velocity * np.sqrt(size)) ** -2
        self.turn = scales.turn**-2
        self.momentum = (scales.momentum * mass * leg * np.sqrt(GRAVITY * leg)) ** -2
        self.step = (scales.step * size) ** -2
        self.force = (scales.force * weight) ** -2
        self.yaw = (scales.yaw * weight * leg) ** -2
        self.pressure, self.least_room = scales.pressure, LEAST_ROOM * size

    def step_in(self, seconds: float) -> float:
        """Return the weight of a squared shift of a step, by the duration of its swing."""
        return float(self.step * max(LONG_SWING_S / seconds, 1.0) ** 2)

    def efforts(self, plan: TrackingPlan) -> FloatArray:
        """Return the costs of the inputs (T, 6, 6), by the extent of the points of support on the ground.

        A foot is narrow: gains that rely on more pressure at its sides than is possible step too short.
        """
        carries, points = _supports(plan)[..., None], plan.support_points[..., :2]
        count = np.maximum(carries.sum(axis=1), 1)
        away = carries * (points - ((carries * points).sum(axis=1) / count)[:, None])
        spread = away.swapaxes(1, 2) @ away / count[:, None]
        room = self.least_room**2 * np.eye(2) + self.pressure**2 * spread
        cost = np.zeros((len(plan), INPUTS, INPUTS))
        cost[:, FORCE, FORCE] = self.force * np.eye(3)
        cost[:, PRESSURE, PRESSURE] = np.linalg.inv(room)
        cost[:, YAW, YAW] = self.yaw
        return cost

    def states(self, share: FloatArray) -> FloatArray:
        """Return the costs of the state (T, 16, 16), by the load shares (T, 3)."""
        cost = np.zeros((len(share), STATES, STATES))
        for block, value in (
            (COM, self.com),
            (VELOCITY, self.velocity),
            (TURN, self.turn),
            (MOMENTUM, self.momentum),
        ):
            cost[:, block, block] = value * np.eye(3)
        over = np.zeros((len(share), 3, STATES))
        over[:, :, COM] = np.eye(3)
        for foot in (0, 1):
            over[:, :2, FEET[foot]] = -share[:, foot, None, None] * np.eye(2)
        weight = self.over_feet * _loaded(share)[:, None, None]
        return cost + weight * over.swapaxes(1, 2) @ over


def _loaded(share: FloatArray) -> BoolArray:
    """Return whether the ground carries the body at all (T), by the load shares (T, 3)."""
    return np.asarray(share.sum(axis=1) > 0.5)


def _dynamics(
    plan: TrackingPlan, mass: float, share: FloatArray, centre: FloatArray, force: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the discrete state matrices (T, 16, 16) and input matrices (T, 16, 6)."""
    samples, dt = len(plan), plan.reference.dt
    a, b = np.zeros((samples, STATES, STATES)), np.zeros((samples, STATES, INPUTS))
    a[:, COM, VELOCITY] = np.eye(3)
    a[:, TURN, MOMENTUM] = np.linalg.inv(plan.inertia)
    arm_by_force = -cross_matrix(force)  # d(arm x force)/d(arm)
    a[:, MOMENTUM, COM] = -arm_by_force
    for foot in (0, 1):
        a[:, MOMENTUM, FEET[foot]] = share[:, foot, None, None] * arm_by_force[..., :2]
    b[:, VELOCITY, FORCE] = np.eye(3) / mass
    b[:, MOMENTUM, FORCE] = cross_matrix(centre - plan.com)
    b[:, MOMENTUM, PRESSURE] = arm_by_force[..., :2]
    b[:, MOMENTUM, YAW] = np.array([[0.0], [0.0], [1.0]])
    b *= _loaded(share)[:, None, None]
    first = np.eye(STATES) + dt * a
    return first + 0.5 * dt**2 * a @ a, dt * b + 0.5 * dt**2 * a @ b


def _step(
    value: FloatArray, prediction: FloatArray, foot: int, anchor: slice, cost: float
) -> tuple[FloatArray, FloatArray]:
    """Return the value and the predicted footholds just before a touchdown of a foot.

    A step costs by its distance from the anchor, which moves with the body: the foot that stands, or after a
    flight the centre of mass. So the path may drift, but the legs keep together.
    """
    keep = np.eye(STATES)
    keep[FEET[foot], FEET[foot]] = 0.0
    put = np.zeros((STATES, 2))
    put[FEET[foot]] = np.eye(2)
    at_anchor = np.zeros((2, STATES))
    at_anchor[:, anchor.start : anchor.start + 2] = np.eye(2)
    hessian = cost * np.eye(2) + put.T @ value @ put
    choice = np.linalg.solve(hessian, cost * at_anchor - put.T @ value @ keep)
    closed = keep + put @ choice
    away = choice - at_anchor
    value = cost * away.T @ away + closed.T @ value @ closed
    prediction = prediction @ closed
    prediction[foot] = choice
    return value, prediction
