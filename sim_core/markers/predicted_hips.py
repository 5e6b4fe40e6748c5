"""Hip joints from the markers at the front and back of the pelvis, by a regression from medical images.

In a walk thighs turn too little, and their skin moves too much, for hips to be seen well, so gait
laboratories predict them from the pelvis. The regression is that of Harrington et al. 2007, from magnetic
resonance images of 32 people. Against other images it was off by 1.2 cm, and that of Davis et al. 1991, which
Plug-in Gait uses, by 2.5 cm (Mantovani et al. 2016).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..posefit.fit_rig import RigBody
from .marker_sets import MIRROR, SIGMA_M
from .nominal import Nominal

MARKER_HEIGHT = 0.009
"""The middle of a marker of 14 mm on a base of 2 mm is this far before the skin [m]. It is taken off
backwards only, as in the Conventional Gait Model 2.1."""
SIGMA = 0.014
"""How far each pelvis marker may be from where the prediction puts it [m]. The mean of four may be off by
0.7 cm, and their turn moves a hip 10 cm below by as much: together 1 cm along each axis. Predictions are off
by 0.7 cm along each (1.2 cm in all), and skin before the bone is 0.7 cm thicker or thinner than usual
(Mantovani et al. 2016)."""
TRUSTED = (0.6, 1.6)
"""Widths and depths beyond these shares of an average pelvis are of markers that sit elsewhere."""
NEAR_MIDDLE = 0.01
"""How far to one side the middle of the back markers may be [m]: one of a pair does not tell the middle."""


@dataclass(frozen=True)
class PelvisMarkers:
    """Columns of the markers over bones of the pelvis: left and right in front, one or more behind."""

    left: int
    right: int
    back: tuple[int, ...]


def predicted_hip(width: float, depth: float) -> FloatArray:
    """The left hip (3) [m]: forward, left and up from the middle of the front markers, up being at right
    angles to the plane of front and back.

    width [m]: between the front markers; depth [m]: from their middle to the middle of the back ones
    """
    # Harrington et al. 2007, the regressions with one predictor for each axis; in mm there.
    return np.array([-0.24 * depth - 0.0099 - MARKER_HEIGHT, 0.33 * width + 0.0073, -0.30 * width - 0.0109])


def with_predicted_hips(rig: RigBody, nominal: Nominal, position: FloatArray) -> tuple[RigBody, Nominal]:
    """Hips and pelvis markers where the regression puts them for markers seen at (T, M, 3).

    Both come back as they are where the set has no such markers, or they are not seen together.
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


def find_pelvis(rig: RigBody, nominal: Nominal, seen: BoolArray) -> PelvisMarkers | None:
    """Those over the spines of the hip bones, of markers that are seen (M): what else is on the pelvis is not
    found by touch."""
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
    """Width and depth (2) [m] of markers at (T, M, 3), medians over the frames that show all of them."""
    left, right = position[:, markers.left], position[:, markers.right]
    back = position[:, list(markers.back)].mean(axis=1)
    apart = np.stack([left - right, 0.5 * (left + right) - back], axis=1)
    size = np.linalg.norm(apart, axis=2)
    size = size[np.isfinite(size).all(axis=1)]
    return np.median(size, axis=0) if len(size) else np.full(2, np.nan)


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector))
