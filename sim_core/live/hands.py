"""The user's hands in a live run: pushes of a given force, and a spring that pulls a part of the body.

Everything that they do is an outside force. It is recorded as a push, shown in newtons, and stands in the
report like any other push.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import CONTROL_DT
from ..simulation.simulated_character import OutsideForce
from ..world.world import World

DAMPING_RATIO = 0.7
"""Damping of the spring relative to a critical one, with the mass of the whole limb that hangs on it..."""
PULLED_KG = 4.0
"""...for which this is taken [kg]: of a hand with its arm."""


@dataclass(frozen=True, eq=False)
class HeldPush:
    """A force (3) [N] at the centre of a body of the engine, until the start of a control interval."""

    body: int
    force: FloatArray
    until: int


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring from a point (3) of a body, in its own frame [m], to a target (3) in the world [m]."""

    body: int
    point: FloatArray
    target: FloatArray
    stiffness: float
    most: float


class Hands:
    """What pushes and pulls the character at present."""

    def __init__(self, world: World, data: mujoco.MjData) -> None:
        self.world, self.data = world, data
        self.pushes: list[HeldPush] = []
        self.spring: Spring | None = None
        self.pull: FloatArray = np.zeros(3)  # the spring's last force [N]

    def push(self, segment: str, force: FloatArray, seconds: float, tick: int) -> None:
        """Push a segment from a control interval on, for at least one."""
        until = tick + max(1, round(seconds / CONTROL_DT))
        self.pushes.append(HeldPush(self.world.body_of(segment), force, until))

    def forces(self, tick: int) -> list[OutsideForce]:
        """Return the forces of a control interval; the engine's body positions must be up to date."""
        self.pushes = [own for own in self.pushes if own.until > tick]
        acting = [OutsideForce(own.body, own.force, np.zeros(3)) for own in self.pushes]
        self.pull = np.zeros(3)
        if self.spring is not None:
            acting.append(self._pulled(self.spring))
        return acting

    def _pulled(self, spring: Spring) -> OutsideForce:
        data, body = self.data, spring.body
        point = data.xpos[body] + rotations.rotate(data.xquat[body], spring.point)
        rate = np.zeros(6)
        mujoco.mj_objectVelocity(
            self.world.engine.model, data, mujoco.mjtObj.mjOBJ_BODY, body, rate, 0
        )  # angular, then linear, at the body's origin
        velocity = rate[3:] + np.cross(rate[:3], point - data.xpos[body])
        damping = 2.0 * DAMPING_RATIO * np.sqrt(spring.stiffness * PULLED_KG)
        force = spring.stiffness * (spring.target - point) - damping * velocity
        length = float(np.linalg.norm(force))
        self.pull = force * min(1.0, spring.most / max(length, 1e-9))
        return OutsideForce(body, self.pull, np.cross(point - data.xipos[body], self.pull))
