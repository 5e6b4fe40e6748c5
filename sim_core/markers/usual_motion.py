"""How fast people usually accelerate: what tells motion from noise where points jitter more than skin does.

Root mean squares of walks, turns, jumps, dances, punches and a run (CMU, 60 Hz) are 3 to 9 m/s^2 of the hips,
4 to 18 rad/s^2 of trunk, head and arms, 6 to 40 of thighs, 8 to 113 of shins, and 6 to 56 of feet. The values
below are in the upper half of these ranges, because a motion that is smoothed too much is worse than one with
some noise left.
"""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from ..posefit.fit_body import EngineBody
from ..posefit.fit_rig import RigBody

ROOT_M_S2 = 10.0
"""Acceleration of the hips, one sigma: about that of a fall [m/s^2]."""
TRUNK, ARM, THIGH, SHIN, FOOT = 20.0, 40.0, 40.0, 80.0, 60.0
"""Angular accelerations, one sigma [rad/s^2]."""
JOINT_RAD_S2 = {
    "upper_arm": ARM,
    "forearm": ARM,
    "hand": ARM,
    "thigh": THIGH,
    "shin": SHIN,
    "foot": FOOT,
    "toe": FOOT,
}
"""Part of the body -> acceleration of the joint that carries it; TRUNK for all others."""


def usual_accelerations(engine: EngineBody, rig: RigBody) -> FloatArray:
    """Return one sigma of the accelerations of all axes (nv) [m/s^2, rad/s^2]."""
    model = engine.model
    usual = np.full(model.nv, TRUNK)
    for link, slot in enumerate(rig.slot):
        first, count = model.body_dofadr[engine.body[link]], model.body_dofnum[engine.body[link]]
        usual[first : first + count] = JOINT_RAD_S2.get(slot.split(".")[0], TRUNK)
    usual[:3] = ROOT_M_S2
    return usual
