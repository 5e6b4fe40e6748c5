"""Ends tracking after a fall, so that the body comes to rest.

A tracker of a body that lies on the ground asks for ever larger torques. So once the character has fallen, by
the same measure as in the report, its joints are only damped.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..reference.reference import Reference
from ..result.metrics import FALL_HEIGHT_SHARE, FALL_SECONDS, FALL_TILT, lies
from ..simulation.protocol import Command, Controller, State, idle_command
from ..world.world import World

LIMP_DAMPING = 0.05
"""Damping of a limp joint as a share of its torque limit [s/rad]."""
NOWHERE: BoolArray = np.zeros(0, dtype=bool)


class UntilFall:
    """Another controller while the character is upright; limp joints after it has fallen.

    should_lie (T): where the source lies, so that a body on the floor has not fallen; empty is nowhere
    ground_height: of the floor [m]
    """

    def __init__(
        self,
        controller: Controller,
        world: World,
        reference: Reference,
        leg_length: float,
        should_lie: BoolArray = NOWHERE,
        ground_height: float = 0.0,
    ) -> None:
        self.controller, self.world, self.reference = controller, world, reference
        self.should_lie, self.ground_height = should_lie, ground_height
        self.largest_drop = FALL_HEIGHT_SHARE * leg_length
        self.trunk, self.data = world.index.body[world.spec.trunk], mujoco.MjData(world.model)
        self.upright_at = 0.0  # when it was last upright [s]
        self.fallen = False
        limits = world.index.torque_limit
        self.limp_command = replace(idle_command(len(limits)), kd=LIMP_DAMPING * limits)

    def continue_from(self, earlier: UntilFall, moved_s: float) -> None:
        """Go on with what another one has seen; moved_s: by how much this one's time starts later [s]."""
        self.upright_at, self.fallen = earlier.upright_at - moved_s, earlier.fallen

    def command(self, state: State) -> Command:
        """Return the controller's command, or that of limp joints after a fall."""
        self.observe(state)
        return self.limp_command if self.fallen else self.controller.command(state)

    def observe(self, state: State) -> None:
        """Watch for a fall, also while another controller gives the commands."""
        if not self._is_down(state):
            self.upright_at = state.time
        # A state at the limit counts, although time is not exact.
        self.fallen = self.fallen or state.time - self.upright_at > FALL_SECONDS - 1e-6

    def _is_down(self, state: State) -> bool:
        """Return whether the pelvis is far from its planned height, or the trunk from its planned tilt."""
        sample = min(round(state.time / self.reference.dt), len(self.reference) - 1)
        wanted, axis = self.reference.qpos[sample], self._trunk_axis(state.qpos)
        height = state.qpos[2] - self.ground_height
        if self.should_lie[sample : sample + 1].any() and lies(height, axis, self.world.spec.height):
            return False
        if abs(state.qpos[2] - wanted[2]) > self.largest_drop:
            return True
        return bool(axis @ self._trunk_axis(wanted) < np.cos(FALL_TILT))

    def _trunk_axis(self, qpos: FloatArray) -> FloatArray:
        """Return the direction of the trunk's own vertical axis in the world (3)."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.world.model, self.data)
        return np.array(self.data.xmat[self.trunk, 2::3])
