"""Hip joints predicted from the markers at the front and back of the pelvis, by a regression.

In a walk thighs turn too little, and their skin moves too much, to determine the hip joints well, so gait
laboratories predict them from the pelvis. The regression is that of Harrington et al. 2007, from magnetic
resonance images of 32 people. Compared with other images its error was 1.2 cm; that of Davis et al. 1991,
which Plug-in Gait uses, was 2.5 cm (Mantovani et al. 2016).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..posefit.fit_rig import RigBody
from .marker_sets import MIRROR, SIGMA_M
from .template import NominalMarkers

MARKER_HEIGHT = 0.009
"""Distance of the centre of a 14 mm marker on a base of 2 mm from the skin [m]. It is only subtracted
backwards, as in the Conventional Gait Model 2.1."""
SIGMA = 0.014
"""Standard deviation of each pelvis marker from its predicted position [m]. The mean of four then has an
error of 0.7 cm, and their rotation moves a hip 10 cm below by as much: together 1 cm along each axis.
Predictions have an error of 0.7 cm along each axis (1.2 cm in all), and the thickness of the skin before the
bone varies by 0.7 cm (Mantovani et al. 2016)."""
TRUSTED = (0.6, 1.6)
"""Range of width and depth relative to an average pelvis; others belong to markers that sit elsewhere."""
NEAR_MIDDLE = 0.01
"""Largest distance of the back markers' mean from the middle [m]; a single one of a pair is not used."""


@dataclass(frozen=True)
class PelvisMarkers:
    """Columns of the markers over bones of the pelvis: left and right in front, one or more behind."""

    left: int
    right: int
    back: tuple[int, ...]


def predicted_hip(width: float, depth: float) -> FloatArray:
    """Return the left hip (3) [m]: forward, left and up from the middle of the front markers.

    Up is perpendicular to the plane of the front and back markers.
    width [m]: between the front markers; depth [m]: from their middle to the middle of the back ones
    """
    # Harrington et al. 2007, the regressions with one predictor for each axis; in mm there.
    return np.array([-0.24 * depth - 0.0099 - MARKER_HEIGHT, 0.33 * width + 0.0073, -0.30 * width - 0.0109])


def with_predicted_hips(
    rig: RigBody, nominal: NominalMarkers, position: FloatArray
) -> tuple[RigBody, NominalMarkers]:
    """Return hips and pelvis markers where the regression puts them for markers at (T, M, 3).

    Both are returned unchanged if the set has no such markers, or if they are not seen together.
    """
    seen: BoolArray = np.asarray(np.isfinite(position).all(axis=2).any(axis=0))
    markers = find_pelvis(rig, nominal, seen)
    if markers is None:
        return rig, nominal
    average, measured = _size(nominal.offset[None], markers), _size(position, markers)
    share = measured / average
    if not ((share > TRUSTED[0]) & (share < TRUSTED[1])).all():  # also where one is NaN
        return rig, nominal
    width, depth = measured
    hip = predicted_hip(width, depth)
    front = nominal.offset[[markers.left, markers.right]].mean(axis=0)
    forward = _unit(front - nominal.offset[list(markers.back)].mean(axis=0))
    left = np.array([0.0, 1.0, 0.0])
    middle = -hip[0] * forward - hip[2] * np.cross(forward, left)
    offset, sigma = np.array(nominal.offset), np.array(nominal.sigma)
    offset[markers.left], offset[markers.right] = middle + 0.5 * width * left, middle - 0.5 * width * left
    for i in markers.back:
        offset[i] = middle - depth * forward + share[0] * nominal.offset[i, 1] * left
    sigma[[markers.left, markers.right, *markers.back]] = SIGMA
    anchors = np.array(rig.body.anchors)
    for slot, side in (("thigh.L", np.ones(3)), ("thigh.R", MIRROR)):
        anchors[rig.carrier(slot)] = side * [0.0, hip[1], 0.0]
    return rig.with_anchors(anchors), replace(nominal, offset=offset, sigma=sigma)


def find_pelvis(rig: RigBody, nominal: NominalMarkers, seen: BoolArray) -> PelvisMarkers | None:
    """Return the markers over the spines of the hip bones among those that are seen (M).

    None if not all are
    """
    over_bone = (nominal.link == rig.link("hips")) & (nominal.sigma <= SIGMA_M["bone"]) & seen
    forward, left = nominal.offset[:, 0], nominal.offset[:, 1]
    front = sorted(np.flatnonzero(over_bone & (forward > 0.0)).tolist(), key=lambda i: float(left[i]))
    back = np.flatnonzero(over_bone & (forward < 0.0)).tolist()
    if len(front) != 2 or not back or not left[front[0]] < 0.0 < left[front[1]]:
        return None
    if abs(left[back].mean()) > NEAR_MIDDLE:
        return None
    return PelvisMarkers(front[1], front[0], tuple(back))


def _size(position: FloatArray, markers: PelvisMarkers) -> FloatArray:
    """Return width and depth (2) [m] of markers at (T, M, 3), medians over frames that show all of them."""
    left, right = position[:, markers.left], position[:, markers.right]
    back = position[:, list(markers.back)].mean(axis=1)
    apart = np.stack([left - right, 0.5 * (left + right) - back], axis=1)
    size = np.linalg.norm(apart, axis=2)
    size = size[np.isfinite(size).all(axis=1)]
    return np.median(size, axis=0) if len(size) else np.full(2, np.nan)


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector))
