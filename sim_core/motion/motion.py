"""A motion: where every bone of a skeleton is in the world at each sample."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import make_interp_spline

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray, frozen
from ..base.errors import InputError
from .skeleton import Skeleton

MIN_SAMPLES = 2


CONTROL_DT = 0.01
"""The controller's interval [s]; samples of the result file lie this far apart."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Evaluated bone poses over time.

    time (T): seconds, strictly increasing, starting anywhere
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
        object.__setattr__(self, "time", frozen(self.time))
        object.__setattr__(self, "position_world", frozen(self.position_world))
        self._refuse_broken_samples()
        quaternions = rotations.continuous(rotations.normalise(np.asarray(self.quaternion_world)))
        object.__setattr__(self, "quaternion_world", frozen(quaternions))

    def _refuse_broken_samples(self) -> None:
        if not np.all(np.diff(self.time) > 0.0):
            raise InputError("The motion's times do not increase; check the frame rate.")
        lengths = np.linalg.norm(self.quaternion_world, axis=-1)
        good = np.isfinite(self.position_world).all(axis=-1) & np.isfinite(lengths) & (lengths > 1e-9)
        if not good.all():
            sample, bone = np.argwhere(~good)[0]
            raise InputError(
                f"Bone '{self.skeleton.names[bone]}' has no valid pose at {self.time[sample]:.3f} s; "
                "look for NaN or zero-scale keys there."
            )

    @property
    def duration(self) -> float:
        return float(self.time[-1] - self.time[0])

    @property
    def rate_hz(self) -> float:
        return (len(self.time) - 1) / self.duration

    def between(self, start_s: float, end_s: float) -> Motion:
        """The samples from start to end, counted from the first sample; time is kept."""
        elapsed = self.time - self.time[0]
        keep = (elapsed >= start_s - 1e-9) & (elapsed <= end_s + 1e-9)
        if keep.sum() < MIN_SAMPLES:
            raise InputError(
                f"Nothing lies between {start_s:g} s and {end_s:g} s; the motion lasts {self.duration:.2f} s."
            )
        return Motion(self.skeleton, self.time[keep], self.position_world[keep], self.quaternion_world[keep])

    def first(self, samples: int) -> Motion:
        """The first samples."""
        part = slice(0, samples)
        return Motion(self.skeleton, self.time[part], self.position_world[part], self.quaternion_world[part])

    def at(self, time: FloatArray) -> Motion:
        """The motion at other times, by cubic interpolation of positions and quaternions."""
        degree = min(3, len(self.time) - 1)
        if len(time) == len(self.time) and np.allclose(time, self.time, rtol=0.0, atol=1e-9):
            return self
        clamped = np.clip(time, self.time[0], self.time[-1])
        positions = make_interp_spline(self.time, self.position_world, k=degree)(clamped)
        quaternions = make_interp_spline(self.time, self.quaternion_world, k=degree)(clamped)
        return Motion(self.skeleton, time, positions, rotations.normalise(quaternions))

    def moved(self, offset: FloatArray, turn: FloatArray = IDENTITY_QUATERNION) -> Motion:
        """The same motion elsewhere: turned (4) about the world's origin, then moved (3) [m]."""
        return Motion(
            self.skeleton,
            self.time,
            rotations.rotate(turn, self.position_world) + offset,
            rotations.multiply(turn, self.quaternion_world),
        )

    def scaled(self, factor: float) -> Motion:
        """The same motion of a body `factor` times as large."""
        if factor == 1.0:
            return self
        skeleton = replace(self.skeleton, rest_position_world=self.skeleton.rest_position_world * factor)
        return Motion(skeleton, self.time, self.position_world * factor, self.quaternion_world)


def on_control_grid(motion: Motion) -> Motion:
    """The motion at the control rate, from its first sample on."""
    samples = int(motion.duration / CONTROL_DT + 1e-6) + 1
    return motion.at(motion.time[0] + np.arange(max(samples, 2)) * CONTROL_DT)
