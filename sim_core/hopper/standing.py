"""A pendulum that stands on a foot by the stiffness of its ankle (dissertation, figure 6.7).

The ankle pulls the leg upright like a spring; its moment moves the centre of pressure under the foot, and
beyond the foot's end there is nothing to push against: it tips. So a larger foot and a stiffer ankle stand
more, up to the push after which the body has to step.
"""

from __future__ import annotations

import numpy as np

from ..base.conventions import GRAVITY, BoolArray, FloatArray

STEP_S = 0.002
"""Time step [s]."""
DAMPING = 0.3
"""Damping of the ankle, as a share of the critical one."""
SECONDS = 6.0
"""How long it is watched after the push [s]."""
FALLEN = 0.5
"""Angle at which it has fallen [rad]."""


def stands_after_push(
    length: float, stiffness: FloatArray, half_foot: FloatArray, push: FloatArray
) -> BoolArray:
    """Return whether pendulums stand after a push; all but the length may be arrays that broadcast.

    length: of the pendulum [m]; push: velocity that its mass is given [m/s]
    stiffness: of the ankle, as a share of m g length, which alone holds a pendulum upright
    half_foot: from the ankle to the end of the foot [m]
    """
    stiffness, half_foot, push = np.broadcast_arrays(stiffness, half_foot, push)
    angle, rate = np.zeros(push.shape), push / length
    # All moments as shares of m g length; the inertia m length^2 gives g / length.
    damping = 2.0 * DAMPING * np.sqrt(np.maximum(stiffness, 1e-9) * length / GRAVITY)
    most = half_foot / length
    for _ in range(round(SECONDS / STEP_S)):
        ankle = np.clip(stiffness * angle + damping * rate, -most, most)
        rate = rate + STEP_S * GRAVITY / length * (np.sin(angle) - ankle)
        angle = np.clip(angle + STEP_S * rate, -1.5, 1.5)
    return np.asarray(np.abs(angle) < FALLEN)


def largest_push(length: float, stiffness: float, half_foot: float) -> float:
    """Return the largest push after which a pendulum stands [m/s], to a centimetre a second."""
    pushes = np.arange(0.0, 2.0, 0.01)
    stands = stands_after_push(length, np.array(stiffness), np.array(half_foot), pushes)
    falls = np.flatnonzero(~stands)
    return float(pushes[falls[0] - 1]) if len(falls) and falls[0] > 0 else 0.0
