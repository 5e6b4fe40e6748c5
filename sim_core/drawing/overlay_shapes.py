"""Arrows, capsules, boxes, rings and balls as line segments and triangles.

Lines are pairs of points (2 N, 3), triangles are triples (3 N, 3).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..base.conventions import X_FORWARD, Y_LEFT, Z_UP, FloatArray, frozen

RING_SIDES = 16
CAPSULE_SIDES = 12
"""Number of sides of a capsule's rings: few, as they are most of the cost of a redraw."""
HEAD_SHARE = 0.18
"""Length of an arrow's head relative to the arrow."""
HEAD_WIDTH = 0.35
"""Radius of an arrow's head relative to its length."""
HEAD_SIDES = 8


def _round(end: float, points: int) -> FloatArray:
    """Return cosines and sines of angles from zero to an end (2, points, 1)."""
    angle = np.linspace(0.0, end, points)[:, None]
    return np.stack([np.cos(angle), np.sin(angle)])


_RING, _CAPSULE_RING = (_round(2.0 * np.pi, sides + 1) for sides in (RING_SIDES, CAPSULE_SIDES))
_ARC = _round(np.pi, CAPSULE_SIDES // 2 + 1)
_HEAD_ROUND = _round(2.0 * np.pi, HEAD_SIDES + 1)[:, :-1]


def arrow_lines(start: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the shafts of arrows (N, 3) as lines (2 N, 3)."""
    return np.stack([start, start + (1.0 - HEAD_SHARE) * vector], axis=1).reshape(-1, 3)


def arrow_heads(start: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the heads of arrows (N, 3): open cones, as triangles (3 * N * HEAD_SIDES, 3)."""
    if len(start) == 0:
        return np.zeros((0, 3))
    length = np.linalg.norm(vector, axis=1)
    side, other = across(vector)
    spread = _HEAD_ROUND[0] * side[:, None] + _HEAD_ROUND[1] * other[:, None]
    base = (start + (1.0 - HEAD_SHARE) * vector)[:, None]
    rim = base + (HEAD_SHARE * HEAD_WIDTH * length)[:, None, None] * spread
    tip = np.broadcast_to((start + vector)[:, None], rim.shape)
    return np.stack([rim, np.roll(rim, -1, axis=1), tip], axis=2).reshape(-1, 3)


def across(vector: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two unit vectors perpendicular to vectors (N, 3) and to each other.

    arbitrary for zero vectors
    """
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    along = np.where(length > 0.0, vector / np.where(length > 0.0, length, 1.0), Z_UP)
    helper = np.where(np.abs(along[..., 2:]) < 0.9, Z_UP, X_FORWARD)
    side = np.cross(helper, along)
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    return side, np.cross(along, side)


def capsule_lines(start: FloatArray, end: FloatArray, radius: float) -> FloatArray:
    """Return a capsule: rings about its ends, lines along it, and two arcs over each end."""
    axis = end - start
    side, other = across(axis)
    along = np.cross(side, other)
    rings = [ring_lines(centre, radius * side, radius * other, _CAPSULE_RING) for centre in (start, end)]
    corners = np.stack([radius * side, radius * other, -radius * side, -radius * other])
    rods = np.stack([start + corners, end + corners], axis=1).reshape(-1, 3)
    arcs = [
        arc_lines(centre, radius * across_axis, sign * radius * along)
        for centre, sign in ((start, -1.0), (end, 1.0))
        for across_axis in (side, other)
    ]
    return np.concatenate([*rings, rods, *arcs])


def ring_lines(
    centre: FloatArray, first: FloatArray, second: FloatArray, corners: FloatArray = _RING
) -> FloatArray:
    """Return a circle, from its centre and two perpendicular radii."""
    return _chain(centre + corners[0] * first + corners[1] * second)


def arc_lines(centre: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return half a circle from `first` over `second` to the other side."""
    return _chain(centre + _ARC[0] * first + _ARC[1] * second)


def box_lines(centre: FloatArray, half_size: FloatArray) -> FloatArray:
    """Return the twelve edges of a box along the axes."""
    lines = []
    for axis in range(3):
        for first in (-1.0, 1.0):
            for second in (-1.0, 1.0):
                corner = np.insert(np.array([first, second]), axis, -1.0)
                lines += [corner, np.where(np.arange(3) == axis, 1.0, corner)]
    return centre + half_size * np.array(lines)


@cache
def ball_triangles(radius: float) -> FloatArray:
    """Return a ball about the origin, of eight times four faces."""
    corner = np.eye(3)
    signs = [(x, y, z) for x in (1.0, -1.0) for y in (1.0, -1.0) for z in (1.0, -1.0)]
    faces = np.concatenate([_four_faces(corner * sign) for sign in signs])
    return frozen(radius * faces / np.linalg.norm(faces, axis=1, keepdims=True))


def fan(polygon: FloatArray) -> FloatArray:
    """Return a convex polygon (N, 3) as triangles."""
    if len(polygon) < 3:
        return np.zeros((0, 3))
    first = np.broadcast_to(polygon[0], (len(polygon) - 2, 3))
    return np.stack([first, polygon[1:-1], polygon[2:]], axis=1).reshape(-1, 3)


def outline(polygon: FloatArray) -> FloatArray:
    """Return a polygon's edges; for two points the line between them."""
    if len(polygon) < 2:
        return np.zeros((0, 3))
    return _chain(np.concatenate([polygon, polygon[:1]]) if len(polygon) > 2 else polygon)


@cache
def level_cross(size: float) -> FloatArray:
    """Return two horizontal lines through the origin that reach as far as the size to each side."""
    return frozen(size * np.array([X_FORWARD, -X_FORWARD, Y_LEFT, -Y_LEFT]))


@cache
def level_ring(radius: float) -> FloatArray:
    """Return a horizontal circle about the origin."""
    return frozen(ring_lines(np.zeros(3), radius * X_FORWARD, radius * Y_LEFT))


def _four_faces(corner: FloatArray) -> FloatArray:
    a, b, c = corner
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    return np.array([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca])


def _chain(points: FloatArray) -> FloatArray:
    """Return lines from each point to the next."""
    return np.stack([points[:-1], points[1:]], axis=1).reshape(-1, 3)
