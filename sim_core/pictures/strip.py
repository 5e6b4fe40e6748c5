"""Some moments of a motion side by side: bodies of capsules, arrows, the ground, times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from ..conventions import FloatArray, IntArray
from .view import View

PIXELS_PER_M = 64.0
MARGIN_M = 0.12
LABEL_M = 0.2
"""Height of the line with the times [m]."""
FAR_SHADE = 0.68
"""How bright the farthest parts of a body are, the nearest being 1."""


@dataclass(frozen=True, eq=False)
class Body:
    """Capsules that move.

    ends: of each capsule (T, S, 2, 3) [m]; radius: (S) [m]; colour: red, green, blue, 0 to 255
    opacity: 0 to 1
    """

    ends: FloatArray
    radius: FloatArray
    colour: tuple[int, int, int]
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Arrow:
    """From a point (T, 3) along a vector (T, 3) [m]; colour: as SVG has it."""

    start: FloatArray
    way: FloatArray
    colour: str


@dataclass(frozen=True)
class Strip:
    """What is shown at which samples.

    bodies: the first is behind; samples: (N) into their T; labels: a text for each; alarms: marked in red
    centre: where each moment is centred (T, 3) [m]; half_width: of a moment [m]
    """

    bodies: Sequence[Body]
    samples: IntArray
    labels: Sequence[str]
    centre: FloatArray
    ground: float
    half_width: float
    arrows: Sequence[Arrow] = ()
    alarms: Sequence[bool] = ()


def strip_svg(strip: Strip, view: View) -> str:
    """The picture as one `<svg>` element that needs nothing else."""
    shown = np.concatenate([body.ends[strip.samples].reshape(-1, 3) for body in strip.bodies])
    low = min(float(shown[:, 2].min()), strip.ground) - MARGIN_M
    high = float(shown[:, 2].max()) + MARGIN_M
    width, height = 2.0 * strip.half_width * len(strip.samples), high - low + LABEL_M
    places = range(len(strip.samples))
    pieces = [piece for place in places for piece in _moment(strip, view, place, high, low)]
    box = f"0 0 {_px(width)} {_px(height)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_px(width)}" '
        f'height="{_px(height)}" font-family="sans-serif">{"".join(pieces)}</svg>'
    )


def _moment(strip: Strip, view: View, place: int, high: float, low: float) -> Iterator[str]:
    sample = int(strip.samples[place])
    middle = view.flat(strip.centre[sample])[0]
    left = 2.0 * strip.half_width * place

    def at(points: FloatArray) -> FloatArray:
        """Right and down in the picture [px]."""
        flat = view.flat(points)
        across = flat[..., 0] - middle + left + strip.half_width
        return PIXELS_PER_M * np.stack([across, high - flat[..., 1]], axis=-1)

    ground = _px(high - strip.ground)
    ends = _px(left), _px(left + 2.0 * strip.half_width)
    yield f'<path d="M{ends[0]} {ground}H{ends[1]}" stroke="#b8b4ac" stroke-width="1"/>'
    for body in strip.bodies:
        yield from _capsules(body, sample, view, at(body.ends[sample]))
    for arrow in strip.arrows:
        start, end = at(arrow.start[sample]), at(arrow.start[sample] + arrow.way[sample])
        yield f'<path d="M{_pair(start)}L{_pair(end)}" stroke="{arrow.colour}" stroke-width="2"/>'
        yield f'<circle cx="{end[0]:.0f}" cy="{end[1]:.0f}" r="3" fill="{arrow.colour}"/>'
    alarm = place < len(strip.alarms) and strip.alarms[place]
    colour = "#b3261e" if alarm else "#6b675f"
    where = f'x="{_px(left + strip.half_width)}" y="{_px(high - low + 0.6 * LABEL_M)}" text-anchor="middle"'
    yield f'<text {where} font-size="10" fill="{colour}">{escape(strip.labels[place])}</text>'


def _capsules(body: Body, sample: int, view: View, pixels: FloatArray) -> Iterator[str]:
    """The farthest first, so that near parts hide far ones."""
    depth = body.ends[sample].mean(axis=1) @ view.toward
    span = max(float(np.ptp(depth)), 1e-6)
    yield f'<g stroke-linecap="round" opacity="{body.opacity:g}">'
    for k in np.argsort(depth):
        shade = FAR_SHADE + (1.0 - FAR_SHADE) * float(depth[k] - depth.min()) / span
        colour = "#" + "".join(f"{round(shade * part):02x}" for part in body.colour)
        wide = f"{2.0 * PIXELS_PER_M * float(body.radius[k]):.1f}"
        line = f"M{_pair(pixels[k, 0])}L{_pair(pixels[k, 1])}"
        yield f'<path d="{line}" stroke="{colour}" stroke-width="{wide}"/>'
    yield "</g>"


def _px(metres: float) -> str:
    return f"{PIXELS_PER_M * metres:.0f}"


def _pair(point: FloatArray) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
