"""Follows a motion by inverse dynamics, for a body whose root is kinematic.

Such a body need not balance. Its torques are those that the wanted accelerations need, within their limits
(computed torque; Luh, Walker, Paul 1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..base.conventions import FloatArray
from ..dynamics.kinematics import Kinematics, inverse_dynamics
from ..reference.reference import Reference, pose_changes
from ..simulation.kinematic import joint_indices
from ..simulation.protocol import Command, State, idle_command
from ..world.world import World
from .hit_reaction import HitReactions

STIFFNESS = 200.0
"""Stiffness of the feedback: acceleration for a joint's error [1/s^2]."""


class ComputedTorque:
    """Tracks a reference with the joints of all segments that are not kinematic."""

    fallbacks = 0  # it solves no quadratic program

    def __init__(
        self, world: World, reference: Reference, reactions: HitReactions, kinematic: Sequence[int]
    ) -> None:
        self.world, self.reference, self.reactions = world, reference, reactions
        self.free = np.ones(reference.qvel.shape[1])  # 0 for kinematic coordinates
        self.free[joint_indices(world, kinematic)[1]] = 0.0
        self.kinematics = Kinematics(world)
        self.idle = idle_command(len(world.index.actuator))

    def command(self, state: State) -> Command:
        """Return the torques of the coming control interval."""
        self.reactions.observe(state.time, state.impacts)
        sample = min(round(state.time / self.reference.dt), len(self.reference) - 1)
        dof = self.world.index.actuated_dof
        force = inverse_dynamics(self.kinematics, state.qpos, state.qvel, self._acceleration(state, sample))
        limit = self.world.index.torque_limit
        torque = self.free[dof] * np.clip(force[dof], -limit, limit)
        return replace(self.idle, torque=torque)

    def _acceleration(self, state: State, sample: int) -> FloatArray:
        """Return the wanted acceleration (nv); regions that were hit are pulled back less."""
        reference, firm = self.reference, self.free.copy()
        share = self.reactions.gain_scale(state.time)
        if share is not None:
            firm[self.world.index.actuated_dof] *= share
        planned = reference.qpos[sample : sample + 1]
        error = pose_changes(self.world.model, state.qpos[None], planned)[0]
        damping = 2.0 * np.sqrt(STIFFNESS * firm)
        return np.asarray(
            reference.qacc[sample]
            + STIFFNESS * firm * error
            + damping * (reference.qvel[sample] - state.qvel)
        )
