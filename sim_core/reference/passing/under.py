"""Under a bar: the body bends as far as it has to, and only while it passes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...scene.scene import Passing
from .ducking import Duck
from .walk import Meeting, Plan, Walk

BENDS = np.radians(np.linspace(10.0, 80.0, 8))
"""Bends of the trunk that are tried, least first [rad]."""
LOWERING = 0.3
"""Lowering of the pelvis at the largest bend, in lengths of the leg."""
RAMP_S = 0.8
"""Time in which the body bends, and in which it straightens [s]."""
EARLIER_S = (0.0, 0.15, 0.3)
"""Times by which the body is bent earlier, because a bent trunk reaches further ahead [s]."""


def under(walk: Walk, met: Meeting) -> Plan | None:
    """Plan a duck under an object; None where none is deep enough."""
    for bend, deeper in pairwise(BENDS):
        for earlier in EARLIER_S:
            if next(walk.near(met.object, walk.changed(), _duck(walk, met, bend, earlier)), None) is None:
                # One step more, because the body rises and sinks with its steps when it walks bent.
                duck = _duck(walk, met, deeper, earlier)
                return Plan(Passing.UNDER, duck=duck, shift_m=duck.lowering)
    return None


def _duck(walk: Walk, met: Meeting, bend: float, earlier: float) -> Duck:
    lowering = LOWERING * walk.leg_length * float(bend / BENDS[-1])
    first = met.first - round(earlier / walk.dt)
    return Duck(float(bend), lowering, first, met.last, round(RAMP_S / walk.dt))
