"""Feedback for the three-link model along a motion, and about a pose.

da Silva, Abe, Popovic 2008 (stylized locomotion), section 3.2: controls that fit the motion by iterative
optimisation, linear systems along it (eq. 3), and gains by the Riccati equation (eq. 4-5); about a pose that
is held, the same over an infinite horizon (eq. 6-7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_discrete_are

from ...base.conventions import GRAVITY, FloatArray
from .model import BASE, DOFS, INPUTS, STATES, LinkState, ThreeLinkModel

ITERATIONS = 5
"""The paper's optimisation 'usually converges in less than five'."""
CONVERGED = 1e-3
"""The optimisation ends when no state changes by more than this [rad, rad/s]."""


@dataclass(frozen=True)
class LinkScales:
    """Errors and inputs of equal cost.

    angle [rad]; rate [rad/s]; torque: at the hips, ankle: under the leg, shares of weight times leg length
    """

    angle: float = 0.1
    rate: float = 0.5
    torque: float = 0.1
    ankle: float = 0.05


@dataclass(frozen=True, eq=False)
class Cost:
    """Quadratic costs of one sample: state (16, 16) and input (8, 8)."""

    state: FloatArray
    input: FloatArray


def cost_of(scales: LinkScales, mass: float, leg_length: float) -> Cost:
    """Return the costs for a body of a mass [kg] and a leg length [m]."""
    state = np.repeat([scales.angle**-2, scales.rate**-2], DOFS)
    torque = np.repeat([scales.ankle, scales.torque], [BASE, INPUTS - BASE]) * mass * GRAVITY * leg_length
    return Cost(np.diag(state), np.diag(torque**-2))


def standing_value(a: FloatArray, b: FloatArray, cost: Cost) -> FloatArray:
    """Return the value matrix (16, 16) of an infinite horizon (eq. 6)."""
    return np.asarray(solve_discrete_are(a, b, cost.state, cost.input))


def gain_of(a: FloatArray, b: FloatArray, value: FloatArray, cost: Cost) -> FloatArray:
    """Return the gain (8, 16), inputs = -gain error, that is optimal before a value matrix."""
    return np.linalg.solve(cost.input + b.T @ value @ b, b.T @ value @ a)


def riccati(
    systems: Sequence[tuple[FloatArray, FloatArray]], cost: Cost, last: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return gains (T, 8, 16) and values (T + 1, 16, 16) of T intervals; last: the value after them."""
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
    """A motion that the three-link model can follow: T + 1 states, torques (T, 8)."""

    states: tuple[LinkState, ...]
    torque: FloatArray


def fit_controls(model: ThreeLinkModel, wanted: Sequence[LinkState], cost: Cost) -> FittedMotion:
    """Return the motion nearest to the wanted one, and its torques, by iterated LQR (Li, Todorov 2004).

    States and torques change together (multiple shooting), because a roll-out of the unstable model falls.
    """
    motion = FittedMotion(tuple(wanted), _inverse_torques(model, wanted))
    for _ in range(ITERATIONS):
        change, torque = _improvement(model, wanted, motion, cost)
        states = (model.moved(s, c) for s, c in zip(motion.states, change, strict=True))
        motion = FittedMotion(tuple(states), motion.torque + torque)
        if np.abs(change).max() < CONVERGED:
            break
    return motion


def linearise_along(model: ThreeLinkModel, motion: FittedMotion) -> list[tuple[FloatArray, FloatArray]]:
    """Return A, B of each interval (eq. 3)."""
    pairs = zip(motion.states[:-1], motion.torque, strict=True)
    return [model.linearise(state, torque) for state, torque in pairs]


def _inverse_torques(model: ThreeLinkModel, wanted: Sequence[LinkState]) -> FloatArray:
    pairs = zip(wanted[:-1], wanted[1:], strict=True)
    return np.stack([model.torque_of(a, (b.qvel - a.qvel) / model.dt) for a, b in pairs])


def _improvement(
    model: ThreeLinkModel, wanted: Sequence[LinkState], motion: FittedMotion, cost: Cost
) -> tuple[FloatArray, FloatArray]:
    """Return changes of states (T + 1, 16) and torques (T, 8) that are optimal for the linearised model."""
    systems = linearise_along(model, motion)
    gains, values = riccati(systems, cost, cost.state)
    errors = [model.difference(s, w) for s, w in zip(motion.states, wanted, strict=True)]
    moves = zip(motion.states[:-1], motion.torque, motion.states[1:], strict=True)
    gaps = [model.difference(model.step(now, torque), then) for now, torque, then in moves]
    slope, push = cost.state @ errors[-1], np.zeros_like(motion.torque)
    for t in range(len(systems) - 1, -1, -1):
        a, b = systems[t]
        slope = slope + values[t + 1] @ gaps[t]
        torque_slope = cost.input @ motion.torque[t] + b.T @ slope
        push[t] = -np.linalg.solve(cost.input + b.T @ values[t + 1] @ b, torque_slope)
        slope = cost.state @ errors[t] + a.T @ slope - gains[t].T @ torque_slope
    change = np.zeros((len(errors), STATES))
    for t, (a, b) in enumerate(systems):
        push[t] -= gains[t] @ change[t]
        change[t + 1] = a @ change[t] + b @ push[t] + gaps[t]
    return change, push
