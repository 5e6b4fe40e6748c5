"""Finding joints that bend about one axis only.

Capture skeletons keep knees and elbows to one axis, often an oblique one, so the axis is read
from the motion: the principal direction of the joint's rotation vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import Y_LEFT, FloatArray
from .spec import Joint

MIN_BEND = np.radians(10.0)
"""Below this the motion says nothing about the axis, and the anatomical one is taken [rad]."""
MAX_OFF_AXIS = np.radians(2.5)
"""A joint that leaves its axis by more than this (95th percentile) is a ball [rad]."""
MAX_OBLIQUE = np.radians(45.0)
"""A principal axis further from the anatomical one is no knee or elbow axis [rad]."""


@dataclass(frozen=True, eq=False)
class HingeFit:
    """relative rotation = centre * turn(axis, angle); off_axis: what remains, 95th percentile [rad]."""

    centre: FloatArray
    axis: FloatArray
    off_axis: float


def fit_hinge(relative: FloatArray) -> HingeFit:
    """The best single axis for parent-to-segment rotations (T, 4)."""
    middle = relative[len(relative) // 2]
    turns = rotations.to_vector(rotations.relative(middle, relative))
    offset = np.median(turns, axis=0)
    middle = rotations.multiply(middle, rotations.from_vector(offset))
    turns = rotations.to_vector(rotations.relative(middle, relative))
    axis = np.linalg.svd(turns, full_matrices=False)[2][0]
    if np.ptp(turns @ axis) < MIN_BEND:
        axis = Y_LEFT
    axis = axis * np.sign(axis @ Y_LEFT or 1.0)
    # Angle zero is the straight limb: take out the bend that the middle pose has about the axis.
    centre = rotations.multiply(middle, rotations.from_vector(-axis * twist(middle, axis)))
    angles = twist(rotations.relative(centre, relative), axis)
    fitted = rotations.multiply(centre, rotations.from_vector(angles[:, None] * axis))
    return HingeFit(centre, axis, float(np.quantile(rotations.angle_between(fitted, relative), 0.95)))


def twist(q: FloatArray, axis: FloatArray) -> FloatArray:
    """The angle of q about an axis [rad], in (-pi, pi]."""
    angle = 2.0 * np.arctan2(q[..., 1:] @ axis, q[..., 0])
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)


def as_hinge(hinge: Joint, relative: FloatArray) -> Joint | None:
    """The hinge turned to the motion's own axis, or None where the joint is no hinge."""
    fit = fit_hinge(relative)
    oblique = float(np.arccos(np.clip(fit.axis @ Y_LEFT, -1.0, 1.0)))
    if fit.off_axis > MAX_OFF_AXIS or oblique > MAX_OBLIQUE:
        return None
    return replace(hinge, axis=fit.axis, centre=fit.centre)
