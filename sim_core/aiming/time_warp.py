"""Time scaled about a strike, for the speed at the contact (Zordan, Hodgins 2002, section 4).

The paper scales the time step by a factor that goes smoothly from one to s, the ratio of speeds, and
back. Here the motion's clock reads u(t) = t + (s - 1) (t - t_s) w(t), with a window w that is 1 at the
contact t_s: the contact comes when it should, u' is s there, and outside of the window nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..conventions import FloatArray
from ..errors import InputError
from ..motion import Motion
from .strike import Strike
from .window import window

SLOWEST, FASTEST = 0.3, 2.5
"""Of the motion's own speed at the contact; beyond, the clock would nearly stand, or turn back."""


def warped_clock(time: FloatArray, strikes: Sequence[Strike], rates: FloatArray) -> FloatArray:
    """What the motion's clock reads (T) at times (T) since its start [s]; rates (K): at the contacts."""
    clock = time.copy()
    for strike, rate in zip(strikes, rates, strict=True):
        clock += (rate - 1.0) * (time - strike.time_s) * window(time, strike)
    return clock


def warped(motion: Motion, strikes: Sequence[Strike], rates: FloatArray) -> Motion:
    """The motion by another clock, at the same sample times."""
    if np.all(rates == 1.0):
        return motion
    start = motion.time[0]
    seen = motion.at(start + warped_clock(motion.time - start, strikes, rates))
    return Motion(motion.skeleton, motion.time, seen.position_world, seen.quaternion_world)


def first_rate(strike: Strike, speed: float) -> float:
    """How much faster the motion must be at the contact, where it has a speed [m/s]; eq. 2: in proportion."""
    wanted = strike.aim.speed
    if wanted == 0.0:
        return 1.0
    if not SLOWEST * speed <= wanted <= FASTEST * speed:
        raise InputError(
            f"'{strike.aim.bone}' shall strike at {wanted:.1f} m/s, but moves at {speed:.1f} m/s there; "
            f"ask for {SLOWEST * speed:.1f} to {FASTEST * speed:.1f} m/s, or choose another frame."
        )
    return wanted / speed
