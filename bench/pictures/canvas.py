"""Drawings of bodies and forces as pixels: strokes in metres on a white page, with smooth edges."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFont

from sim_core.base.conventions import FloatArray
from sim_core.drawing.camera import Picture, Stroke
from sim_core.drawing.svg import ASSIST, FORCE, RESULT, Ink

SAMPLES = 3
"""Drawings are made so many times larger, and made smaller at the end, for smooth edges."""
PAGE, GROUND, TEXT = "#ffffff", "#cfcdc4", "#55534c"
SOURCE_BEHIND = Ink("#dcc6ae", "#ccb8a2")
"""The source's colours half-way to the page's, so that it stands back behind the result."""
OBJECT = Ink("#e0a080", "#c98465")
"""Colours of things around a body, and of their edges."""
SOLID = (PAGE, GROUND, TEXT, SOURCE_BEHIND.plain, SOURCE_BEHIND.dark, OBJECT.plain, OBJECT.dark)
ARROW_M, HEAD_M = 0.03, 0.045
"""Width of an arrow and half that of its head [m]."""
EDGE_M = 0.012
"""Width of the light edge that separates a limb from what is behind it [m]."""
LABEL_M = 0.16
"""Height of texts [m]."""


class Canvas:
    """A page on which a point in metres, x to the right and y down, is a pixel."""

    def __init__(self, left: float, top: float, width: float, height: float, pixels_per_m: float) -> None:
        """Make an empty page that shows an area [m]."""
        self.left, self.top, self.scale = left, top, SAMPLES * pixels_per_m
        self.size = round(width * pixels_per_m), round(height * pixels_per_m)
        self.image = Image.new("RGB", (SAMPLES * self.size[0], SAMPLES * self.size[1]), PAGE)
        self.draw = ImageDraw.Draw(self.image)

    def figures(self, picture: Picture, right_m: float = 0.0) -> None:
        """Draw source, result and forces of a picture, moved to the right."""
        self._bodies(picture.source, SOURCE_BEHIND, 0.0, right_m)
        self._bodies(picture.result, RESULT, EDGE_M, right_m)
        self._arrows(picture.forces, FORCE.plain, right_m)
        self._arrows(picture.assist, ASSIST.plain, right_m)

    def solid(self, outline: FloatArray) -> None:
        """Draw a thing as its outline (N, 2)."""
        corners = [self._at(x, y) for x, y in outline.tolist()]
        self.draw.polygon(corners, OBJECT.plain, OBJECT.dark, round(EDGE_M * self.scale))

    def ground(self, y: float, ticks: Iterable[float] = ()) -> None:
        """Draw the ground at a height, and marks on it."""
        self.draw.line([self._at(self.left, y), self._at(1e3, y)], GROUND, round(0.02 * self.scale))
        for x in ticks:
            self.draw.line([self._at(x, y), self._at(x, y + 0.08)], GROUND, round(0.012 * self.scale))

    def path(self, points: FloatArray, colour: str, width_m: float) -> None:
        """Draw a line through points (N, 2)."""
        corners = [self._at(x, y) for x, y in points.tolist()]
        self.draw.line(corners, colour, round(width_m * self.scale), joint="curve")

    def spot(self, point: FloatArray, colour: str, width_m: float) -> None:
        """Draw a round mark at a point (2)."""
        at = self._at(float(point[0]), float(point[1]))
        self._capsule(at, at, width_m, colour)

    def label(self, x: float, y: float, text: str, anchor: str = "ma") -> None:
        """Write a text below a point; anchor: as in Pillow."""
        font = ImageFont.load_default(size=LABEL_M * self.scale)
        self.draw.text(self._at(x, y), text, fill=TEXT, font=font, anchor=anchor)

    def finished(self) -> Image.Image:
        """Return the page."""
        return self.image.resize(self.size, Image.Resampling.LANCZOS)

    def _arrows(self, strokes: Iterable[Stroke], colour: str, right_m: float) -> None:
        """Draw forces, which point where they push."""
        for stroke in strokes:
            start, end = np.array([[stroke.x1, stroke.y1], [stroke.x2, stroke.y2]]) + [right_m, 0.0]
            along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
            across = HEAD_M * np.array([-along[1], along[0]])
            head = [end + 1.2 * HEAD_M * along, end - HEAD_M * along + across, end - HEAD_M * along - across]
            for width, own in ((ARROW_M + 2.0 * EDGE_M, PAGE), (ARROW_M, colour)):
                self.draw.line([self._at(*start), self._at(*end)], own, round(width * self.scale))
            self.draw.polygon(
                [self._at(*point) for point in head], colour, PAGE, round(0.5 * EDGE_M * self.scale)
            )

    def _bodies(self, strokes: Iterable[Stroke], ink: Ink, edge_m: float, right_m: float) -> None:
        for stroke in strokes:
            start = self._at(stroke.x1 + right_m, stroke.y1)
            end = self._at(stroke.x2 + right_m, stroke.y2)
            if edge_m > 0.0:
                self._capsule(start, end, stroke.width + 2.0 * edge_m, PAGE)
            self._capsule(start, end, stroke.width, ink.dark if stroke.dark else ink.plain)

    def _capsule(
        self, start: tuple[float, float], end: tuple[float, float], width_m: float, colour: str
    ) -> None:
        width = width_m * self.scale
        self.draw.line([start, end], colour, round(width))
        for x, y in (start, end):
            self.draw.ellipse([x - 0.5 * width, y - 0.5 * width, x + 0.5 * width, y + 0.5 * width], colour)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale, (y - self.top) * self.scale


def few_colours(image: Image.Image) -> Image.Image:
    """Return an image in the colours of all drawings, which makes its file small."""
    inks = (*SOLID, RESULT.plain, RESULT.dark, FORCE.plain, ASSIST.plain)
    colours = [ImageColor.getrgb(own) for own in inks]
    mixed = [_mixed(a, b, share) for a, b in combinations(colours, 2) for share in (0.33, 0.67)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in (*colours, *mixed) for value in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def _mixed(colour: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(round(a + share * (b - a)) for a, b in zip(colour, other, strict=True))
