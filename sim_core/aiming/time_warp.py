"""Time scaling about a strike, for the speed at the contact (Zordan, Hodgins 2002, section 4).

The paper scales the time step by a factor that goes smoothly from one to s, the ratio of speeds, and back.
Here the motion's clock reads u(t) = t + (s - 1) (t - t_s) w(t), with a window w that is 1 at the contact t_s:
the contact keeps its time, u' equals s there, and nothing changes outside of the window.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.intervals import smoother_step
from ..motion.motion import Motion
from .strike import Strike


def window(time: FloatArray, strike: Strike) -> FloatArray:
    """Return weights (T) at times (T) since the start [s]: 1 at the contact, 0 outside its window."""
    away = time - strike.time_s
    share = np.abs(away) / np.where(away < 0.0, strike.before_s, strike.after_s)
    return smoother_step(1.0 - np.minimum(share, 1.0))


SLOWEST, FASTEST = 0.3, 2.2
"""Limits of the time scale at a contact; at 2.28 the clock would stand still on both sides of it."""
SLOWEST_ASKED, FASTEST_ASKED = 0.4, 1.9
"""Limits of the wanted speed relative to the motion's own; the rest of the range is left for corrections."""


def warped_clock(time: FloatArray, strikes: Sequence[Strike], rates: FloatArray) -> FloatArray:
    """Return the readings (T) of the motion's clock at times (T) since its start [s].

    rates (K): at the contacts
    """
    clock = time.copy()
    for strike, rate in zip(strikes, rates, strict=True):
        clock += (rate - 1.0) * (time - strike.time_s) * window(time, strike)
    return clock


def warped(motion: Motion, strikes: Sequence[Strike], rates: FloatArray) -> Motion:
    """Return the motion with its time scaled, at the same sample times."""
    if np.all(rates == 1.0):
        return motion
    start = motion.time[0]
    seen = motion.at(start + warped_clock(motion.time - start, strikes, rates))
    return Motion(motion.skeleton, motion.time, seen.position_world, seen.quaternion_world)


def first_rate(strike: Strike, speed: float) -> float:
    """Return the time scale that a strike with this speed [m/s] needs: the ratio of speeds (eq. 2)."""
    wanted = strike.aim.speed
    if wanted == 0.0:
        return 1.0
    low, high = SLOWEST_ASKED * speed, FASTEST_ASKED * speed
    if not low <= wanted <= high:
        raise InputError(
            f"'{strike.aim.bone}' shall strike at {wanted:.1f} m/s, but moves at {speed:.1f} m/s there; "
            f"ask for {low:.1f} to {high:.1f} m/s, or choose another frame."
        )
    return wanted / speed
