"""Giving up: a body that has fallen stops tracking and comes to rest.

A tracker that goes on from the ground asks for ever larger torques. So once the character has
fallen, by the same measure as in the report, its joints only resist being moved.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import Z_UP
from ..metrics import FALL_HEIGHT_SHARE, FALL_SECONDS, FALL_TILT
from ..reference.reference import Reference
from ..simulation.world import World
from .protocol import Command, Controller, State

LOOSENESS = 0.05
"""Damping of a limp joint: this share of its torque limit at one radian a second."""


class UntilFall:
    """A controller as long as the character is up; limp joints for the rest."""

    def __init__(self, controller: Controller, world: World, reference: Reference, leg_length: float) -> None:
        self.controller, self.world, self.reference = controller, world, reference
        self.lowest = FALL_HEIGHT_SHARE * leg_length
        self.up_at = 0.0  # when it was last seen up [s]
        self.fallen = False
        limits = world.index.torque_limit
        zero = np.zeros(len(limits))
        self.limp = Command(zero, zero, zero, zero, zero, LOOSENESS * limits, np.zeros(6))

    def command(self, state: State) -> Command:
        if not self._down(state):
            self.up_at = state.time
        # A state at the limit counts, although time is not exact.
        self.fallen = self.fallen or state.time - self.up_at > FALL_SECONDS - 1e-6
        return self.limp if self.fallen else self.controller.command(state)

    def _down(self, state: State) -> bool:
        """Whether the pelvis is far from its planned height, or turned over."""
        wanted = self.reference.qpos[min(round(state.time / self.reference.dt), len(self.reference) - 1)]
        if abs(state.qpos[2] - wanted[2]) > self.lowest:
            return True
        up, wanted_up = np.zeros(3), np.zeros(3)
        mujoco.mju_rotVecQuat(up, Z_UP, state.qpos[3:7])
        mujoco.mju_rotVecQuat(wanted_up, Z_UP, wanted[3:7])
        return bool(up @ wanted_up < np.cos(FALL_TILT))
