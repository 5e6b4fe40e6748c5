"""Lines and faces of a bake's overlays at one frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from mathutils.geometry import convex_hull_2d

from ...sim_core.conventions import Z_UP, FloatArray
from ...sim_core.overlay import shapes
from ...sim_core.overlay.series import OverlaySeries, bodies_in_world
from .colours import Palette

JOINT_RADIUS_M = 0.035
CENTRE_RADIUS_M = 0.03
MARK_M = 0.06
"""Arms of the cross below the centre of mass."""
HELP_RING_M = 0.25
SHORTEST_HELP_M = 0.25
"""An outside force is never drawn shorter, so that a small one is seen too."""
SMALLEST_FORCE_N = 1.0
"""Contact forces below this are rounding of the solver."""
LIFT_M = 0.002
"""What lies on the floor is drawn so far above it."""


@dataclass(frozen=True)
class Choice:
    """What is drawn; ghost_offset [Blender units]. An outside force is drawn whatever is chosen."""

    body: bool = False
    forces: bool = False
    balance: bool = False
    effort: bool = False
    ghost: bool = False
    newtons_per_metre: float = 1000.0
    ghost_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Wires:
    """The physical body's lines in the bodies' own axes: point (N, 3), body (N)."""

    point: FloatArray
    body: np.ndarray

    @staticmethod
    def of(series: OverlaySeries) -> Wires:
        parts = [(int(c[0]), shapes.capsule_lines(c[1:4], c[4:7], float(c[7]))) for c in series.capsule]
        parts += [(int(b[0]), shapes.box_lines(b[1:4], b[4:7])) for b in series.box]
        points = [lines for _, lines in parts] or [np.zeros((0, 3))]
        return Wires(np.concatenate(points), np.repeat([b for b, _ in parts], [len(p) for _, p in parts]))


@dataclass
class Picture:
    """Lines by their colour (4), and triangles with a colour (4) at each of their points."""

    lines: dict[tuple[float, ...], list[FloatArray]] = field(default_factory=dict)
    faces: list[FloatArray] = field(default_factory=list)
    face_colours: list[FloatArray] = field(default_factory=list)

    def add_lines(self, points: FloatArray, colour: FloatArray) -> None:
        if len(points):
            self.lines.setdefault(tuple(colour.tolist()), []).append(points)

    def add_faces(self, points: FloatArray, colour: FloatArray) -> None:
        if len(points):
            self.faces.append(points)
            self.face_colours.append(np.broadcast_to(colour, (len(points), 4)))


def picture_at(series: OverlaySeries, wires: Wires, row: int, choice: Choice, palette: Palette) -> Picture:
    """Of the frame in a row of the series."""
    picture = Picture()
    if choice.ghost:
        picture.add_lines(_sticks(series, row) + np.array(choice.ghost_offset), palette.ghost)
    if choice.body:
        picture.add_lines(bodies_in_world(series, row, wires.body, wires.point), palette.body)
    if choice.balance:
        _add_balance(picture, series, row, palette)
    if choice.effort:
        _add_effort(picture, series, row, palette)
    if choice.forces:
        point, force = net_forces(series, row)
        _add_arrows(picture, point, force * series.unit[0] / choice.newtons_per_metre, palette.force)
    _add_help(picture, series, row, choice, palette)
    return picture


def _add_arrows(picture: Picture, start: FloatArray, vector: FloatArray, colour: FloatArray) -> None:
    picture.add_lines(shapes.arrow_lines(start, vector), colour)
    picture.add_faces(shapes.arrow_heads(start, vector), colour)


def net_forces(series: OverlaySeries, row: int) -> tuple[FloatArray, FloatArray]:
    """For each body that is touched the sum of forces [N] and their middle, both (N, 3)."""
    part = series.contacts_of(row)
    point, force, body = series.contact_point[part], series.contact_force[part], series.contact_body[part]
    touched = np.unique(body)
    total = np.array([force[body == b].sum(axis=0) for b in touched]).reshape(-1, 3)
    weight = np.linalg.norm(force, axis=1)
    middle = [np.average(point[body == b], axis=0, weights=weight[body == b]) for b in touched]
    seen = np.linalg.norm(total, axis=1) > SMALLEST_FORCE_N
    return np.array(middle).reshape(-1, 3)[seen], total[seen]


def support_polygon(series: OverlaySeries, row: int) -> FloatArray:
    """The corners (N, 3) of the area that the body stands on; none in the air."""
    part = series.contacts_of(row)
    points = series.contact_point[part][series.contact_carries[part] == 1]
    if len(points) < 3:
        return points
    return points[convex_hull_2d([tuple(point[:2]) for point in points.tolist()])]


def _add_balance(picture: Picture, series: OverlaySeries, row: int, palette: Palette) -> None:
    unit, centre = float(series.unit[0]), series.centre_of_mass[row]
    lift = LIFT_M * unit * Z_UP
    below = np.array([centre[0], centre[1], series.floor_height[row]]) + lift
    polygon = support_polygon(series, row) + lift
    picture.add_faces(shapes.fan(polygon), palette.support)
    picture.add_lines(shapes.outline(polygon), palette.balance)
    picture.add_lines(np.stack([centre, below]), palette.balance)
    picture.add_lines(shapes.cross_lines(below, MARK_M * unit)[:4], palette.balance)
    picture.add_faces(centre + shapes.ball_triangles(CENTRE_RADIUS_M * unit), palette.balance)


def _add_effort(picture: Picture, series: OverlaySeries, row: int, palette: Palette) -> None:
    """Balls at the joints; the root is no joint."""
    bodies = np.arange(1, len(series.body_joint))
    place = bodies_in_world(series, row, bodies, series.body_joint[bodies])
    ball = shapes.ball_triangles(JOINT_RADIUS_M * float(series.unit[0]))
    points = (place[:, None] + ball).reshape(-1, 3)
    colour = palette.of_effort(series.effort[row][bodies])
    picture.add_faces(points, np.repeat(colour, len(ball), axis=0))


def _add_help(picture: Picture, series: OverlaySeries, row: int, choice: Choice, palette: Palette) -> None:
    """A ring about the hips wherever something holds them, and an arrow along the force."""
    force = series.assist[row, :3]
    if not series.assist[row].any():
        return
    unit, hips = float(series.unit[0]), series.body_position[row, :1]
    picture.add_lines(
        shapes.ring_lines(hips[0], HELP_RING_M * unit * np.eye(3)[0], HELP_RING_M * unit * np.eye(3)[1]),
        palette.assist,
    )
    size = float(np.linalg.norm(force))
    if size > 0.0:
        length = max(size / choice.newtons_per_metre, SHORTEST_HELP_M) * unit
        _add_arrows(picture, hips, (length / size * force)[None], palette.assist)


def _sticks(series: OverlaySeries, row: int) -> FloatArray:
    head, tail = series.ghost_head[row], series.ghost_tail[row]
    hanging = series.ghost_parent >= 0
    bones = np.stack([head[series.ghost_parent[hanging]], head[hanging]], axis=1)
    ends = np.stack([head[series.ghost_leaf], tail], axis=1)
    return np.concatenate([bones, ends]).reshape(-1, 3)
