"""A support as an object of a scene, with the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..scene.scene import Role, SceneObject
from ..scene.shapes import Box
from .body_motion import BodyMotion, PartKind, matter
from .clusters import Cluster
from .rectangles import Margins, Rectangle, fitted_rectangle

DEEP = 0.035
"""Depth below a surface from which matter is inside the support, and not only noise [m]."""
SLAB = 0.05
"""Thickness of a support under which there is room [m]."""
CUTS_THROUGH_S = 0.2
"""Time for each rest for which matter is inside a solid block, from which there must be room under it [s]."""
LEAST_HALF = 0.04
"""Least half length and width of a support: a rest on the toes alone has no length [m]."""


class SupportKind(Enum):
    """What a support is, by what rests on it."""

    STEP = "step"
    SEAT = "seat"
    TABLE = "table"


KINDS = {
    PartKind.SOLE: SupportKind.STEP,
    PartKind.SEAT: SupportKind.SEAT,
    PartKind.HAND: SupportKind.TABLE,
}
MARGINS = {
    SupportKind.STEP: Margins(ahead=0.06, behind=0.06, aside=0.08),
    SupportKind.SEAT: Margins(ahead=0.3, behind=0.12, aside=0.12),
    SupportKind.TABLE: Margins(ahead=0.1, behind=0.08, aside=0.1),
}


@dataclass(frozen=True, eq=False)
class Support:
    """A support that a motion was captured on.

    scene_object: what is put into a scene; height: of its surface above the floor [m]
    size (2): length ahead and width [m]; confidence: share of the missing weight that it gives, 0 to 1
    weight: mean share of body weight that is missing without it
    spans: from when to when the rests on it last [s]
    """

    kind: SupportKind
    scene_object: SceneObject
    height: float
    size: FloatArray
    confidence: float
    weight: float
    spans: tuple[tuple[float, float], ...]


def make_support(body: BodyMotion, cluster: Cluster, name: str, ahead: FloatArray, start_s: float) -> Support:
    """Return the support of a cluster: a block down to the floor, or a slab where matter passes under it.

    ahead (2): direction of its edges; start_s: time of the first sample [s]
    """
    kind = KINDS[cluster.kind]
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
    shares = [(own.explained, own.rest.end - own.rest.start) for own in cluster.carrying]
    weights = [own.weight for own in cluster.carrying]
    return Support(
        kind,
        block,
        level - body.floor,
        2.0 * half[:2],
        float(np.average([share for share, _ in shares], weights=[lasting for _, lasting in shares])),
        float(np.mean(weights)),
        tuple(
            (start_s + rest.start * body.dt, start_s + rest.end * body.dt)
            for rest in sorted(cluster.rests, key=lambda rest: rest.start)
        ),
    )


def _area(
    body: BodyMotion, everything: FloatArray, cluster: Cluster, ahead: FloatArray, bottom: float
) -> Rectangle:
    kind = KINDS[cluster.kind]
    margins = MARGINS[kind]
    scaled = Margins(body.size * margins.ahead, body.size * margins.behind, body.size * margins.aside)
    inside = _inside(body, everything, cluster.level, bottom)
    return fitted_rectangle(cluster.outline, ahead, scaled, everything[inside][:, :2])


def _inside(body: BodyMotion, everything: FloatArray, level: float, bottom: float) -> np.ndarray:
    """Return which matter (T, M) is at a height between bottom and surface."""
    height = everything[..., 2]
    return (height < level - DEEP * body.size) & (height > bottom - DEEP * body.size)


def _is_cut(
    body: BodyMotion, everything: FloatArray, cluster: Cluster, ahead: FloatArray, bottom: float
) -> bool:
    """Return whether matter passes through the block under the rests themselves for long."""
    bare = fitted_rectangle(cluster.outline, ahead, Margins(0.0, 0.0, 0.0), np.zeros((0, 2)))
    inside = _inside(body, everything, cluster.level, bottom) & bare.contains(everything[..., :2])
    return bool(inside.any(axis=1).sum() * body.dt > CUTS_THROUGH_S * len(cluster.rests))
