"""Feedback for the small body: along a motion, and about a pose.

da Silva, Abe, Popovic 2008 (stylized locomotion), section 3.2: controls that fit the motion by
iterative optimisation, linear systems along it (eq. 3), and gains by the Riccati equation (eq. 4-5);
about a pose that is held, the same over an infinite time (eq. 6-7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_discrete_are

from ...conventions import GRAVITY, FloatArray
from .model import DOFS, INPUTS, STATES, LinkState, ThreeLinkModel

ITERATIONS = 5
"""The paper's optimisation 'usually converges in less than five'."""
CONVERGED = 1e-3
"""Relative gain of an iteration below which the optimisation ends."""


@dataclass(frozen=True)
class LinkScales:
    """Errors that cost as much as each other.

    angle [rad]; rate [rad/s]; torque: share of weight times leg length
    """

    angle: float = 0.1
    rate: float = 0.5
    torque: float = 0.1


@dataclass(frozen=True, eq=False)
class Cost:
    """state (16, 16) and input (6, 6): quadratic costs of one sample."""

    state: FloatArray
    input: FloatArray


def cost_of(scales: LinkScales, mass: float, leg_length: float) -> Cost:
    state = np.repeat([scales.angle**-2, scales.rate**-2], DOFS)
    torque = scales.torque * mass * GRAVITY * leg_length
    return Cost(np.diag(state), np.eye(INPUTS) / torque**2)


def standing_value(a: FloatArray, b: FloatArray, cost: Cost) -> FloatArray:
    """The cost still to come of an error (16, 16), if it is fed back for ever (eq. 6)."""
    return np.asarray(solve_discrete_are(a, b, cost.state, cost.input))


def gain_of(a: FloatArray, b: FloatArray, value: FloatArray, cost: Cost) -> FloatArray:
    """inputs = -gain error (6, 16) is best when `value` comes after it."""
    return np.linalg.solve(cost.input + b.T @ value @ b, b.T @ value @ a)


def riccati(
    systems: Sequence[tuple[FloatArray, FloatArray]], cost: Cost, last: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gains (T, 6, 16) and values (T + 1, 16, 16) of T intervals, from the value after the last one."""
    gains = np.zeros((len(systems), INPUTS, STATES))
    values = np.zeros((len(systems) + 1, STATES, STATES))
    values[-1] = last
    for t in range(len(systems) - 1, -1, -1):
        a, b = systems[t]
        gains[t] = gain_of(a, b, values[t + 1], cost)
        closed = a - b @ gains[t]
        value = cost.state + gains[t].T @ cost.input @ gains[t] + closed.T @ values[t + 1] @ closed
        values[t] = 0.5 * (value + value.T)
    return gains, values


@dataclass(frozen=True, eq=False)
class FittedMotion:
    """A motion that the small body can carry out: T + 1 states, torques (T, 6)."""

    states: tuple[LinkState, ...]
    torque: FloatArray


def fit_controls(model: ThreeLinkModel, wanted: Sequence[LinkState], cost: Cost) -> FittedMotion:
    """The motion nearest to what is wanted, and its torques, by iterated LQR (Li and Todorov 2004)."""
    best = _roll_out(model, wanted, wanted[0], _inverse_torques(model, wanted), None, None)
    price = _price(model, wanted, best, cost)
    for _ in range(ITERATIONS):
        change, gains = _improvement(model, wanted, best, cost)
        for share in (1.0, 0.5, 0.25, 0.1):
            tried = _roll_out(model, best.states, wanted[0], best.torque, share * change, gains)
            new_price = _price(model, wanted, tried, cost)
            if new_price < price:
                break
        else:
            return best
        done = price - new_price < CONVERGED * price
        best, price = tried, new_price
        if done:
            break
    return best


def linearise_along(model: ThreeLinkModel, motion: FittedMotion) -> list[tuple[FloatArray, FloatArray]]:
    """A, B of each interval (eq. 3)."""
    pairs = zip(motion.states[:-1], motion.torque, strict=True)
    return [model.linearise(state, torque) for state, torque in pairs]


def _inverse_torques(model: ThreeLinkModel, wanted: Sequence[LinkState]) -> FloatArray:
    pairs = zip(wanted[:-1], wanted[1:], strict=True)
    return np.stack([model.torque_of(a, (b.qvel - a.qvel) / model.dt) for a, b in pairs])


def _roll_out(
    model: ThreeLinkModel,
    nominal: Sequence[LinkState],
    start: LinkState,
    torque: FloatArray,
    change: FloatArray | None,
    gains: FloatArray | None,
) -> FittedMotion:
    """What the small body does under given torques, with feedback about a nominal motion if it has gains."""
    states, used = [start], np.array(torque)
    for t in range(len(torque)):
        if change is not None and gains is not None:
            used[t] += change[t] - gains[t] @ model.difference(states[t], nominal[t])
        states.append(model.step(states[t], used[t]))
    return FittedMotion(tuple(states), used)


def _price(model: ThreeLinkModel, wanted: Sequence[LinkState], motion: FittedMotion, cost: Cost) -> float:
    errors = np.stack([model.difference(s, w) for s, w in zip(motion.states, wanted, strict=True)])
    tracking = np.einsum("ti,ij,tj->", errors, cost.state, errors)
    price = tracking + np.einsum("ti,ij,tj->", motion.torque, cost.input, motion.torque)
    return float(price) if np.isfinite(price) else np.inf


def _improvement(
    model: ThreeLinkModel, wanted: Sequence[LinkState], motion: FittedMotion, cost: Cost
) -> tuple[FloatArray, FloatArray]:
    """Changes of the torques (T, 6) and gains about the motion (T, 6, 16), by one backward pass."""
    systems = linearise_along(model, motion)
    gains, values = riccati(systems, cost, cost.state)
    errors = [model.difference(s, w) for s, w in zip(motion.states, wanted, strict=True)]
    slope = cost.state @ errors[-1]
    change = np.zeros_like(motion.torque)
    for t in range(len(systems) - 1, -1, -1):
        a, b = systems[t]
        torque_slope = cost.input @ motion.torque[t] + b.T @ slope
        change[t] = -np.linalg.solve(cost.input + b.T @ values[t + 1] @ b, torque_slope)
        slope = cost.state @ errors[t] + a.T @ slope - gains[t].T @ torque_slope
    return change, gains
