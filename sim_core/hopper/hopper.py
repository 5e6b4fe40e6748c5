"""Raibert's hopper in a plane: a trunk on a springy leg without mass, controlled in three parts.

(Raibert 1986; dissertation, 6.3.) A hopper on a point cannot stop, or it tips over; to land, this one hops in
place for a while and then stands on a foot with a stiff ankle (`standing.py`).

1. Height: at the bottom of each contact the leg is lengthened or shortened by as much as the energy of the
   wanted apex asks for.
2. Speed: in the air the foot is put ahead by half the distance of the next contact, so that the mass spends
   equal times on either side of it, and by a share of the error of speed.
3. Attitude: while the foot stands, the hip turns the trunk upright.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import GRAVITY, BoolArray, FloatArray
from .pendulum import SpringLeg

STEP_S = 0.001
"""Time step [s]."""
SPEED_GAIN = 0.06
"""Distance of the foot for an error of speed [s]."""
UPRIGHT_FREQUENCY = 8.0
"""Frequency with which the trunk is turned upright, damped critically [rad/s]."""
STEEPEST = 0.5
"""Largest angle of the leg from the vertical [rad]."""
FRICTION = 0.6
"""Horizontal force of the foot over its vertical one, at most."""
LOSS = 0.03
"""Damping of the leg, as a share of the critical one: what control of height has to make up for."""
LEARNING = 0.2
"""Share of the error of a hop by which the next ones are asked for more."""
LONGER = 0.08
"""By how much the leg can be lengthened or shortened, as a share of its length."""
FASTER_S = 3.0
"""Time in which it comes to its speed [s]."""
SLOWER_S = 1.5
"""Time in which it hops in place before it lands at the end [s]."""
ANKLE = 2.0
"""Stiffness of the ankle on which it lands at the end, as a share of what holds it upright."""
HALF_FOOT = 0.12
"""From the middle to the end of the foot, as a share of the leg."""
THRUST_S = 0.06
"""Time over which the leg is lengthened [s]."""


@dataclass(frozen=True)
class Wish:
    """The dials: height of the hop from touchdown to apex [m], and forward speed [m/s]."""

    height: float
    speed: float


@dataclass(frozen=True, eq=False)
class Hops:
    """A hopper at T samples, STEP_S apart.

    hip (T, 2): forwards and up [m]; pitch (T): of the trunk, forwards [rad]; foot (T, 2) [m]; stands (T)
    fell: whether the trunk or the leg tipped over
    """

    hip: FloatArray
    pitch: FloatArray
    foot: FloatArray
    stands: BoolArray
    fell: bool

    @property
    def apexes(self) -> FloatArray:
        """Heights of the hip at the top of each flight [m]."""
        z, up = self.hip[:, 1], ~self.stands
        top = (z[1:-1] >= z[:-2]) & (z[1:-1] > z[2:]) & up[1:-1]
        return np.asarray(z[1:-1][top])


class Hopper:
    """A hopper that starts at rest on its leg and hops by its control.

    inertia: of the trunk about the hip [kg m^2]
    """

    def __init__(self, leg: SpringLeg, inertia: float) -> None:
        self.leg, self.inertia = leg, inertia
        sink = GRAVITY / leg.frequency**2  # the spring carries the weight
        self.hip, self.velocity = np.array([0.0, leg.length - sink]), np.zeros(2)
        self.pitch, self.turning, self.time = 0.0, 0.0, 0.0
        self.foot: FloatArray = np.zeros(2)
        self.stands, self.lengthened, self.thrust, self.thrust_at = True, 0.0, 0.0, -1.0
        self.contact_s = leg.contact_s(1.0)
        self._landed_at = 0.0
        self._lifted: tuple[FloatArray, float, float] = (np.zeros(2), 0.0, 0.0)
        self._rate = -1.0  # of the leg's length, so that the first thrust comes at once
        self._more_height, self._more_speed = 0.0, 0.0

    def run(self, wish: Wish, seconds: float, settle_s: float = 0.0) -> Hops:
        """Hop for some time; then land and stand still for the last `settle_s`."""
        count, rows = round(seconds / STEP_S) + 1, list[tuple[float, ...]]()
        fell = False
        for n in range(count):
            rows.append((*self.hip, self.pitch, *self.foot, float(self.stands)))
            left = seconds - n * STEP_S
            slow = settle_s > 0.0 and left < settle_s + SLOWER_S
            speed = 0.0 if slow else wish.speed * min(n * STEP_S / FASTER_S, 1.0)
            self._step(replace(wish, speed=speed), left < settle_s)
            fell = fell or self.hip[1] < 0.4 * self.leg.length or abs(self.pitch) > 1.0
        values = np.array(rows)
        return Hops(values[:, :2], values[:, 2], values[:, 3:5], values[:, 5] > 0.5, fell)

    def _step(self, wish: Wish, stopping: bool) -> None:
        if self.stands:
            self._stand(wish, stopping)
        else:
            self._fly(wish)
        self.hip = self.hip + STEP_S * self.velocity
        self.pitch += STEP_S * self.turning
        self.time += STEP_S

    def _stand(self, wish: Wish, stopping: bool) -> None:
        leg, along = self.leg, self.hip - self.foot
        length = float(np.linalg.norm(along))
        direction = along / length
        rate = float(direction @ self.velocity)
        if stopping:
            self.thrust = 0.0
        elif rate >= 0.0 > self._rate:
            self.thrust, self.thrust_at = self._thrust(wish, leg.length - length), self.time
        elif rate < 0.0 <= self._rate and self.time > self.thrust_at + THRUST_S:  # it stays on the ground
            self.thrust = 0.0
        self._rate = rate
        share = min(max((self.time - self.thrust_at) / THRUST_S, 0.0), 1.0) if self.thrust else 0.0
        self.lengthened = self.thrust * share
        damping = 2.0 * leg.frequency * (1.0 if stopping else LOSS)
        push = leg.frequency**2 * (leg.length + self.lengthened - length) - damping * rate
        across = self._hip_turn() * self.inertia / (leg.mass * length)
        # The hip's moment on the trunk is carried by a force across the leg.
        force = max(push, 0.0) * direction + across * np.array([-direction[1], direction[0]])
        if stopping:
            force[0] -= self._ankle(along)
        limit = FRICTION * max(float(force[1]), 0.0)
        force[0] = np.clip(force[0], -limit, limit)
        self.velocity = self.velocity + STEP_S * (force - [0.0, GRAVITY])
        self.turning += STEP_S * self._hip_turn()
        if not stopping and rate > 0.0 and length >= leg.length + self.lengthened:
            self._lift(wish)

    def _ankle(self, along: FloatArray) -> float:
        """Return the push back over the foot [m/s^2], as far as pressure under the foot can reach."""
        tipping = GRAVITY / self.leg.length
        wanted = ANKLE * tipping * along[0] + 2.0 * np.sqrt(ANKLE * tipping) * self.velocity[0]
        most = tipping * HALF_FOOT * self.leg.length
        return float(np.clip(wanted, -most, most))

    def _hip_turn(self) -> float:
        """Return the wanted angular acceleration of the trunk [rad/s^2]."""
        return -(UPRIGHT_FREQUENCY**2) * self.pitch - 2.0 * UPRIGHT_FREQUENCY * self.turning

    def _thrust(self, wish: Wish, short: float) -> float:
        """Return by how much the leg is lengthened at its bottom so that its energy leads to the apex [m]."""
        leg = self.leg
        rise = leg.length + wish.height + self._more_height - float(self.hip[1])
        wanted = GRAVITY * rise + 0.5 * (wish.speed**2 - float(self.velocity @ self.velocity))
        missing = wanted - 0.5 * leg.frequency**2 * short**2
        square = short**2 + 2.0 * missing / leg.frequency**2
        return float(np.clip(np.sqrt(max(square, 0.0)) - short, -LONGER * leg.length, LONGER * leg.length))

    def _lift(self, wish: Wish) -> None:
        """Leave the ground, and learn from how high and how fast this hop will be."""
        apex = float(self.hip[1] + 0.5 * self.velocity[1] ** 2 / GRAVITY) - self.leg.length
        most = 0.5 * wish.height
        self._more_height = float(np.clip(self._more_height + LEARNING * (wish.height - apex), -most, most))
        slow = wish.speed - float(self.velocity[0])
        self._more_speed = float(np.clip(self._more_speed + LEARNING * slow, -1.0, 1.0))
        self.contact_s = 0.5 * (self.contact_s + min(self.time - self._landed_at, 2.0 * self.contact_s))
        self.stands = False
        self._lifted = (self.foot.copy(), self.time, float(self.hip[1]))

    def _fly(self, wish: Wish) -> None:
        self.velocity = self.velocity - STEP_S * np.array([0.0, GRAVITY])
        ahead = self._foothold(wish)
        reach = np.sqrt(self.leg.length**2 - ahead**2)
        start, lifted_at, from_height = self._lifted
        rise = float(self.hip[1])
        # The foot swings evenly until the touchdown that free fall foresees.
        climb = float(self.velocity[1])
        left = (climb + np.sqrt(max(climb**2 + 2.0 * GRAVITY * (rise - reach), 0.0))) / GRAVITY
        share = (self.time - lifted_at) / max(self.time - lifted_at + left, STEP_S)
        landing = self.hip[0] + self.velocity[0] * left + ahead
        smooth = share * share * (3.0 - 2.0 * share)
        hanging = rise - (1.0 - share) * from_height - share * reach
        self.foot = np.array([start[0] + smooth * (landing - start[0]), max(hanging, 0.0)])
        if self.velocity[1] < 0.0 and rise <= reach:
            self.foot = np.array([self.hip[0] + ahead, 0.0])
            self.stands, self._landed_at, self.lengthened, self.thrust = True, self.time, 0.0, 0.0

    def _foothold(self, wish: Wish) -> float:
        """Return how far ahead of the hip the foot is put [m] (Raibert 1986)."""
        forward, wanted = float(self.velocity[0]), wish.speed
        learnt = self._more_speed if wanted else 0.0
        ahead = 0.5 * forward * self.contact_s + SPEED_GAIN * (forward - wanted - learnt)
        longest = self.leg.length * np.sin(STEEPEST)
        return float(np.clip(ahead, -longest, longest))
