"""Motions: the world pose of every bone of a skeleton at each sample; resampling and low-pass filtering."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import make_interp_spline

from ..base import rotations
from ..base.butterworth import zero_phase
from ..base.conventions import IDENTITY_QUATERNION, FloatArray, freeze, frozen
from ..base.errors import InputError
from .skeleton import FARTHEST_M, Skeleton

MIN_SAMPLES = 2
LEAST_LENGTH = 1e-9
"""A quaternion that is not longer is none."""
CONTROL_DT = 0.01
"""Interval of the controller and of the samples in result files [s]."""
CUTOFF_HZ = 8.0
"""Cut-off of the low-pass: joints move slower, and what is faster becomes noise in the forces [Hz]."""
FILTER_ORDER = 2


@dataclass(frozen=True, eq=False)
class Motion:
    """World poses of N bones at T samples.

    time (T): strictly increasing, from any start [s]
    position_world (T, N, 3): bone heads [m]
    quaternion_world (T, N, 4): bone axes, sign-continuous over time
    """

    skeleton: Skeleton
    time: FloatArray
    position_world: FloatArray
    quaternion_world: FloatArray

    def __post_init__(self) -> None:
        samples, bones = len(self.time), len(self.skeleton.names)
        if samples < MIN_SAMPLES:
            raise InputError(
                f"The motion has {samples} frame(s), but at least {MIN_SAMPLES} are needed; "
                "widen the frame range."
            )
        if np.shape(self.position_world) != (samples, bones, 3):
            raise InputError("The motion's positions do not fit its frames and bones.")
        if np.shape(self.quaternion_world) != (samples, bones, 4):
            raise InputError("The motion's rotations do not fit its frames and bones.")
        freeze(self, "time", "position_world")
        self._refuse_broken_samples()
        quaternions = rotations.continuous(rotations.normalise(np.asarray(self.quaternion_world)))
        object.__setattr__(self, "quaternion_world", frozen(quaternions))

    def _refuse_broken_samples(self) -> None:
        if not np.all(np.diff(self.time) > 0.0):
            raise InputError("The motion's times do not increase; check the frame rate.")
        far, lengths = np.abs(self.position_world), rotations.length(self.quaternion_world)
        if far.max() < FARTHEST_M and lengths.min() > LEAST_LENGTH and lengths.max() < np.inf:
            return  # no infinity and no NaN either
        good = (far < FARTHEST_M).all(axis=-1) & np.isfinite(lengths) & (lengths > LEAST_LENGTH)
        sample, bone = np.argwhere(~good)[0]
        raise InputError(
            f"Bone '{self.skeleton.names[bone]}' has no valid pose at {self.time[sample]:.3f} s; "
            "look for NaN, huge or zero-scale keys there."
        )

    @property
    def duration(self) -> float:
        """Return the time from the first to the last sample [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def rate_hz(self) -> float:
        """Return the mean number of samples per second [Hz]."""
        return (len(self.time) - 1) / self.duration

    def between(self, start_s: float, end_s: float) -> Motion:
        """Return the samples between two times, which count from the first sample; `time` is kept."""
        elapsed = self.time - self.time[0]
        keep = (elapsed >= start_s - 1e-9) & (elapsed <= end_s + 1e-9)
        if keep.sum() < MIN_SAMPLES:
            raise InputError(
                f"Nothing lies between {start_s:g} s and {end_s:g} s; the motion lasts "
                f"{self.duration:.2f} s, so choose a time within it."
            )
        return Motion(self.skeleton, self.time[keep], self.position_world[keep], self.quaternion_world[keep])

    def first(self, samples: int) -> Motion:
        """Return the first samples."""
        part = slice(0, samples)
        return Motion(self.skeleton, self.time[part], self.position_world[part], self.quaternion_world[part])

    def at(self, time: FloatArray) -> Motion:
        """Return the motion at other times, by cubic interpolation of positions and quaternions."""
        if _are_equal(time, self.time):
            return self
        positions = interpolated(self.time, self.position_world, time)
        quaternions = interpolated(self.time, self.quaternion_world, time)
        return Motion(self.skeleton, time, positions, rotations.normalise(quaternions))

    def moved(self, offset: FloatArray, rotation: FloatArray = IDENTITY_QUATERNION) -> Motion:
        """Return the motion rotated (4) about the world's origin, and then moved by an offset (3) [m]."""
        return Motion(
            self.skeleton,
            self.time,
            rotations.rotate(rotation, self.position_world) + offset,
            rotations.multiply(rotation, self.quaternion_world),
        )

    def scaled(self, factor: float) -> Motion:
        """Return the motion of a body that is larger by a factor."""
        if factor == 1.0:
            return self
        skeleton = replace(self.skeleton, rest_position_world=self.skeleton.rest_position_world * factor)
        return Motion(skeleton, self.time, self.position_world * factor, self.quaternion_world)


def interpolated(time: FloatArray, values: FloatArray, other_time: FloatArray) -> FloatArray:
    """Return values (T, ...) at other times, by cubic interpolation; they stay beyond the first and last."""
    if _are_equal(other_time, time):
        return values
    spline = make_interp_spline(time, values, k=min(3, len(time) - 1))
    return np.asarray(spline(np.clip(other_time, time[0], time[-1])))


def _are_equal(time: FloatArray, other_time: FloatArray) -> bool:
    return len(time) == len(other_time) and np.allclose(time, other_time, rtol=0.0, atol=1e-9)


def control_times(motion: Motion) -> FloatArray:
    """Return the times of samples every CONTROL_DT from the motion's first one on [s]."""
    samples = int(motion.duration / CONTROL_DT + 1e-6) + 1
    return np.asarray(motion.time[0] + np.arange(max(samples, 2)) * CONTROL_DT)


def on_control_grid(motion: Motion) -> Motion:
    """Return the motion sampled every CONTROL_DT from its first sample on."""
    return motion.at(control_times(motion))


def low_pass(motion: Motion, cutoff_hz: float = CUTOFF_HZ) -> Motion:
    """Return the motion without measurement noise: its positions and quaternions are low-pass filtered."""
    positions = low_pass_values(motion.position_world, motion.rate_hz, cutoff_hz)
    quaternions = low_pass_values(motion.quaternion_world, motion.rate_hz, cutoff_hz)
    return Motion(motion.skeleton, motion.time, positions, rotations.normalise(quaternions))


def low_pass_values(values: FloatArray, rate_hz: float, cutoff_hz: float = CUTOFF_HZ) -> FloatArray:
    """Filter values (T, ...) by a zero-phase Butterworth low-pass.

    Values whose rate is too low to hold anything above the cut-off are returned as they are.
    """
    if rate_hz < 2.5 * cutoff_hz or len(values) < 12:
        return values
    pad = min(len(values) - 2, int(rate_hz / cutoff_hz * 3))
    return zero_phase(values, rate_hz, cutoff_hz, FILTER_ORDER, "lowpass", pad)
