"""Parts of the body that rest: slow for long enough, at a height that stays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import binary_closing, binary_opening

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from .body_motion import THIGHS, BodyMotion, Part, PartKind

SPEED = {PartKind.SOLE: 0.25, PartKind.SEAT: 0.2, PartKind.HAND: 0.15}
"""Speed below which a part rests [m/s]."""
SECONDS = {PartKind.SOLE: 0.12, PartKind.SEAT: 0.6, PartKind.HAND: 0.6}
"""Shortest time for which a part rests [s]."""
CUT_OFF_S = 0.2
"""The same for hips where the clip begins or ends in their rest, which went on beyond it [s]."""
GAP_S = 0.06
"""Gaps in a rest that are shorter are noise [s]."""
LIFTED = 0.03
"""Height above the lowest points of a part from which a point does not carry [m]."""
SITTING_THIGH = np.radians(60.0)
"""Slope of the flatter thigh above which a body stands, however still its hips are [rad]."""
BUTTOCKS = 0.08
"""How far a body reaches behind the middle of its pelvis where it sits [m]."""
LYING_THIGH = 0.015
"""Height above or below a seat up to which thighs lie on it [m]."""
REACHES_UP = np.radians(20.0)
"""Slope of a forearm from which its hand hangs from what it rests at, and does not lie on it [rad]."""
FLAT_SOLE = np.radians(30.0)
"""Pitch of a sole from which a foot may hang as well as stand on its toes [rad]."""


@dataclass(frozen=True, eq=False)
class Rest:
    """A part that rests from one sample to another (past the last).

    points (N): indices of the support points that touch; level: height of what they rest on [m]
    outline (M, 2): horizontal positions of the matter that rests [m]; ahead (2): where the part points
    doubtful: it may as well hang or be held in the air, such as a foot whose toes point down
    """

    part: Part
    start: int
    end: int
    points: IntArray
    level: float
    outline: FloatArray
    ahead: FloatArray
    doubtful: bool = False

    @property
    def samples(self) -> IntArray:
        """Return its samples."""
        return np.arange(self.start, self.end)

    @property
    def centre(self) -> FloatArray:
        """Return the middle of what rests (2) [m]."""
        return np.asarray(self.outline.mean(axis=0))


def find_rests(body: BodyMotion) -> list[Rest]:
    """Return all rests of all parts, whatever they rest on."""
    found = []
    for part in body.parts:
        slow = body.speed[:, part.points].min(axis=1) < SPEED[part.kind] * np.sqrt(body.size)
        if part.kind is PartKind.SEAT:
            slow &= body.thigh_slope < SITTING_THIGH
        cut_off = CUT_OFF_S if part.kind is PartKind.SEAT else SECONDS[part.kind]
        for start, end in true_intervals(_steady(slow, SECONDS[part.kind], cut_off, body.dt)):
            found.append(_MAKE[part.kind](body, part, start, end))
    return found


def _steady(slow: BoolArray, seconds: float, cut_off: float, dt: float) -> BoolArray:
    """Return the flags (T) without short gaps, and without runs shorter than this, or cut off, than that."""
    gap, least = (np.ones(max(round(length / dt), 1)) for length in (GAP_S, seconds))
    closed = binary_closing(np.pad(slow, len(gap), mode="edge"), gap)[len(gap) : -len(gap)]
    beyond = round((seconds - cut_off) / dt)
    return np.asarray(binary_opening(np.pad(closed, beyond, mode="edge"), least)[beyond : beyond + len(slow)])


def sole_rest(body: BodyMotion, part: Part, start: int, end: int) -> Rest:
    """Return a sole at rest on the lower one of heel and toes: a heel or toes that are lifted carry nothing.

    Points are in pairs, heel first.
    """
    points = np.median(body.points[start:end, part.points], axis=0)
    half = len(points) // 2
    pairs = np.array([points[:half, 2].mean(), points[half:, 2].mean()])
    low = pairs < pairs.min() + LIFTED * body.size
    touching = np.concatenate([part.points[:half][[low[0]] * half], part.points[half:][[low[1]] * half]])
    along = points[half:].mean(axis=0) - points[:half].mean(axis=0)
    pitch = abs(np.arctan2(along[2], np.linalg.norm(along[:2])))
    outline, level = points[np.isin(part.points, touching), :2], float(pairs[low].mean())
    return Rest(part, start, end, touching, level, outline, _unit(along[:2]), bool(pitch > FLAT_SOLE))


def _hips_rest(body: BodyMotion, part: Part, start: int, end: int) -> Rest:
    """Return hips at rest on their lowest matter, which is that of the pelvis."""
    points = np.median(body.points[start:end, part.points], axis=0)
    low = float(points[:-THIGHS, 2].min())
    near = points[:, 2] < low + 2.0 * LIFTED * body.size
    ahead = _unit(np.median(body.ahead[start:end], axis=0))
    return Rest(part, start, end, part.points[near], low, _seated(points, low, ahead, body.size), ahead)


def _hand_rest(body: BodyMotion, part: Part, start: int, end: int) -> Rest:
    """Return a hand at rest on its lowest matter, or one that hangs from a bar in the middle of its palm."""
    points = np.median(body.points[start:end, part.points], axis=0)
    arm = points.mean(axis=0) - np.median(body.points[start:end, part.elbow], axis=0)
    if np.arctan2(arm[2], np.linalg.norm(arm[:2])) > REACHES_UP:
        hips = np.median(body.points[start:end, body.limbs[:THIGHS, 0], :2], axis=0)
        across = _unit(hips[0] - hips[1])
        grip, level = replace(part, kind=PartKind.GRIP), float(points[:, 2].mean())
        ahead = np.array([across[1], -across[0]])
        return Rest(grip, start, end, part.points, level, points[:, :2], ahead, doubtful=True)
    low = float(points[:, 2].min())
    near = points[:, 2] < low + 2.0 * LIFTED * body.size
    ahead = _unit(np.median(body.ahead[start:end], axis=0))
    return Rest(part, start, end, part.points[near], low, points[:, :2], ahead, doubtful=True)


_MAKE = {PartKind.SOLE: sole_rest, PartKind.SEAT: _hips_rest, PartKind.HAND: _hand_rest}


def _seated(hips: FloatArray, level: float, ahead: FloatArray, size: float) -> FloatArray:
    """Return the outline (M, 2) of what sits: the pelvis, what is behind it, and thighs that lie on the seat.

    hips (N, 3): the points of the pelvis, those of the thighs last
    """
    pelvis, thighs = hips[:-THIGHS], hips[-THIGHS:]
    lying = thighs[np.abs(thighs[:, 2] - level) < LYING_THIGH * size]
    return np.concatenate([pelvis, pelvis - [*(BUTTOCKS * size * ahead), 0.0], lying])[:, :2]


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9))
