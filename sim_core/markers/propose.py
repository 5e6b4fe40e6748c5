"""A proposed table for an unknown marker set, from a standing frame and from markers that move together.

A template of the markers' height is placed in the frame in which the body stands tallest. A marker belongs to
the bone that is near to it and near to the markers that keep their distance from it. Then the body is fitted
with this table, and each marker is moved to the part in whose frame it moves least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..posefit.fit_body import EngineBody
from ..posefit.fit_rig import RigBody
from .marker_fit import fit_take
from .marker_sets import MarkerPlacement, MarkerSet
from .marker_take import MarkerTake
from .subject import calibrate_subject
from .template import TEMPLATE_HEIGHT, template

PROPOSED = "proposed"
"""Name of a proposed table."""
MIN_MARKERS = 10
"""Least number of markers that determine a body."""
SIGMA = 0.06
"""Standard deviation of a marker from its position on the template's standing frame [m]."""
TOP_MARKER_SHARE = 0.97
"""Height of the highest marker, as a share of the body height."""
TRAVEL = 0.5
"""A subject that travels further faces its direction of travel [m]."""
RIGID = 0.006
"""Two markers on one bone keep their distance within this [m]."""
FOOT_SHARE = 0.05
"""Only markers that come this near to the floor, as a share of the height, sit on a foot."""
NEVER = 10.0
"""Cost of a part that a marker cannot sit on [m]."""
NEAR = 0.1
"""Markers that are further apart tell little about each other [m]."""
OWN = 2.0
"""Weight of a marker's own position relative to those of the markers that move with it."""
ANKLE_ABOVE = 0.05
"""Height of the ankles above the lowest marker [m]."""
SAMPLES = 100
REFINEMENTS = 3
FAR_COST = 0.15
"""Weight of the distance from a bone relative to the movement in its frame."""
RADIUS = {
    "hips": 0.14,
    "chest": 0.12,
    "head": 0.10,
    "upper_arm": 0.05,
    "forearm": 0.04,
    "hand": 0.03,
    "thigh": 0.08,
    "shin": 0.05,
    "foot": 0.04,
}
"""Parts that markers are assigned to, and their radius [m]."""
TIPS = {"head": (0.0, 0.0, 0.17), "hand": (0.0, 0.0, -0.1), "toe": (0.06, 0.0, 0.0)}
"""Ends of bones without a next joint, in their own frame on the template [m]."""
ARMS_DEG = (0.0, 45.0, 90.0)
"""Poses of the arms that are tried: at the sides, half raised, horizontal."""


@dataclass(frozen=True, eq=False)
class _PosedTemplate:
    """Link frames (L, 3), (L, 4) of the template in the world, and the ends of its bones (L, 3)."""

    position: FloatArray
    quaternion: FloatArray
    tip: FloatArray


def propose_set(take: MarkerTake) -> MarkerSet:
    """Return a table with a row for every marker that is seen in the standing frame."""
    position = take.position_world
    frame = _standing_frame(position)
    seen = np.flatnonzero(np.isfinite(position[frame]).all(axis=1))
    if len(seen) < MIN_MARKERS:
        raise InputError(
            f"The labels of the {len(take.labels)} marker(s) belong to no known set, and fewer than "
            f"{MIN_MARKERS} are seen at once, which is too few to guess; assign them in the table."
        )
    points = position[frame, seen]
    height = float(np.ptp(points[:, 2])) / TOP_MARKER_SHARE
    rig = template(height)
    together = _together(position[:, seen])
    turn = _facing(position, points)
    feet = _feet_cost(rig, position[:, seen], height)
    tried = [_posed(rig, points, turn, arms_deg) for arms_deg in ARMS_DEG]
    costs = [together @ _bone_distance(rig, posed, points) + feet for posed in tried]
    best = int(np.argmin([cost.min(axis=1).sum() for cost in costs]))
    posed, cost = tried[best], costs[best]
    scale = TEMPLATE_HEIGHT / height
    rows: dict[str, MarkerPlacement] = {}
    for i, link in enumerate(cost.argmin(axis=1)):
        away = rotations.rotate(rotations.conjugate(posed.quaternion[link]), points[i] - posed.position[link])
        rows[take.labels[int(seen[i])]] = MarkerPlacement(bone_part(rig, int(link)), scale * away, SIGMA)
    note = (
        "The marker set is not known; markers were assigned by how they move, and hands and feet may be 10 "
        "to 25 cm off. Check the table."
    )
    table = MarkerSet(PROPOSED, rows, (note,))
    for _ in range(REFINEMENTS):
        table, changed = _refined(take, table)
        if not changed:
            break
    return table


def bone_part(rig: RigBody, link: int) -> str:
    """Return the part of the body that a link is, as tables call it."""
    return "chest" if link == rig.link("chest") else rig.slot[link]


def _refined(take: MarkerTake, table: MarkerSet) -> tuple[MarkerSet, bool]:
    """Return the table with markers on the parts in whose frames they move least, and whether it changed."""
    subject = calibrate_subject(take, table)
    fit = fit_take(take, subject, "preview")
    rig, scale = subject.calibration.rig, TEMPLATE_HEIGHT / subject.height
    position, quaternion = EngineBody(rig.body).poses(fit.qpos)
    rows, changed = dict(table.rows), False
    for m, label in enumerate(fit.labels):
        away = fit.measured[:, m, None] - position
        local = rotations.rotate(rotations.conjugate(quaternion), away)
        local = local[np.isfinite(local).all(axis=(1, 2))]
        moves = np.linalg.norm(local.std(axis=0), axis=1)
        middle = np.median(local, axis=0)
        cost = moves + FAR_COST * bone_distance(rig, middle)
        link = int(np.argmin(cost))
        here = rig.carrier(table.rows[label].part)
        feet = rig.slot[link].startswith("foot") == rig.slot[here].startswith("foot")
        if link != here and feet and cost[link] < 0.8 * cost[here]:
            rows[label] = MarkerPlacement(bone_part(rig, link), scale * middle[link], SIGMA)
            changed = True
    return replace(table, rows=rows), changed


def _feet_cost(rig: RigBody, position: FloatArray, height: float) -> FloatArray:
    """Return zero where a marker may sit on a part (M, L), by how near it comes to the floor."""
    lowest = np.nanquantile(position[..., 2], 0.05, axis=0)
    low = lowest - lowest.min() < FOOT_SHARE * height
    foot = np.array([slot.startswith(("foot", "toe")) for slot in rig.slot])
    return np.asarray(np.where(low[:, None] == foot[None], 0.0, NEVER))


def _standing_frame(position: FloatArray) -> int:
    """Return the frame in which the markers reach highest above the lowest ones, with most of them seen."""
    seen = np.isfinite(position).all(axis=2)
    rich = seen.sum(axis=1) >= seen.sum(axis=1).max()
    heights = np.where(seen, position[..., 2], np.nan)[rich]
    tall = np.nanmax(heights, axis=1) - np.nanmin(heights, axis=1)
    return int(np.flatnonzero(rich)[np.argmax(tall)])


def _together(position: FloatArray) -> FloatArray:
    """Return how likely markers (M, M) share a bone; rows sum to one."""
    frames = position[:: max(1, len(position) // SAMPLES)]
    apart = np.linalg.norm(frames[:, :, None] - frames[:, None, :], axis=3)
    spread = np.array(
        [[_spread(apart[:, i, j]) for j in range(apart.shape[2])] for i in range(apart.shape[1])]
    )
    share = np.exp(-((spread / RIGID) ** 2)) * np.exp(-np.nan_to_num(np.nanmedian(apart, axis=0)) / NEAR)
    np.fill_diagonal(share, OWN)
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _spread(distance: FloatArray) -> float:
    distance = distance[np.isfinite(distance)]
    return float(np.std(distance)) if len(distance) > 2 else np.inf


def _facing(position: FloatArray, points: FloatArray) -> FloatArray:
    """Return the turn (4) about the vertical of a body that stands at these points (M, 3)."""
    middle = np.nanmean(position, axis=1)
    middle = middle[np.isfinite(middle).all(axis=1)]
    travel = (middle[-1] - middle[0])[:2]
    flat = points[:, :2] - points[:, :2].mean(axis=0)
    left = np.linalg.svd(flat, full_matrices=False)[2][0]
    forward = np.array([left[1], -left[0]])
    if np.linalg.norm(travel) > TRAVEL:
        forward = travel
    else:
        low = points[:, 2] < np.quantile(points[:, 2], 0.2)
        # Feet reach further to the front of the shins than to their back.
        shins = (points[:, 2] < np.quantile(points[:, 2], 0.45)) & ~low
        ahead = points[low, :2].mean(axis=0) - points[shins, :2].mean(axis=0)
        forward = forward * (1.0 if forward @ ahead >= 0.0 else -1.0)
    return rotations.about_vertical(float(np.arctan2(forward[1], forward[0])))


def _posed(rig: RigBody, points: FloatArray, turn: FloatArray, arms_deg: float) -> _PosedTemplate:
    """Return the template at the points, with arms at an angle."""
    engine = EngineBody(rig.body)
    position, quaternion = (array[0].copy() for array in engine.poses(engine.neutral[None]))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        raised = rotations.from_vector(np.radians([sign * arms_deg, 0.0, 0.0]))
        root = rig.link(f"upper_arm.{side}")
        for slot in ("upper_arm", "forearm", "hand"):
            link = rig.link(f"{slot}.{side}")
            if link is not None and root is not None:
                position[link] = position[root] + rotations.rotate(raised, position[link] - position[root])
                quaternion[link] = raised
    tip = position + rotations.rotate(quaternion, np.array([_tip(rig, i) for i in range(len(position))]))
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    foot = rig.link("foot.L")
    low = float(position[foot, 2]) if foot is not None else float(position[:, 2].min())
    lift = points[:, 2].min() - low + ANKLE_ABOVE
    shift = np.array([middle[0], middle[1], lift])
    return _PosedTemplate(
        rotations.rotate(turn, position) + shift,
        rotations.multiply(turn, quaternion),
        rotations.rotate(turn, tip) + shift,
    )


def _tip(rig: RigBody, link: int) -> FloatArray:
    """Return the end of a bone in its own frame [m]."""
    part = rig.slot[link].split(".")[0]
    if part in TIPS:
        return np.array(TIPS[part])
    if part == "hips":
        return np.zeros(3)
    children = [other.anchor for other in rig.body.links if other.parent == link]
    return np.asarray(np.mean(children, axis=0)) if children else np.zeros(3)


def bone_distance(rig: RigBody, middle: FloatArray) -> FloatArray:
    """Return distances of one marker, given in the frames of all links (L, 3), from their bones (L) [m]."""
    return _distance(rig, middle, np.array([_tip(rig, i) for i in range(len(rig.slot))]))


def _bone_distance(rig: RigBody, posed: _PosedTemplate, points: FloatArray) -> FloatArray:
    """Return distances from points (M, 3) to the surfaces of bones (M, L) [m]."""
    away = points[:, None] - posed.position[None]
    return _distance(rig, away, posed.tip - posed.position)


def _distance(rig: RigBody, away: FloatArray, along: FloatArray) -> FloatArray:
    """Return distances of points (..., L, 3), relative to bones' heads, from bones along (L, 3) [m]."""
    length = np.maximum((along * along).sum(axis=1), 1e-9)
    share = np.clip((away * along).sum(axis=-1) / length, 0.0, 1.0)
    radius = np.array([RADIUS.get(bone_part(rig, i).split(".")[0], -NEVER) for i in range(len(rig.slot))])
    return np.asarray(np.linalg.norm(away - share[..., None] * along, axis=-1) - radius)
