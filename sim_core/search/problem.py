"""What is searched: a body in its engine, driven by springs about its reference, from any state and time."""

from __future__ import annotations

import copy
from dataclasses import replace

import mujoco
import numpy as np
from mujoco import rollout
from scipy.ndimage import gaussian_filter1d

from ..base.conventions import FloatArray
from ..reference.prepare import Prepared, needed_torque
from ..world.world import World
from .features import BodyFeatures, measure_features

STIFFNESS = 2.0
"""Of the springs, as torque limits per radian [1/rad]."""
DAMPING = 0.1
"""Of the springs, as a share of their stiffness [s]."""
OFFSET_SIGMA = {"head": 0.05, "forearm": 0.12, "abdomen": 0.12, "chest": 0.12}
"""Standard deviation of spring offsets by segment [rad]; 0.15 for all others."""


class SearchProblem:
    """Rolls out controls on the engine's own model, on several threads.

    stiffness, damping (nu): of the springs [Nm/rad], [Nms/rad]
    base (steps + 1, nu): controls of every engine step that pull to the reference and feed its torque forward
    reference (T): features of the reference at the control ticks
    """

    def __init__(self, world: World, prepared: Prepared, threads: int) -> None:
        self.world, self.prepared = world, prepared
        self.model = copy.copy(world.engine.model)
        # Sensors only observe; without them a step is cheaper.
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR
        limit = world.index.torque_limit
        self.stiffness, self.damping = STIFFNESS * limit, DAMPING * STIFFNESS * limit
        self.model.actuator_biasprm[:, 1], self.model.actuator_biasprm[:, 2] = -self.stiffness, -self.damping
        self.steps_per_tick = round(prepared.reference.dt / world.timestep)
        self.base = self._base_controls()
        reference = prepared.reference
        self.reference: BodyFeatures = measure_features(world.spec, reference.qpos, reference.qvel)
        self.sigma = np.array(
            [
                OFFSET_SIGMA.get(segment.name.partition(".")[0], 0.15)
                for segment in world.spec
                for _ in range(segment.joint.kind.torque_axes)
            ]
        )
        self.steps_rolled_out = 0
        self._rollout = rollout.Rollout(nthread=threads)
        self._data = [mujoco.MjData(self.model) for _ in range(max(threads, 1))]

    def _base_controls(self) -> FloatArray:
        """Return the controls without any offset, linear between the control ticks."""
        reference, model = self.prepared.reference, self.model
        data = mujoco.MjData(model)
        length, velocity = np.zeros((2, len(reference), model.nu))
        for t in range(len(reference)):
            data.qpos[:], data.qvel[:] = reference.qpos[t], reference.qvel[t]
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            length[t], velocity[t] = data.actuator_length, data.actuator_velocity
        at_ticks = (
            planned_torque(self.world, self.prepared) + self.stiffness * length + self.damping * velocity
        )
        steps = np.arange((len(reference) - 1) * self.steps_per_tick + 1) / self.steps_per_tick
        ticks = np.arange(len(reference))
        return np.stack([np.interp(steps, ticks, column) for column in at_ticks.T], axis=1)

    @property
    def steps(self) -> int:
        """Number of engine steps of the whole reference."""
        return len(self.base) - 1

    def state(self, qpos: FloatArray, qvel: FloatArray) -> FloatArray:
        """Return an engine state for a pose and velocities."""
        return np.concatenate([[0.0], qpos, qvel])

    def roll_out(self, state: FloatArray, controls: FloatArray) -> FloatArray:
        """Return the states (n, steps, .) after every engine step under controls (n, steps, nu)."""
        self.steps_rolled_out += controls.shape[0] * controls.shape[1]
        states, _ = self._rollout.rollout(
            self.model, self._data, np.tile(state, (len(controls), 1)), controls
        )
        return np.asarray(states)

    def features(self, states: FloatArray) -> BodyFeatures:
        """Measure engine states (n, .)."""
        split = 1 + self.model.nq
        return measure_features(self.world.spec, states[:, 1:split], states[:, split : split + self.model.nv])

    def close(self) -> None:
        """End the threads."""
        self._rollout.close()


def planned_torque(world: World, prepared: Prepared) -> FloatArray:
    """Return the joint torques (T, nu) behind the reference: inverse dynamics less its ground forces [Nm].

    They are smoothed over a sample and kept within the limits. The ends have no ground force of their own.
    """
    force, limit = prepared.support_force.copy(), world.index.torque_limit
    force[0], force[-1] = force[1], force[-2]
    torque = needed_torque(world, replace(prepared, support_force=force), range(len(prepared.reference)))
    return np.clip(gaussian_filter1d(torque, 1.0, axis=0), -limit, limit)
