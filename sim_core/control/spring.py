"""A first tracker: the reference's own torques, springs on the joints, and a bounded helping hand."""

from __future__ import annotations

import mujoco
import numpy as np

from .. import rotations
from ..conventions import FloatArray
from ..dynamics.ground import Forces, explain
from ..reference.reference import Reference
from ..simulation.world import World
from .protocol import Command, State

STIFFNESS_SCALE = 0.3
"""k of da Silva et al. 2008, table 1: springs are this share of the intrinsic ones."""
LEAST_KP_PER_LIMIT = 1.0
"""Springs give at least this share of the torque limit per radian; a stance ankle moves the whole body."""
ROOT_STIFFNESS = 150.0
"""Of the helping hand, per unit of mass or inertia [1/s^2]; critically damped."""


class SpringController:
    """Feed-forward from inverse dynamics, critically damped springs (eq. 8-10), capped root assist."""

    def __init__(self, world: World, reference: Reference, assist_cap: float) -> None:
        self.world, self.reference, self.assist_cap = world, reference, assist_cap
        self.forces: Forces = explain(world, reference)
        self.data = mujoco.MjData(world.model)
        self.root_inertia = self._root_inertia()

    def command(self, state: State) -> Command:
        tick = min(round(state.time / self.reference.dt), len(self.reference) - 1)
        following = min(tick + 1, len(self.reference) - 1)
        dofs = self.world.index.actuated_dof
        offset = np.zeros(self.world.model.nv)
        mujoco.mj_differentiatePos(self.world.model, offset, 1.0, state.qpos, self.reference.qpos[following])
        kp, kd = self._gains(state)
        return Command(
            torque=self.forces.torque[tick],
            target_offset=offset[dofs],
            target_velocity=self.reference.qvel[following][dofs],
            kp=kp,
            kd=kd,
            assist=self._assist(state, following),
        )

    def _gains(self, state: State) -> tuple[FloatArray, FloatArray]:
        """kp = k k_s I and kd = 2 sqrt(k k_s) I with I the inertia that hangs on the joint (eq. 9-10)."""
        model, data, index = self.world.model, self.data, self.world.index
        data.qpos[:] = state.qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        inertia = data.M[model.M_rowadr + model.M_rownnz - 1][index.actuated_dof]
        stiffness = STIFFNESS_SCALE * index.stiffness
        kp = np.maximum(stiffness * inertia, LEAST_KP_PER_LIMIT * index.torque_limit)
        return kp, 2.0 * kp / np.sqrt(stiffness)

    def _root_inertia(self) -> FloatArray:
        """Mass and moments of inertia of the whole body in its first pose (6)."""
        data = self.data
        data.qpos[:] = self.reference.qpos[0]
        mujoco.mj_forward(self.world.model, data)
        full = np.zeros((self.world.model.nv, self.world.model.nv))
        mujoco.mj_fullM(self.world.model, data, full)
        return np.diag(full)[:6].copy()

    def _assist(self, state: State, tick: int) -> FloatArray:
        """Pull towards the reference root, each axis within the cap."""
        wanted = self.reference.qpos[tick]
        turn = rotations.multiply(wanted[3:7], rotations.conjugate(state.qpos[3:7]))
        offset = np.concatenate([wanted[:3] - state.qpos[:3], rotations.to_vector(turn)])
        drift = self.reference.qvel[tick][:6] - state.qvel[:6]
        drift[3:] = rotations.rotate(state.qpos[3:7], drift[3:])
        damping = 2.0 * np.sqrt(ROOT_STIFFNESS)
        pull = self.root_inertia * (ROOT_STIFFNESS * offset + damping * drift)
        return np.clip(pull, -self.assist_cap, self.assist_cap)
