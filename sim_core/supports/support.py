"""A support as an object of a scene, with the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..scene.scene import Role, SceneObject
from ..scene.shapes import Box
from .body_motion import BodyMotion, PartKind, matter
from .clusters import Cluster
from .rectangles import Margins, Rectangle, fitted_rectangle
from .slopes import Slope, over_plane

DEEP = {PartKind.SOLE: 0.035, PartKind.SEAT: 0.01, PartKind.HAND: 0.035}
"""Depth below a surface from which matter is inside the support, and not only noise [m]."""
LEAST_ABOVE = 0.035
"""Distance that matter which passes under a support keeps from it [m]."""
SLAB = 0.05
"""Thickness of a support under which there is room [m]."""
CUTS_THROUGH_S = 0.2
"""Time for each rest for which matter is inside a solid block, from which there must be room under it [s]."""
BAR_THICK, BEYOND_HANDS = 0.03, 0.1
"""Thickness of a bar that hands hold on to, and how far it reaches beyond them [m]."""
LEAST_HALF = 0.04
"""Least half length and width of a support: a rest on the toes alone has no length [m]."""


class SupportKind(Enum):
    """What a support is, by what rests on it."""

    STEP = "step"
    SLOPE = "slope"
    SEAT = "seat"
    TABLE = "table"
    BAR = "bar"


KINDS = {
    PartKind.SOLE: SupportKind.STEP,
    PartKind.SEAT: SupportKind.SEAT,
    PartKind.HAND: SupportKind.TABLE,
    PartKind.GRIP: SupportKind.BAR,
}
MARGINS = {
    SupportKind.STEP: Margins(ahead=0.05, behind=0.05, aside=0.07, least=0.015),
    SupportKind.SEAT: Margins(ahead=0.3, behind=0.17, aside=0.08, around=0.05, least=0.01),
    SupportKind.TABLE: Margins(ahead=0.1, behind=0.08, aside=0.1, least=0.01),
}
"""Thighs that slope down would press on the front edge of a seat and tip the body backwards over it, so that
this edge keeps its distance from them."""


@dataclass(frozen=True, eq=False)
class Support:
    """A support that a motion was captured on.

    scene_object: what is put into a scene; height: of its surface above the floor [m]
    size (2): length ahead and width [m]; confidence: share of the missing weight that it gives, 0 to 1
    weight: mean share of body weight that is missing without it
    spans: from when to when the rests on it last, from the start of the motion [s]
    tilt: of its surface [rad]
    """

    kind: SupportKind
    scene_object: SceneObject
    height: float
    size: FloatArray
    confidence: float
    weight: float
    spans: tuple[tuple[float, float], ...]
    tilt: float = 0.0


def make_support(body: BodyMotion, cluster: Cluster, name: str, ahead: FloatArray) -> Support:
    """Return the support of a cluster: a block down to the floor, or a slab where matter passes under it.

    ahead (2): direction of its edges
    """
    kind = KINDS[cluster.kind]
    if kind is SupportKind.BAR:
        return _make_bar(body, cluster, name, ahead)
    everything, level = matter(body), cluster.level
    solid = kind is SupportKind.STEP and not _is_cut(body, everything, cluster, ahead, body.floor)
    bottom = body.floor if solid else max(level - SLAB * body.size, body.floor)
    area = _area(body, everything, cluster, ahead, bottom)
    half = np.array([*np.maximum(0.5 * area.size, LEAST_HALF * body.size), 0.5 * (level - bottom)])
    yaw = float(np.arctan2(area.ahead[1], area.ahead[0]))
    block = SceneObject(
        name,
        Role.GROUND if kind is SupportKind.STEP else Role.OBSTACLE,
        Box(half),
        np.array([*area.centre, 0.5 * (level + bottom)]),
        rotations.about_vertical(yaw),
        captured=True,
    )
    return _with_evidence(body, cluster, kind, block, level - body.floor)


def _make_bar(body: BodyMotion, cluster: Cluster, name: str, ahead: FloatArray) -> Support:
    """Return the bar through hands that hang from it, across the body; ahead (2): where the body looks."""
    margins = Margins(0.0, 0.0, BEYOND_HANDS * body.size)
    area = fitted_rectangle(cluster.outline, ahead, margins, np.zeros((0, 2)))
    half = 0.5 * BAR_THICK * body.size
    bar = SceneObject(
        name,
        Role.HOLD,
        Box(np.array([half, 0.5 * area.size[1], half])),
        np.array([*area.centre, cluster.level]),
        rotations.about_vertical(float(np.arctan2(area.ahead[1], area.ahead[0]))),
    )
    return _with_evidence(body, cluster, SupportKind.BAR, bar, cluster.level - body.floor)


def make_slope(body: BodyMotion, slope: Slope, name: str) -> Support:
    """Return the support of a slope: a slab along the way up, as wide as the motion leaves room for."""
    plane, cluster = slope.plane, slope.cluster
    over, level, thick = over_plane(body, plane), slope.cluster.level, SLAB * body.size
    area = _area(over, matter(over), cluster, plane.uphill, level - thick)
    half = np.array([0.5 * area.size[0] / np.cos(plane.tilt), 0.5 * area.size[1], 0.5 * thick])
    uphill = rotations.about_vertical(float(np.arctan2(area.ahead[1], area.ahead[0])))
    tilted = rotations.multiply(uphill, rotations.from_vector(np.array([0.0, -plane.tilt, 0.0])))
    top = np.array([*area.centre, level + plane.rise(area.centre)])
    slab = SceneObject(
        name,
        Role.GROUND,
        Box(half),
        top - rotations.rotate(tilted, np.array([0.0, 0.0, half[2]])),
        tilted,
        captured=True,
    )
    highest = max(rest.level + float(plane.rise(rest.centre)) for rest in cluster.rests)
    made = _with_evidence(body, cluster, SupportKind.SLOPE, slab, highest - body.floor)
    return replace(made, tilt=plane.tilt)


def _with_evidence(
    body: BodyMotion, cluster: Cluster, kind: SupportKind, block: SceneObject, height: float
) -> Support:
    """Return a support with what speaks for it; height: above the floor [m]."""
    assert isinstance(block.shape, Box)
    shares = [(own.explained, own.rest.end - own.rest.start) for own in cluster.carrying]
    return Support(
        kind,
        block,
        height,
        2.0 * block.shape.half_size[:2],
        float(np.average([share for share, _ in shares], weights=[lasting for _, lasting in shares])),
        float(np.mean([own.weight for own in cluster.carrying])),
        tuple(
            (rest.start * body.dt, rest.end * body.dt)
            for rest in sorted(cluster.rests, key=lambda rest: rest.start)
        ),
    )


def _area(
    body: BodyMotion, everything: FloatArray, cluster: Cluster, ahead: FloatArray, bottom: float
) -> Rectangle:
    margins = MARGINS[KINDS[cluster.kind]].scaled(body.size)
    inside = _inside(body, everything, cluster, bottom)
    return fitted_rectangle(cluster.outline, ahead, margins, everything[inside][:, :2])


def _inside(body: BodyMotion, everything: FloatArray, cluster: Cluster, bottom: float) -> BoolArray:
    """Return which matter (T, M) is at a height between bottom and surface."""
    height, deep = everything[..., 2], DEEP[cluster.kind] * body.size
    return np.asarray((height < cluster.level - deep) & (height > bottom - LEAST_ABOVE * body.size))


def _is_cut(
    body: BodyMotion, everything: FloatArray, cluster: Cluster, ahead: FloatArray, bottom: float
) -> bool:
    """Return whether matter passes through the block under the rests themselves for long."""
    bare = fitted_rectangle(cluster.outline, ahead, Margins(0.0, 0.0, 0.0), np.zeros((0, 2)))
    inside = _inside(body, everything, cluster, bottom) & bare.contains(everything[..., :2])
    return bool(inside.any(axis=1).sum() * body.dt > CUTS_THROUGH_S * len(cluster.rests))
