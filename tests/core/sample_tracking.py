"""A character that stands or walks, with what its tracker needs."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.tracker import Tracker
from sim_core.reference.prepare import Prepared
from sim_core.simulation.protocol import State
from tests.core.sample_motions import DT, Scene, Steps, prepared, scene


@dataclass(frozen=True, eq=False)
class TrackedScene:
    """A scene with its filtered reference."""

    scene: Scene
    ready: Prepared

    def tracker(self, assist_cap: float = 0.0) -> Tracker:
        options = TrackerOptions(assist_cap=assist_cap)
        return make_tracker(self.scene.world, self.ready, self.scene.leg_length, options)

    def state(self, sample: int, error: FloatArray | float = 0.0, slip: FloatArray | float = 0.0) -> State:
        """As planned, but for errors of the joint coordinates (nv) and of the velocities (nv)."""
        reference, model = self.ready.reference, self.scene.world.model
        qpos = reference.qpos[sample].copy()
        mujoco.mj_integratePos(model, qpos, np.zeros(model.nv) + error, 1.0)
        return State(sample * DT, qpos, reference.qvel[sample] + slip)

    def disturbed(self, seed: int) -> State:
        """A random sample of the plan with random errors."""
        rng, nv = np.random.default_rng(seed), self.scene.world.model.nv
        sample = int(rng.integers(len(self.ready.reference)))
        return self.state(sample, 0.1 * rng.normal(size=nv), rng.normal(size=nv))


def tracked(steps: Steps) -> TrackedScene:
    made = scene(steps)
    return TrackedScene(made, prepared(made))
