"""Whether left and right of a fitted body can be right: mirrored labels or axes, and exchanged limbs.

A body explains markers of exchanged legs to half a centimetre by crossing them, so the distance of markers
from it tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.conventions import FloatArray
from ..posefit.fit_body import EngineBody
from ..posefit.points import point_positions
from .initial_pose import MIN_MARKERS, similarity
from .label_meaning import read_label
from .marker_fit import MarkerFit
from .marker_sets import MIRROR
from .template import place_markers

MIRRORED = 0.6
"""A body with left and right exchanged that leaves less than this share of the distance is the right one.
Files that are named rightly have 1.3 and more, mirrored ones below 0.5, and joint centres, which lie nearly
in a plane, 1.0."""
PAIRS = (
    ("shoulder", "upper_arm", "thigh"),
    ("elbow", "forearm", "upper_arm"),
    ("knee", "shin", "thigh"),
)
"""Names of joints, the parts that begin there, and the parts whose joints say where left is."""
CROSSED = 0.5
"""A left joint is exchanged if it is this far to the right of the right one, relative to the distance between
the joints that say where left is. Folded arms stay below."""
HANGING = 0.7
"""Cosine of the largest angle of a thigh from the vertical in standing; who sits may cross the legs."""


def is_mirrored(fit: MarkerFit, engine: EngineBody) -> bool:
    """Return whether a body with left and right exchanged is nearer to the markers in most frames."""
    rig = fit.subject.calibration.rig
    # Calibration has moved markers to where a wrong body has them, so their expected positions are compared.
    expected = place_markers(rig, fit.subject.table, fit.labels, fit.subject.height).attachments
    own = point_positions(engine, expected, engine.neutral[None])[0]
    still = [
        i
        for i, label in enumerate(fit.labels)
        if _is_still(rig.slot[int(expected.link[i])]) and _is_landmark(label)
    ]
    frames = fit.measured[:: max(1, len(fit.measured) // 20), still]
    left_over = np.array(
        [
            [_left_over(points[seen], frame[seen]) for points in (own[still], own[still] * MIRROR)]
            for frame in frames
            if (seen := np.isfinite(frame).all(axis=1)).sum() >= MIN_MARKERS
        ]
    )
    # A reflected body is the same as one with left and right exchanged.
    return bool(len(left_over)) and bool(left_over[:, 1].mean() < MIRRORED * left_over[:, 0].mean())


def crossed_joints(fit: MarkerFit, engine: EngineBody) -> Iterator[tuple[str, float]]:
    """Yield joints whose left one is far to the right of the right one, and the share of frames."""
    rig = fit.subject.calibration.rig
    position, _ = engine.poses(fit.qpos)

    def across(part: str) -> FloatArray | None:
        links = [rig.link(f"{part}.{side}") for side in "LR"]
        if links[0] is None or links[1] is None:
            return None
        return np.asarray(position[:, links[0]] - position[:, links[1]])

    for joint, part, above in PAIRS:
        own, left = across(part), across(above)
        if own is None or left is None:
            continue
        share = np.einsum("ti,ti->t", own, left) / np.maximum(np.einsum("ti,ti->t", left, left), 1e-9)
        crossed = share < -CROSSED
        for side in "LR" if part == "shin" else "":
            thigh = position[:, rig.link(f"{above}.{side}")] - position[:, rig.link(f"{part}.{side}")]
            crossed &= thigh[:, 2] > HANGING * np.linalg.norm(thigh, axis=1)
        yield joint, float(crossed.mean())


def _is_landmark(label: str) -> bool:
    """Return whether a label tells where a marker is, so that its place does not come from a fit."""
    landmark = read_label(label)
    return landmark is not None and not landmark.loose


def _is_still(slot: str) -> bool:
    return slot.split(".")[0] in ("hips", "spine", "clavicle", "thigh")


def _left_over(points: FloatArray, frame: FloatArray) -> float:
    turn, shift, scale = similarity(points, frame)
    return float(np.sqrt(((frame - scale * points @ turn.T - shift) ** 2).sum(axis=1).mean()))
