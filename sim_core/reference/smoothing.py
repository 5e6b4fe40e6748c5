"""Taking measurement noise out of a motion."""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, sosfiltfilt

from .. import rotations
from ..motion import Motion

CUTOFF_HZ = 8.0
"""Joints carry little above this; what is faster becomes noise in the forces [Hz]."""
ORDER = 2


def low_pass(motion: Motion, cutoff_hz: float = CUTOFF_HZ) -> Motion:
    """Zero-phase Butterworth on positions and sign-continuous quaternions.

    A motion sampled too slowly to hold anything above the cut-off is left as it is.
    """
    if motion.rate_hz < 2.5 * cutoff_hz or len(motion.time) < 12:
        return motion
    sos = butter(ORDER, cutoff_hz, fs=motion.rate_hz, output="sos")
    pad = min(len(motion.time) - 2, int(motion.rate_hz / cutoff_hz * 3))
    positions = sosfiltfilt(sos, motion.position_world, axis=0, padlen=pad)
    quaternions = sosfiltfilt(sos, motion.quaternion_world, axis=0, padlen=pad)
    return Motion(
        motion.skeleton, motion.time, np.asarray(positions), rotations.normalise(np.asarray(quaternions))
    )
