"""Taking measurement noise out of a motion."""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, sosfiltfilt

from ..base import rotations
from ..base.conventions import FloatArray
from .motion import Motion

CUTOFF_HZ = 8.0
"""Joints carry little above this; what is faster becomes noise in the forces [Hz]."""
ORDER = 2


def low_pass(motion: Motion, cutoff_hz: float = CUTOFF_HZ) -> Motion:
    """Zero-phase Butterworth on positions and sign-continuous quaternions."""
    positions = low_pass_values(motion.position_world, motion.rate_hz, cutoff_hz)
    quaternions = low_pass_values(motion.quaternion_world, motion.rate_hz, cutoff_hz)
    return Motion(motion.skeleton, motion.time, positions, rotations.normalise(quaternions))


def low_pass_values(values: FloatArray, rate_hz: float, cutoff_hz: float = CUTOFF_HZ) -> FloatArray:
    """Values (T, ...) without what is faster than the cut-off.

    What is sampled too slowly to hold anything above the cut-off is left as it is.
    """
    if rate_hz < 2.5 * cutoff_hz or len(values) < 12:
        return values
    sos = butter(ORDER, cutoff_hz, fs=rate_hz, output="sos")
    pad = min(len(values) - 2, int(rate_hz / cutoff_hz * 3))
    return np.asarray(sosfiltfilt(sos, values, axis=0, padlen=pad))
