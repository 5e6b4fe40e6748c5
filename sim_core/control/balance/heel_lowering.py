"""Lowers heels that are up in the plan when the body would fall over them.

On tiptoe the centre of pressure cannot leave the toes. Nothing holds a body that is pushed back from there,
although its heels are only some centimetres above the ground. A person puts them down.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray
from ...reference.contacts import HEEL
from ...world.world import World
from ..tracking.plan import TrackingPlan

LOWER_S, RAISE_S = 0.1, 0.4
"""Durations in which heels are lowered, and raised again once they are not needed [s]."""
LOWER_AT, RAISE_AT = 0.05, 0.03
"""Errors of the capture point towards the heel at which it is lowered, and raised again [m]."""
STANDS_S = 0.3
"""A foot that the plan lifts sooner stays as planned [s]: in a walk it rolls over its toes that long."""


class HeelLowering:
    """Heels that are lowered against the plan.

    lowered (2): how far each heel has come down, 0 to 1; toe: joints of toes that bend, by foot
    on_toes (T, 2): the toes touch, the heel does not
    stands_on (T, 2): the foot stands, and still does STANDS_S later
    heel_to_toes (T, 2, 3): vectors along the planned soles [m]
    """

    def __init__(self, world: World, plan: TrackingPlan) -> None:
        self.world, self.plan = world, plan
        self.lowered = np.zeros(2)
        self.data = mujoco.MjData(world.model)
        self.ankle = [world.index.dofs_of(segment) for segment in world.index.foot_segments]
        self.toe = [int(world.model.body_jntadr[body]) for body in world.index.toes]
        self.sole = [np.flatnonzero(plan.schedule.foot == foot) for foot in (0, 1)]
        # The first points of a sole are the heel, the rest the front.
        touches = np.stack([plan.schedule.touches[:, s] for s in self.sole], axis=1)
        heel, toes = np.split(touches, [HEEL], axis=2)
        self.on_toes: BoolArray = np.asarray(toes.any(axis=2) & ~heel.any(axis=2))
        ahead = np.minimum(np.arange(len(plan)) + round(STANDS_S / plan.reference.dt), len(plan) - 1)
        self.stands_on = plan.schedule.stands & plan.schedule.stands[ahead]
        soles = np.stack([plan.support_points[:, sole] for sole in self.sole], axis=1)
        behind, front = np.split(soles, [HEEL], axis=2)
        self.heel_to_toes: FloatArray = front.mean(axis=2) - behind.mean(axis=2)

    def update(self, sample: int, capture_error: FloatArray) -> None:
        """Lower or raise the heels by one interval; capture_error (2): relative to the feet [m]."""
        dt = self.plan.reference.dt
        for foot in (0, 1):
            if not self.plan.schedule.stands[sample, foot]:
                self.lowered[foot] = 0.0
            elif self.on_toes[sample, foot]:
                ahead = self.heel_to_toes[sample, foot, :2]
                over = -float(capture_error @ ahead) / max(float(np.linalg.norm(ahead)), 1e-9)
                if over > LOWER_AT and self.stands_on[sample, foot]:
                    self.lowered[foot] = min(self.lowered[foot] + dt / LOWER_S, 1.0)
                elif over < RAISE_AT:
                    self.lowered[foot] = max(self.lowered[foot] - dt / RAISE_S, 0.0)

    def touches(self, sample: int, planned: BoolArray) -> BoolArray:
        """Return which points (K) should touch: whole soles where heels are lowered."""
        touches = planned.copy()
        for foot in self._lowered_feet(sample):
            touches[self.sole[foot]] |= planned[self.sole[foot]].any()
        return touches

    def joint_offset(self, sample: int) -> FloatArray | float:
        """Return the displacement of the ankles and of the toes from the plan (nv) [rad]."""
        coming = self._lowered_feet(sample)
        if not coming:
            return 0.0
        model, data = self.world.model, self.data
        data.qpos[:] = self.plan.reference.qpos[sample]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        offset, turning = np.zeros(model.nv), np.zeros((3, model.nv))
        for foot in coming:
            mujoco.mj_jacBody(model, data, None, turning, int(self.world.index.feet[foot]))
            turn = self.lowered[foot] * self._rotation_to_level(sample, foot)
            offset[self.ankle[foot]] = np.linalg.lstsq(turning[:, self.ankle[foot]], turn, rcond=None)[0]
            if self.toe:  # toes that are bent up come down with the heel
                bent = data.qpos[model.jnt_qposadr[self.toe[foot]]]
                offset[model.jnt_dofadr[self.toe[foot]]] = -self.lowered[foot] * bent
        return offset

    def _lowered_feet(self, sample: int) -> list[int]:
        """Return the feet whose heels are lowered, in part or fully."""
        return [foot for foot in (0, 1) if self.lowered[foot] > 0.0 and self.on_toes[sample, foot]]

    def _rotation_to_level(self, sample: int, foot: int) -> FloatArray:
        """Return the rotation vector (3) that makes the sole level [rad]."""
        along = self.heel_to_toes[sample, foot]
        level = along * [1.0, 1.0, 0.0]
        axis = np.cross(along, level)
        sine = float(np.linalg.norm(axis))
        return np.asarray(axis / max(sine, 1e-9) * np.arctan2(sine, along @ level))
