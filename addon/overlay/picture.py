"""Lines and faces of a bake's overlays at one frame, in the theme's colours."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils.geometry import convex_hull_2d

from ...sim_core.base.conventions import Z_UP, FloatArray, IntArray
from ...sim_core.drawing import overlay_shapes as shapes
from ...sim_core.drawing.overlay_arrows import Arrows, assist_arrows, contact_arrows
from ...sim_core.drawing.overlay_series import OverlaySeries, bodies_in_world

_RED, _ORANGE, _GREEN, _BLUE, _PINK, _GREY_BLUE, _YELLOW, _GREY = 0, 1, 2, 3, 4, 7, 8, 12
"""Indices of Blender's colour sets."""


@dataclass(frozen=True)
class Palette:
    """Colours (4) with opacity; effort (3, 4): none, half and all of a joint's strength."""

    body: FloatArray
    force: FloatArray
    balance: FloatArray
    support: FloatArray
    ghost: FloatArray
    assist: FloatArray
    effort: FloatArray

    @property
    def key(self) -> bytes:
        """Bytes that differ when a colour does."""
        single = (self.body, self.force, self.balance, self.support, self.ghost, self.assist)
        return np.concatenate([*single, *self.effort]).tobytes()

    def of_effort(self, share: FloatArray) -> FloatArray:
        """Return colours (N, 4) for shares of a joint's strength (N); 1 and more is red."""
        stops = [0.0, 0.5, 1.0]
        return np.stack([np.interp(share, stops, self.effort[:, k]) for k in range(4)], axis=-1)


def theme_palette() -> Palette:
    """Return the colours from the theme's bone colour sets."""
    sets = bpy.context.preferences.themes[0].bone_color_sets

    def colour(number: int, opacity: float, which: str = "normal") -> FloatArray:
        return np.array([*getattr(sets[number], which), opacity])

    return Palette(
        body=colour(_GREY_BLUE, 0.45, "select"),
        force=colour(_YELLOW, 1.0),
        balance=colour(_BLUE, 1.0, "active"),
        support=colour(_BLUE, 0.3, "select"),
        ghost=colour(_GREY, 0.9, "active"),
        assist=colour(_PINK, 1.0, "active"),
        effort=np.stack(
            [
                colour(_GREEN, 1.0, "select"),
                colour(_ORANGE, 1.0, "active"),
                colour(_RED, 1.0, "active"),
            ]
        ),
    )


JOINT_RADIUS_M = 0.035
CENTRE_RADIUS_M = 0.03
MARK_M = 0.06
"""Arms of the cross below the centre of mass."""
ASSIST_RING_M = 0.25
SHORTEST_ASSIST_M = 0.25
"""Shortest arrow of an assist, so that a small one can be seen."""
LIFT_M = 0.002
"""Height above the floor of what is drawn on it."""


@dataclass(frozen=True)
class OverlayChoice:
    """Which overlays are drawn; the assist always is. ghost_offset is in Blender units."""

    body: bool = False
    forces: bool = False
    balance: bool = False
    effort: bool = False
    ghost: bool = False
    newtons_per_metre: float = 1000.0
    ghost_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Model:
    """The parts of a picture that are the same at all frames of a bake.

    point (N, 3), body (N): lines of the physical body in the bodies' own axes
    """

    point: FloatArray
    body: IntArray
    forces: Arrows
    assist: Arrows

    @staticmethod
    def of(series: OverlaySeries) -> Model:
        """Make the model of a bake's values."""
        parts = [(int(c[0]), shapes.capsule_lines(c[1:4], c[4:7], float(c[7]))) for c in series.capsule]
        parts += [(int(b[0]), shapes.box_lines(b[1:4], b[4:7])) for b in series.box]
        points = [np.zeros((0, 3)), *(lines for _, lines in parts)]
        body = np.repeat([body for body, _ in parts], [len(lines) for _, lines in parts]).astype(np.int64)
        return Model(np.concatenate(points), body, contact_arrows(series), assist_arrows(series))


@dataclass
class Picture:
    """Lines by their colour (4), and triangles with a colour (4) at each point."""

    lines: dict[tuple[float, ...], list[FloatArray]] = field(default_factory=dict)
    faces: list[FloatArray] = field(default_factory=list)
    face_colours: list[FloatArray] = field(default_factory=list)

    def add_lines(self, points: FloatArray, colour: FloatArray) -> None:
        """Add lines between pairs of points."""
        if len(points):
            self.lines.setdefault(tuple(colour.tolist()), []).append(points)

    def add_faces(self, points: FloatArray, colour: FloatArray) -> None:
        """Add triangles."""
        if len(points):
            self.faces.append(points)
            self.face_colours.append(np.broadcast_to(colour, (len(points), 4)))

    def add_arrows(self, lines_and_heads: tuple[FloatArray, FloatArray], colour: FloatArray) -> None:
        """Add the lines and heads of arrows."""
        self.add_lines(lines_and_heads[0], colour)
        self.add_faces(lines_and_heads[1], colour)


def picture_at(
    series: OverlaySeries, model: Model, row: int, choice: OverlayChoice, palette: Palette
) -> Picture:
    """Return the picture of one row of the series."""
    picture = Picture()
    if choice.ghost:
        picture.add_lines(series.ghost.sticks(row) + np.array(choice.ghost_offset), palette.ghost)
    if choice.body:
        picture.add_lines(bodies_in_world(series, row, model.body, model.point), palette.body)
    if choice.balance:
        _add_balance(picture, series, row, palette)
    if choice.effort:
        _add_effort(picture, series, row, palette)
    if choice.forces:
        length_factor = float(series.unit[0]) / choice.newtons_per_metre
        picture.add_arrows(model.forces.at(row, length_factor), palette.force)
    _add_assist(picture, series, model, row, choice, palette)
    return picture


def support_polygon(series: OverlaySeries, row: int) -> FloatArray:
    """Return the corners (N, 3) of the support polygon; none in the air."""
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
    picture.add_lines(below + shapes.level_cross(MARK_M * unit), palette.balance)
    picture.add_faces(centre + shapes.ball_triangles(CENTRE_RADIUS_M * unit), palette.balance)


def _add_effort(picture: Picture, series: OverlaySeries, row: int, palette: Palette) -> None:
    """Add balls at all joints; the root has none."""
    bodies = np.arange(1, len(series.body_joint))
    position = bodies_in_world(series, row, bodies, series.body_joint[bodies])
    ball = shapes.ball_triangles(JOINT_RADIUS_M * float(series.unit[0]))
    points = (position[:, None] + ball).reshape(-1, 3)
    colour = palette.of_effort(series.effort[row][bodies])
    picture.add_faces(points, np.repeat(colour, len(ball), axis=0))


def _add_assist(
    picture: Picture, series: OverlaySeries, model: Model, row: int, choice: OverlayChoice, palette: Palette
) -> None:
    """Add a ring around the hips while there is an assist, and an arrow along its force."""
    if not series.assist[row].any():
        return
    unit, hips = float(series.unit[0]), series.body_position[row, 0]
    picture.add_lines(hips + shapes.level_ring(ASSIST_RING_M * unit), palette.assist)
    length_m = max(series.assist_at(row)[0] / choice.newtons_per_metre, SHORTEST_ASSIST_M)
    picture.add_arrows(model.assist.at(row, length_m * unit), palette.assist)
