"""How far the body is from where it should be over its feet, for policies that push or lean it back.

Zordan, Hodgins 2002, section 6: the wanted place of the centre of mass is the centre of support. A motion
leans and steps, so it is here the centre of support with what the plan has between the two, and velocities
are those against the plan: a perfect copy is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.conventions import FloatArray
from ...simulation.protocol import State
from ..tracking.plan import TrackingPlan
from ..tracking.prediction import Prediction
from .policy import BalanceTargets


@dataclass(frozen=True, eq=False)
class SupportError:
    """Horizontal: offset (2) [m], from the wanted centre of mass to the real one; velocity (2) [m/s].

    share (2): of the load that each foot is planned to carry; zero while nothing stands
    """

    offset: FloatArray
    velocity: FloatArray
    share: FloatArray


def support_error(plan: TrackingPlan, sample: int, prediction: Prediction) -> SupportError:
    stands = plan.schedule.stands[sample]
    share = stands / max(stands.sum(), 1)
    moved = (prediction.foot - plan.foot[sample])[:, :2]
    centre = share @ moved if stands.any() else moved.mean(axis=0)
    return SupportError(
        offset=(prediction.com - plan.com[sample])[:2] - centre,
        velocity=(prediction.com_velocity - plan.com_velocity[sample])[:2],
        share=np.asarray(share, dtype=np.float64),
    )


def posture_only(plan: TrackingPlan, sample: int, state: State) -> BalanceTargets:
    """No wish for the centre of mass; feet step as far from the pelvis as planned, wherever that is."""
    shift = np.zeros((2, 3))
    shift[:, :2] = state.qpos[:2] - plan.reference.qpos[sample, :2]
    return BalanceTargets(
        com_acceleration=plan.com_acceleration[sample],
        momentum_rate=plan.momentum_rate[sample],
        foot_shift=shift,
        com=0.0,
    )
