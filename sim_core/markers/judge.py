"""Whether a fit can be that of a person: what looks wrong is said first, and nonsense is refused.

A small marker error alone proves nothing, because few markers are always explained well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..posefit.fit_body import EngineBody
from ..posefit.points import point_positions
from .facing import forward_shares
from .initial_pose import MIN_MARKERS, similarity
from .label_meaning import read_label
from .marker_fit import MarkerFit
from .marker_sets import MIRROR
from .recognise_set import are_keypoints
from .template import place_markers

HEIGHTS = (1.0, 2.3)
"""Heights of most people that are captured, from children to basketball players [m]."""
POSSIBLE_HEIGHTS = (0.4, 4.0)
"""Heights beyond which a fit is refused [m]."""
SHARE, LEAST_SHARE = 0.9, 0.5
"""Shares of the named markers below which a fit is doubted, and refused."""
RMS_M, MOST_RMS_M = 0.015, 0.05
"""Marker errors above which a fit is doubted, and refused [m]. Good fits have 0.5 cm."""
KEYPOINT_RMS_M, MOST_KEYPOINT_RMS_M = 0.05, 0.10
"""The same for keypoints from video, which jitter by 2 to 5 cm [m]."""
LENGTHS, POSSIBLE_LENGTHS = (0.75, 1.33), (0.5, 2.0)
"""Lengths of parts relative to an average body of the same height. Their standard deviation is 8 %."""
FLOOR = (-0.3, 0.5)
"""Heights of the ankles in their lowest frames, above the file's floor [m]."""
MIRRORED = 0.6
"""A body with left and right exchanged that leaves less than this share of the distance is the right one."""
BACKWARDS = 0.3
"""Keypoints of which a smaller share of toes, faces and knees is in front have left and right exchanged."""
BENT, BEYOND_RAD = 0.25, np.radians(5.0)
"""Share of the frames in which a knee may be this far beyond its range [rad]."""


@dataclass(frozen=True)
class Judgement:
    """What looks wrong about a fit, and what cannot be; sentences that say what to check."""

    doubts: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences, the worst first."""
        return (*self.errors, *self.doubts)

    def refuse(self, name: str) -> None:
        """Raise InputError if the fit of a file cannot be right."""
        if self.errors:
            raise InputError(
                f"The markers of '{name}' were not understood. {' '.join(self.errors)} "
                "heft fit --anyway writes the fit all the same."
            )


def judge(fit: MarkerFit, by_hand: bool = True) -> Judgement:
    """Return what is implausible; by_hand: the user chose markers or body, whose choice is not refused."""
    doubts: list[str] = []
    errors: list[str] = []
    engine = EngineBody(fit.subject.calibration.rig.body)
    for wrong, text in (*_size(fit), *_markers(fit, engine, by_hand), *_pose(fit, engine)):
        (errors if wrong else doubts).append(text)
    return Judgement(tuple(doubts), tuple(errors))


def _outside(value: float, limits: tuple[float, float]) -> bool:
    return not limits[0] <= value <= limits[1]


def _size(fit: MarkerFit) -> Iterator[tuple[bool, str]]:
    """Yield what is wrong with height and proportions, and whether it is impossible."""
    height = fit.subject.height
    if _outside(height, HEIGHTS):
        text = f"The body is {height:.2f} m tall; check the unit and which markers belong to the person."
        yield _outside(height, POSSIBLE_HEIGHTS), text
    for name, ratio in fit.subject.calibration.length_ratio.items():
        if _outside(ratio, LENGTHS):
            text = f"The {name} is {ratio:.2f} times that of an average body; check the markers beside it."
            yield _outside(ratio, POSSIBLE_LENGTHS), text


def _markers(fit: MarkerFit, engine: EngineBody, by_hand: bool) -> Iterator[tuple[bool, str]]:
    """Yield what is wrong with the share of markers used, their errors, and left and right."""
    share = len(fit.used_labels) / max(1, len(fit.offered))
    if share < SHARE:
        text = f"Only {len(fit.used_labels)} of {len(fit.offered)} markers were used; check the marker set."
        yield share < LEAST_SHARE and not by_hand, text
    distance = fit.distance[np.isfinite(fit.distance)]
    rms = float(np.sqrt(np.mean(distance**2))) if len(distance) else np.inf
    doubted, refused = (
        (KEYPOINT_RMS_M, MOST_KEYPOINT_RMS_M) if are_keypoints(fit.labels) else (RMS_M, MOST_RMS_M)
    )
    if rms > doubted:
        text = f"Markers are {100.0 * rms:.1f} cm (RMS) from the body; check the marker set and the unit."
        yield rms > refused and not by_hand, text
    forward = forward_shares(fit.labels, fit.measured) if are_keypoints(fit.labels) else ()
    backwards = bool(forward) and float(np.mean(forward)) < BACKWARDS
    if backwards or _is_mirrored(fit, engine):
        text = "Left and right seem to be exchanged; check the labels, or the direction of the file's axes."
        yield backwards and not by_hand, text


def _pose(fit: MarkerFit, engine: EngineBody) -> Iterator[tuple[bool, str]]:
    """Yield what is wrong with the direction of up, the height of the feet, and the knees."""
    rig = fit.subject.calibration.rig
    position, _ = engine.poses(fit.qpos)
    feet = [link for side in "LR" if (link := rig.link(f"foot.{side}")) is not None]
    hips, trunk = rig.link("hips"), rig.link("chest")
    if not feet or hips is None or trunk is None:
        return
    ankles: FloatArray = position[:, feet, 2].min(axis=1)
    if (position[:, hips, 2] < ankles).mean() > 0.5 and (
        position[:, trunk, 2] < position[:, hips, 2]
    ).mean() > 0.5:
        yield True, "The body is upside down; check the file's up axis."
        return
    lowest = float(np.quantile(ankles, 0.05)) - 0.04 * fit.subject.height
    if _outside(lowest, FLOOR):
        yield (
            False,
            f"The feet come down to a height of {lowest:.2f} m, not to the floor; check the file's origin.",
        )
    for side, name in (("L", "left"), ("R", "right")):
        shin = rig.link(f"shin.{side}")
        if shin is not None and _share_bent_back(fit, engine, shin) > BENT:
            yield False, f"The {name} knee is stretched to its limit most of the time; check its markers."


def _share_bent_back(fit: MarkerFit, engine: EngineBody, shin: int) -> float:
    """Return the share of frames in which a knee is beyond its range."""
    model = engine.model
    joint = int(model.body_jntadr[engine.body[shin]])
    angle = fit.qpos[:, model.jnt_qposadr[joint]]
    low, high = model.jnt_range[joint]
    return float(((angle < low - BEYOND_RAD) | (angle > high + BEYOND_RAD)).mean())


def _is_mirrored(fit: MarkerFit, engine: EngineBody) -> bool:
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
    if len(still) < MIN_MARKERS:
        return False
    frames = fit.measured[:: max(1, len(fit.measured) // 20), still]
    frames = frames[np.isfinite(frames).all(axis=(1, 2))]
    # A reflected body is the same as one with left and right exchanged.
    left = [
        np.mean([_left_over(points, frame) for frame in frames])
        for points in (own[still], own[still] * MIRROR)
    ]
    return bool(len(frames)) and left[1] < MIRRORED * left[0]


def _is_landmark(label: str) -> bool:
    """Return whether a label tells where a marker is, so that its place does not come from a fit."""
    landmark = read_label(label)
    return landmark is not None and not landmark.loose


def _is_still(slot: str) -> bool:
    return slot.split(".")[0] in ("hips", "spine", "clavicle", "thigh")


def _left_over(points: FloatArray, frame: FloatArray) -> float:
    turn, shift, scale = similarity(points, frame)
    return float(np.sqrt(((frame - scale * points @ turn.T - shift) ** 2).sum(axis=1).mean()))
