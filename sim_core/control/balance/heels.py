"""Heels that are up in the plan come down when the body would fall over them.

On tiptoe, pressure ends at the toes. A body that is pushed back from there is held by nothing, though its
heels are some centimetres above the ground. A person puts them down.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray
from ...world.world import World
from ..tracking.plan import TrackingPlan

DOWN_S, UP_S = 0.1, 0.4
"""How long heels take to come down, and to go up again once they are not needed [s]."""
OVER, BACK = 0.05, 0.03
"""They come down while the capture point is further than this off the plan towards them, and go up when it is
nearer than that [m]."""
STAYS_S = 0.3
"""A foot that steps sooner keeps to the plan: a walk rolls over its toes for about so long [s]."""


class Heels:
    """down (2): how far heels that are up have come down, 0 to 1; tiptoe (T, 2): toes touch, heels do not."""

    def __init__(self, world: World, plan: TrackingPlan) -> None:
        self.world, self.plan = world, plan
        self.down = np.zeros(2)
        self.data = mujoco.MjData(world.model)
        self.ankle = [world.index.dofs_of(segment) for segment in world.index.foot_segments]
        self.sole = [np.flatnonzero(plan.schedule.foot == foot) for foot in (0, 1)]
        # The first half of a sole's points is the heel, the rest the toes.
        heel, toes = np.split(np.stack([plan.schedule.touches[:, s] for s in self.sole], axis=1), 2, axis=2)
        self.tiptoe: BoolArray = np.asarray(toes.any(axis=2) & ~heel.any(axis=2))
        ahead = np.minimum(np.arange(len(plan)) + round(STAYS_S / plan.reference.dt), len(plan) - 1)
        self.stays = plan.schedule.stands & plan.schedule.stands[ahead]

    def follow(self, sample: int, capture_error: FloatArray) -> None:
        """off_plan (2): of the capture point, beside what the feet are off by [m]"""
        dt = self.plan.reference.dt
        for foot in (0, 1):
            if not self.plan.schedule.stands[sample, foot]:
                self.down[foot] = 0.0
            elif self.tiptoe[sample, foot]:
                ahead = self._along(sample, foot)[:2]
                over = -float(capture_error @ ahead) / max(float(np.linalg.norm(ahead)), 1e-9)
                if over > OVER and self.stays[sample, foot]:
                    self.down[foot] = min(self.down[foot] + dt / DOWN_S, 1.0)
                elif over < BACK:
                    self.down[foot] = max(self.down[foot] - dt / UP_S, 0.0)

    def touches(self, sample: int, planned: BoolArray) -> BoolArray:
        """What should rest on the ground (K): whole soles where heels come down; lifted feet stay lifted."""
        touches = planned.copy()
        for foot in self._coming(sample):
            touches[self.sole[foot]] |= planned[self.sole[foot]].any()
        return touches

    def joint_offset(self, sample: int) -> FloatArray | float:
        """Of the ankles (nv), against the plan [rad]."""
        coming = self._coming(sample)
        if not coming:
            return 0.0
        model, data = self.world.model, self.data
        data.qpos[:] = self.plan.reference.qpos[sample]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        offset, turning = np.zeros(model.nv), np.zeros((3, model.nv))
        for foot in coming:
            mujoco.mj_jacBody(model, data, None, turning, int(self.world.index.feet[foot]))
            turn = self.down[foot] * self._levelling(sample, foot)
            offset[self.ankle[foot]] = np.linalg.lstsq(turning[:, self.ankle[foot]], turn, rcond=None)[0]
        return offset

    def _coming(self, sample: int) -> list[int]:
        """Feet whose heels are on their way down, or there."""
        return [foot for foot in (0, 1) if self.down[foot] > 0.0 and self.tiptoe[sample, foot]]

    def _along(self, sample: int, foot: int) -> FloatArray:
        """From heel to toes (3) [m]."""
        heel, toes = np.split(self.plan.support_points[sample, self.sole[foot]], 2)
        return np.asarray(toes.mean(axis=0) - heel.mean(axis=0))

    def _levelling(self, sample: int, foot: int) -> FloatArray:
        """The rotation vector (3) that lays the sole level [rad]."""
        along = self._along(sample, foot)
        level = along * [1.0, 1.0, 0.0]
        axis = np.cross(along, level)
        sine = float(np.linalg.norm(axis))
        return np.asarray(axis / max(sine, 1e-9) * np.arctan2(sine, along @ level))
