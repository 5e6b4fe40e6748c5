"""Following a motion by inverse dynamics, for a body whose root is carried.

Nothing has to be balanced then: the torques that the wanted accelerations need are what the joints give
(computed torque; Luh, Walker, Paul 1980), within their limits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.conventions import FloatArray
from ..dynamics.kinematics import Kinematics, inverse_dynamics
from ..reference.reference import Reference, pose_changes
from ..simulation.kinematic import joint_indices
from ..simulation.protocol import Command, State
from ..world.world import World
from .hit_reaction import HitReactions

STIFFNESS = 200.0
"""Of all joints, by the acceleration that an error asks for [1/s^2]."""


class ComputedTorque:
    """Tracks a reference with the joints of all segments but those that are carried."""

    fallbacks = 0  # it solves no quadratic program

    def __init__(
        self, world: World, reference: Reference, reactions: HitReactions, carried: Sequence[int]
    ) -> None:
        self.world, self.reference, self.reactions = world, reference, reactions
        self.free = np.ones(reference.qvel.shape[1])  # 0 where nothing has to be brought back
        self.free[joint_indices(world, carried)[1]] = 0.0
        self.kinematics = Kinematics(world)
        zero = np.zeros(len(world.index.actuator))
        self.still = Command(zero, zero, zero, zero, zero, zero, np.zeros(6))

    def command(self, state: State) -> Command:
        self.reactions.observe(state.time, state.impacts)
        sample = min(round(state.time / self.reference.dt), len(self.reference) - 1)
        dof = self.world.index.actuated_dof
        force = inverse_dynamics(self.kinematics, state.qpos, state.qvel, self._acceleration(state, sample))
        limit, zero = self.world.index.torque_limit, self.still.kp
        torque = self.free[dof] * np.clip(force[dof], -limit, limit)
        return Command(torque, zero, zero, zero, zero, zero, np.zeros(6))

    def _acceleration(self, state: State, sample: int) -> FloatArray:
        """Wanted of all degrees of freedom (nv); what was hit is pulled back less."""
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
