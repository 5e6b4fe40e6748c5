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
from .facing import forward_shares
from .faults import FAR
from .fitted_sides import crossed_joints, is_mirrored
from .marker_fit import MarkerFit
from .propose import PROPOSED
from .recognise_set import are_keypoints

HEIGHTS = (1.0, 2.3)
"""Heights of most people that are captured, from children to basketball players [m]."""
GUESSED_HEIGHTS = (1.3, 2.3)
"""Heights of bodies that are believed where no label says what a marker is: smaller ones may be legs of an
adult, or no person [m]."""
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
BACKWARDS = 0.3
"""Keypoints of which a smaller share of toes, faces and knees is in front have left and right exchanged."""
CROSSED_SHARE, MOST_CROSSED_SHARE = 0.1, 0.5
"""Shares of the frames with a left joint right of the right one above which a fit is doubted, and refused."""
NAMED = 5
"""Most markers that a sentence lists."""
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
    found = (
        *_size(fit, by_hand),
        *_markers(fit, by_hand),
        *_sides(fit, engine, by_hand),
        *_pose(fit, engine),
    )
    for wrong, text in found:
        (errors if wrong else doubts).append(text)
    return Judgement(tuple(doubts), tuple(errors))


def _outside(value: float, limits: tuple[float, float]) -> bool:
    return not limits[0] <= value <= limits[1]


def _size(fit: MarkerFit, by_hand: bool) -> Iterator[tuple[bool, str]]:
    """Yield what is wrong with height and proportions, and whether it is impossible."""
    height = fit.subject.height
    if fit.subject.table.name == PROPOSED and not by_hand and _outside(height, GUESSED_HEIGHTS):
        yield (
            True,
            f"The body is {height:.2f} m tall, and no label says what the markers are on: they may be on "
            "legs alone, or on no person. Assign them in the table.",
        )
    elif _outside(height, HEIGHTS):
        text = f"The body is {height:.2f} m tall; check the unit and which markers belong to the person."
        yield _outside(height, POSSIBLE_HEIGHTS), text
    for name, ratio in fit.subject.calibration.length_ratio.items():
        if _outside(ratio, LENGTHS):
            text = f"The {name} is {ratio:.2f} times that of an average body; check the markers beside it."
            yield _outside(ratio, POSSIBLE_LENGTHS), text


def _markers(fit: MarkerFit, by_hand: bool) -> Iterator[tuple[bool, str]]:
    """Yield what is wrong with the share of markers used, and with their errors."""
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
    misplaced = _misplaced(fit, FAR * doubted / RMS_M)
    if misplaced:
        shown = ", ".join(f"'{label}' ({100.0 * away:.0f} cm)" for label, away in misplaced[:NAMED])
        more = ", ..." if len(misplaced) > NAMED else ""
        yield (
            False,
            f"Markers that are mostly far from their place on the body: {shown}{more}; check their labels.",
        )


def _misplaced(fit: MarkerFit, limit: float) -> list[tuple[str, float]]:
    """Return markers whose usual distance from their place is above a limit, and that distance [m]."""
    position = np.where(np.isfinite(fit.used), fit.used, fit.measured)
    distance = np.linalg.norm(position - fit.model, axis=2)
    away = [np.median(own[np.isfinite(own)]) if np.isfinite(own).any() else 0.0 for own in distance.T]
    far = sorted(((float(own), label) for label, own in zip(fit.labels, away, strict=True)), reverse=True)
    return [(label, own) for own, label in far if own > limit]


def _sides(fit: MarkerFit, engine: EngineBody, by_hand: bool) -> Iterator[tuple[bool, str]]:
    """Yield what is wrong with left and right."""
    forward = forward_shares(fit.labels, fit.measured) if are_keypoints(fit.labels) else ()
    if (forward and float(np.mean(forward)) < BACKWARDS) or is_mirrored(fit, engine):
        text = "Left and right seem to be exchanged; check the labels, or the direction of the file's axes."
        yield not by_hand, text
    for joint, share in crossed_joints(fit, engine):
        if share > CROSSED_SHARE:
            text = (
                f"The left {joint} is to the right of the right one in {share:.0%} of the frames; left and "
                "right of its markers seem to be exchanged, check their labels."
            )
            yield share > MOST_CROSSED_SHARE and not by_hand, text


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
