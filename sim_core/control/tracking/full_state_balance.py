"""Balance by feedback of the whole state (da Silva 2008, thesis, section 5.2)."""

from __future__ import annotations

import mujoco
import numpy as np

from ...conventions import BoolArray, FloatArray
from ...simulation.world import World
from ..protocol import State
from .balance import BalanceTargets
from .plan import TrackingPlan
from .prediction import Prediction


class FullStateBalance:
    """gains (T, nv, 2 nv): of full_state_gains."""

    def __init__(self, world: World, plan: TrackingPlan, gains: FloatArray) -> None:
        self.model, self.plan, self.gains = world.model, plan, gains
        self.error = np.zeros(2 * world.model.nv)
        self.feet = np.zeros((2, 3))

    def touches(self, sample: int) -> BoolArray:
        return self.plan.schedule.touches[sample]

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        plan, reference, nv = self.plan, self.plan.reference, self.model.nv
        mujoco.mj_differentiatePos(self.model, self.error[:nv], 1.0, reference.qpos[sample], state.qpos)
        self.error[nv:] = state.qvel - reference.qvel[sample]
        added = self.gains[sample] @ self.error
        return BalanceTargets(
            com_acceleration=plan.com_acceleration[sample] + prediction.rows[0] @ added,
            momentum_rate=plan.momentum_rate[sample] + prediction.rows[1] @ added,
            foot_shift=self.feet,
            acceleration=reference.qacc[sample] + added,
        )
