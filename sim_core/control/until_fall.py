"""Giving up: a body that has fallen stops tracking and comes to rest.

A tracker that goes on from the ground asks for ever larger torques. So once the character has
fallen, by the same measure as in the report, its joints only resist being moved.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..reference.reference import Reference
from ..result.metrics import FALL_HEIGHT_SHARE, FALL_SECONDS, FALL_TILT
from ..simulation.protocol import Command, Controller, State
from ..world.world import World

LOOSENESS = 0.05
"""Damping of a limp joint: this share of its torque limit at one radian a second."""


class UntilFall:
    """A controller as long as the character is up; limp joints for the rest."""

    def __init__(self, controller: Controller, world: World, reference: Reference, leg_length: float) -> None:
        self.controller, self.world, self.reference = controller, world, reference
        self.lowest = FALL_HEIGHT_SHARE * leg_length
        self.trunk, self.data = world.index.body[world.spec.trunk], mujoco.MjData(world.model)
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
        """Whether the pelvis is far from its planned height, or the trunk from its planned tilt."""
        wanted = self.reference.qpos[min(round(state.time / self.reference.dt), len(self.reference) - 1)]
        if abs(state.qpos[2] - wanted[2]) > self.lowest:
            return True
        return bool(self._up(state.qpos) @ self._up(wanted) < np.cos(FALL_TILT))

    def _up(self, qpos: FloatArray) -> FloatArray:
        """Where the trunk's own axis points in the world (3)."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.world.model, self.data)
        return np.array(self.data.xmat[self.trunk, 2::3])
