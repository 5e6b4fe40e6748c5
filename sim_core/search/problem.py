"""What is searched: one character of an engine, driven by springs about its reference, from any state on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base.conventions import FloatArray
from ..reference.prepare import Prepared, needed_torque
from ..world.world import World
from .features import BodyFeatures, measure_features
from .rollouts import EngineRollouts, spring_controls, spring_gains

OFFSET_SIGMA = {"head": 0.05, "forearm": 0.12, "abdomen": 0.12, "chest": 0.12}
"""Standard deviation of spring offsets by segment [rad]; 0.15 for all others."""


class SearchProblem:
    """A character's springs and reference in trials of its engine.

    stiffness, damping (nu): of the springs [Nm/rad], [Nms/rad]
    base (steps + 1, nu): controls of every engine step that pull to the reference and feed its torque forward
    reference (T): features of the reference at the control ticks
    first_step: engine step at which the reference begins; its own steps count from there
    """

    def __init__(
        self, world: World, prepared: Prepared, rollouts: EngineRollouts, first_step: int = 0
    ) -> None:
        self.world, self.prepared, self.rollouts = world, prepared, rollouts
        self.first_step = first_step
        self.actuators = world.engine.index.actuator
        self.stiffness, self.damping = spring_gains(world)
        reference, torque = prepared.reference, planned_torque(world, prepared)
        self.base = spring_controls(world, reference.qpos, reference.qvel, torque, rollouts.steps_per_tick)
        self.reference: BodyFeatures = measure_features(world.spec, reference.qpos, reference.qvel)
        self.sigma = np.array(
            [
                OFFSET_SIGMA.get(segment.name.partition(".")[0], 0.15)
                for segment in world.spec
                for _ in range(segment.joint.kind.torque_axes)
            ]
        )

    @property
    def steps(self) -> int:
        """Number of engine steps of the whole reference."""
        return len(self.base) - 1

    def roll_out(self, state: FloatArray, step: int, controls: FloatArray) -> FloatArray:
        """Return the engine's states (n, steps, .) under the character's controls (n, steps, nu)."""
        return self.rollouts.roll_out(state, self.first_step + step, controls, self.actuators)

    def expect(self, step: int, controls: FloatArray) -> None:
        """Let the trials of others expect controls (steps, nu) of this character from a step on."""
        first = self.first_step + step
        self.rollouts.expected[first : first + len(controls), self.actuators] = controls

    def features(self, states: FloatArray) -> BodyFeatures:
        """Measure the character in engine states (n, .)."""
        (qpos, qvel), index = self.rollouts.split(states), self.world.engine.index
        return measure_features(self.world.spec, qpos[:, index.qpos], qvel[:, index.dof])


def planned_torque(world: World, prepared: Prepared) -> FloatArray:
    """Return the joint torques (T, nu) behind the reference: inverse dynamics less its ground forces [Nm].

    They are smoothed over a sample and kept within the limits. The ends have no ground force of their own.
    """
    force, limit = prepared.support_force.copy(), world.index.torque_limit
    force[0], force[-1] = force[1], force[-2]
    torque = needed_torque(world, replace(prepared, support_force=force), range(len(prepared.reference)))
    return np.clip(gaussian_filter1d(torque, 1.0, axis=0), -limit, limit)
