"""The spring-loaded inverted pendulum: a point mass on a massless spring (dissertation, 6.3).

It has known answers: no energy is lost, a vertical hop comes back to its apex, and its period follows from
free fall and from half an oscillation of the spring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import GRAVITY, BoolArray, FloatArray

STEP_S = 0.0005
"""Time step [s]."""


@dataclass(frozen=True)
class SpringLeg:
    """A mass [kg] on a leg of some length at rest [m], with the frequency of its spring [rad/s]."""

    mass: float
    length: float
    frequency: float

    @property
    def stiffness(self) -> float:
        """Stiffness of the leg [N/m]."""
        return self.mass * self.frequency**2

    def contact_s(self, speed: float) -> float:
        """Return how long the leg touches the ground after landing vertically at a speed [m/s]."""
        return float((np.pi + 2.0 * np.arctan(GRAVITY / (self.frequency * speed))) / self.frequency)

    def period_s(self, height: float) -> float:
        """Return the time of one hop in place whose apex is a height above touchdown [m]."""
        speed = np.sqrt(2.0 * GRAVITY * height)
        return float(2.0 * speed / GRAVITY) + self.contact_s(float(speed))


@dataclass(frozen=True, eq=False)
class PendulumMotion:
    """A pendulum at T samples, STEP_S apart.

    states (T, 4): x and z [m], and their velocities [m/s]; touches (T): whether the leg is on the ground
    foot (T): position of the foot, where it touches [m]
    """

    leg: SpringLeg
    states: FloatArray
    touches: BoolArray
    foot: FloatArray

    @property
    def landings_s(self) -> FloatArray:
        """Times at which the foot comes down [s]."""
        return np.asarray(np.flatnonzero(self.touches[1:] & ~self.touches[:-1]) * STEP_S)

    @property
    def energy(self) -> FloatArray:
        """Energy of the mass and of the spring (T) [J]."""
        leg, states = self.leg, self.states
        moving = 0.5 * (states[:, 2] ** 2 + states[:, 3] ** 2) + GRAVITY * states[:, 1]
        short = leg.length - np.hypot(states[:, 0] - self.foot, states[:, 1])
        return np.asarray(leg.mass * moving + np.where(self.touches, 0.5 * leg.stiffness * short**2, 0.0))


def pendulum_motion(
    leg: SpringLeg, height: float, speed: float, angle: float, seconds: float
) -> PendulumMotion:
    """Simulate a pendulum from an apex.

    height: of the apex over the touchdown of an upright leg [m]; speed: forward [m/s]
    angle: of the leg from the vertical at each touchdown, forward [rad]
    """
    count = round(seconds / STEP_S) + 1
    states, touches, feet = np.zeros((count, 4)), np.zeros(count, dtype=bool), np.zeros(count)
    states[0] = [0.0, leg.length + height, speed, 0.0]
    foot: float | None = None
    for n in range(1, count):
        x, z, _, rise = states[n - 1]
        if foot is None and rise < 0.0 and z <= leg.length * np.cos(angle):
            foot = float(x + leg.length * np.sin(angle))
        elif foot is not None and np.hypot(x - foot, z) >= leg.length:
            foot = None
        states[n] = _advanced(leg, states[n - 1], foot)
        touches[n], feet[n] = foot is not None, foot or 0.0
    return PendulumMotion(leg, states, touches, feet)


def _advanced(leg: SpringLeg, state: FloatArray, foot: float | None) -> FloatArray:
    """Return the state one step later (Runge-Kutta of fourth order)."""

    def rate(own: FloatArray) -> FloatArray:
        force = np.zeros(2)
        if foot is not None:
            along = own[:2] - [foot, 0.0]
            length = float(np.linalg.norm(along))
            force = leg.frequency**2 * (leg.length - length) / length * along
        return np.array([own[2], own[3], force[0], force[1] - GRAVITY])

    a = rate(state)
    b = rate(state + 0.5 * STEP_S * a)
    c = rate(state + 0.5 * STEP_S * b)
    d = rate(state + STEP_S * c)
    return np.asarray(state + STEP_S / 6.0 * (a + 2.0 * b + 2.0 * c + d))
