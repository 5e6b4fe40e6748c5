"""Pictures as self-contained SVG elements for HTML pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .camera import Picture, Stroke


@dataclass(frozen=True)
class Ink:
    """Colours in SVG notation; dark: for parts of the right side."""

    plain: str
    dark: str


SOURCE = Ink("#b98d5e", "#9a7145")
RESULT = Ink("#3a6ea5", "#2a5380")
"""Brown and blue, as in all pictures of source and result."""
FORCE = Ink("#3f9b5f", "#3f9b5f")
ASSIST = Ink("#d0342c", "#d0342c")
BEHIND = 0.45
"""Opacity of the source behind a result."""


def svg_of(picture: Picture) -> str:
    """Return one `<svg>` element in metres."""
    p = picture
    box = f"{p.left:.3f} {p.top:.3f} {p.width:.3f} {p.height:.3f}"
    ground = f'<path d="M{p.left:.3f} {p.ground:.3f}h{p.width:.3f}" stroke="#cfcdc4" stroke-width=".02"/>'
    groups = (
        _group("source", p.source, SOURCE, BEHIND if p.result else 1.0),
        _group("result", p.result, RESULT),
        _group("force", p.forces, FORCE),
        _group("assist", p.assist, ASSIST),
    )
    return f'<svg viewBox="{box}" role="img">{ground}{"".join(groups)}</svg>'


def _group(kind: str, strokes: Iterable[Stroke], ink: Ink, opacity: float = 1.0) -> str:
    """Return a group of strokes; empty without any."""
    lines = "".join(_line(stroke, ink) for stroke in strokes)
    look = f'stroke="{ink.plain}" stroke-linecap="round" opacity="{opacity:g}"'
    return f'<g class="{kind}" {look}>{lines}</g>' if lines else ""


def _line(stroke: Stroke, ink: Ink) -> str:
    path = f"M{stroke.x1:.3f} {stroke.y1:.3f}L{stroke.x2:.3f} {stroke.y2:.3f}"
    colour = f' stroke="{ink.dark}"' if stroke.dark else ""
    return f'<path d="{path}" stroke-width="{stroke.width:.3f}"{colour}/>'
