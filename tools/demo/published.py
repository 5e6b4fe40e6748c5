"""Joint angles that the demo's motions are made from [deg, s], and where they come from.

Walking: Perry & Burnfield, Gait Analysis: Normal and Pathological Function, 2nd ed. 2010,
chapters 3-7: rounded angles at the events of the gait cycle (thigh against the vertical, knee
flexion, ankle dorsiflexion), arms from its chapter 7. Phases are percent of the cycle from heel
strike; the points at 6, 40 and 97 % are read between its events. Cadence and stride are a little
below its means for men (about 110 steps/min, 1.46 m).

Marching: no published curve, but made to two published demands: the knee is lifted towards midway
between kneecap and hip crest (two-minute step test, Rikli & Jones, J Aging Phys Act 7, 1999), over
half steps of 15 inches (US Army TC 3-21.5, Drill and Ceremonies).

Squat: Escamilla, Med Sci Sports Exerc 33, 2001: half to parallel squat, knee 90-100, trunk 35-45.

Jump: Bisseling et al., Br J Sports Med 42, 2008, table 3: knee 84 at the deepest point, ankle 35-42
plantarflexed at take-off and touch-down, here taken as the rise of the heel. Push-off of 0.3 s:
Bobbert et al., Med Sci Sports Exerc 28, 1996. The jump is low and leaves the floor with bent knees
(44 against the published 18-19), because the legs must still lengthen while the feet come off.

Standing: centre of mass 5 cm before the ankles, sway of a few millimetres: Winter, Gait &
Posture 3, 1995.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import CubicSpline

from sim_core.base.conventions import FloatArray

Curve = Callable[[FloatArray], FloatArray]

CYCLE_PERCENT = (0.0, 6.0, 12.0, 31.0, 40.0, 50.0, 62.0, 73.0, 87.0, 97.0)
WALK_THIGH = (20.0, 20.5, 20.0, 0.0, -10.0, -20.0, -10.0, 15.0, 25.0, 20.5)
WALK_KNEE = (5.0, 12.0, 18.0, 9.0, 5.0, 10.0, 40.0, 60.0, 25.0, 4.0)
WALK_ANKLE = (0.0, -5.0, -1.0, 5.0, 8.0, 10.0, -15.0, -5.0, 0.0, 0.0)

WALK_STEP_S = 60.0 / 106.0
WALK_DOUBLE_SUPPORT_S = 0.24 * WALK_STEP_S
WALK_STRIDE = 1.24
WALK_PELVIS_YAW = 5.0
WALK_PELVIS_DROP = 3.0
ARM_BACK, ARM_FRONT = -24.0, 8.0
ELBOW_BACK, ELBOW_FRONT = 20.0, 45.0

MARCH_THIGH = (10.0, 10.0, 9.0, 0.0, -4.0, -8.0, 8.0, 55.0, 62.0, 22.0)
MARCH_KNEE = (6.0, 10.0, 14.0, 8.0, 6.0, 9.0, 36.0, 88.0, 76.0, 16.0)
MARCH_ANKLE = (-4.0, -3.0, 1.0, 5.0, 6.0, 8.0, -10.0, -8.0, -4.0, -4.0)
MARCH_STEP_S = 60.0 / 104.0
MARCH_STRIDE = 0.762

SQUAT_KNEE = 95.0
SQUAT_TRUNK = 40.0
SQUAT_ARMS = 80.0
SQUAT_DOWN_S = 1.5

JUMP_KNEE_LOW = 80.0
JUMP_TRUNK_LOW = 40.0
JUMP_PUSH_S = 0.32
JUMP_HEEL_RISE = 42.0
JUMP_LANDING_KNEE = 70.0

STANDING_KNEE = 10.0
STANDING_COM_AHEAD = 0.05
STANDING_SWAY = 0.005


def cycle_curve(values: tuple[float, ...]) -> Curve:
    """Return a smooth periodic curve through the events [rad], over the phase in [0, 1)."""
    phase = np.append(np.array(CYCLE_PERCENT) / 100.0, 1.0)
    radians = np.radians(np.append(values, values[0]))
    spline = CubicSpline(phase, radians, bc_type="periodic")

    def at(cycle_phase: FloatArray) -> FloatArray:
        return np.asarray(spline(np.mod(cycle_phase, 1.0)), dtype=np.float64)

    return at
