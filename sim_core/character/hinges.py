"""Detection of joints that bend about one axis only.

In capture skeletons knees and elbows have one axis, often an oblique one, so the axis is measured in the
motion: it is the principal direction of the joint's rotation vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import Y_LEFT, FloatArray
from .spec import Joint

MIN_BEND = np.radians(10.0)
"""Range of bending below which the axis cannot be measured, and the anatomical one is used [rad]."""
MAX_OFF_AXIS = np.radians(2.5)
"""Rotation off the axis (95th percentile) above which a joint is a ball joint [rad]."""
MAX_OBLIQUE = np.radians(45.0)
"""Angle from the anatomical axis above which an axis is not that of a knee or elbow [rad]."""


@dataclass(frozen=True, eq=False)
class HingeFit:
    """A hinge with rotations centre * rotation(axis, angle); off_axis: 95th percentile of the rest [rad]."""

    centre: FloatArray
    axis: FloatArray
    off_axis: float


def fit_hinge(relative: FloatArray) -> HingeFit:
    """Fit a single axis to parent-to-segment rotations (T, 4)."""
    middle = relative[len(relative) // 2]
    vectors = rotations.to_vector(rotations.relative(middle, relative))
    offset = np.median(vectors, axis=0)
    middle = rotations.multiply(middle, rotations.from_vector(offset))
    vectors = rotations.to_vector(rotations.relative(middle, relative))
    axis = np.linalg.svd(vectors, full_matrices=False)[2][0]
    if np.ptp(vectors @ axis) < MIN_BEND:
        axis = Y_LEFT
    axis = axis * np.sign(axis @ Y_LEFT or 1.0)
    # Angle zero is the straight limb, so the bend of the middle pose about the axis is removed.
    centre = rotations.multiply(middle, rotations.from_vector(-axis * twist(middle, axis)))
    angles = twist(rotations.relative(centre, relative), axis)
    fitted = rotations.multiply(centre, rotations.from_vector(angles[:, None] * axis))
    return HingeFit(centre, axis, float(np.quantile(rotations.angle_between(fitted, relative), 0.95)))


def twist(q: FloatArray, axis: FloatArray) -> FloatArray:
    """Return the angle of q about an axis [rad], in (-pi, pi]."""
    angle = 2.0 * np.arctan2(q[..., 1:] @ axis, q[..., 0])
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)


def fit_hinge_joint(hinge: Joint, relative: FloatArray) -> Joint | None:
    """Return the hinge with the axis of the motion, or None if the joint does not move like a hinge."""
    fit = fit_hinge(relative)
    oblique = float(np.arccos(np.clip(fit.axis @ Y_LEFT, -1.0, 1.0)))
    if fit.off_axis > MAX_OFF_AXIS or oblique > MAX_OBLIQUE:
        return None
    return replace(hinge, axis=fit.axis, centre=fit.centre)
