"""The time about a strike in which a motion is changed."""

from __future__ import annotations

import numpy as np

from ..conventions import FloatArray
from ..easing import smoother_step
from .strike import Strike


def window(time: FloatArray, strike: Strike) -> FloatArray:
    """Weights (T) at times (T) since the start [s]: 1 at the contact, 0 from the window's ends on."""
    away = time - strike.time_s
    share = np.abs(away) / np.where(away < 0.0, strike.before_s, strike.after_s)
    return smoother_step(1.0 - np.minimum(share, 1.0))
