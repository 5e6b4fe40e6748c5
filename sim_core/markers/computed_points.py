"""Points of a file that are no markers: the capture software computed them from markers.

Gait models write the axes of every segment as four points, its origin and one point along each axis, and the
centre of mass. They carry no label list that could be looked up, but axes are perpendicular in every frame.
"""

from __future__ import annotations

import re

import numpy as np

from ..base.conventions import FloatArray
from .marker_take import MarkerTake

AXES = "OALP"
"""Last letters of a segment's origin and of its anterior, lateral and proximal axes."""
PERPENDICULAR = 0.02
"""Largest cosine between axes."""
LEAST_NAMED = 8
"""Fewer names are not those of a body's markers."""
CENTRE_OF_MASS = re.compile(r"^(whole.?body)?(com|cent(re|er).?of.?(mass|gravity))", re.IGNORECASE)


def marker_labels(take: MarkerTake) -> tuple[str, ...]:
    """Return the labels of points that the file names and that were not computed from others.

    Where it names too few for a body, points that are seen most of the time are its markers, too: others are
    reflections, and pieces of paths.
    """
    named = [label for label, labelled in zip(take.labels, take.labelled, strict=True) if labelled]
    stems = {label[:-1] for label in named if label[-1:] == AXES[0]}
    axes = {
        f"{stem}{letter}"
        for stem in stems
        if all(f"{stem}{letter}" in named for letter in AXES) and _are_axes(take, stem)
        for letter in AXES
    }
    markers = tuple(label for label in named if label not in axes and not CENTRE_OF_MASS.match(label))
    if len(markers) >= LEAST_NAMED:
        return markers
    lasting = take.seen.mean(axis=0) > 0.5
    others = [
        label
        for label, known, lasts in zip(take.labels, take.labelled, lasting, strict=True)
        if lasts and not known
    ]
    return (*markers, *others)


def _are_axes(take: MarkerTake, stem: str) -> bool:
    """Return whether four points span perpendicular axes in all frames."""
    origin, *tips = (take.position_world[:, take.index(f"{stem}{letter}")] for letter in AXES)
    along: FloatArray = np.stack([tip - origin for tip in tips], axis=1)
    along = along[np.isfinite(along).all(axis=(1, 2))]
    length = np.linalg.norm(along, axis=2, keepdims=True)
    if not len(along) or length.min() == 0.0:
        return False
    unit = along / length
    return bool(np.abs(unit @ unit.swapaxes(1, 2) - np.eye(3)).max() < PERPENDICULAR)
