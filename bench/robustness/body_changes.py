"""Bodies that differ from the captured one, as in section 7.3 of da Silva et al. 2008."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from sim_core.character.spec import CharacterSpec, Segment

LEG_PARTS = ("thigh", "shin", "foot", "toe")


def is_leg(segment: Segment, sides: str = "LR") -> bool:
    """Whether a segment belongs to a leg of these sides."""
    part, _, side = segment.name.partition(".")
    return part in LEG_PARTS and side in sides and side != ""


def heavier(spec: CharacterSpec, factor_of: Callable[[Segment], float]) -> CharacterSpec:
    """Multiply mass and inertia of each segment by a factor; sizes and strength stay."""
    segments = []
    for segment in spec.segments:
        factor = factor_of(segment)
        segments.append(replace(segment, mass=segment.mass * factor, inertia=segment.inertia * factor))
    return replace(spec, segments=tuple(segments))


def longer_feet(spec: CharacterSpec, metres: float) -> CharacterSpec:
    """Stretch the soles about the ankle by this length [m]."""
    segments = []
    for segment in spec.segments:
        points = segment.contact_points
        if len(points):
            length = float(np.ptp(points[:, 0]))
            points = points * np.array([(length + metres) / length, 1.0, 1.0])
        segments.append(replace(segment, contact_points=points))
    return replace(spec, segments=tuple(segments))


def _same(spec: CharacterSpec) -> CharacterSpec:
    return spec


CHANGES: dict[str, Callable[[CharacterSpec], CharacterSpec]] = {
    "none": _same,
    "legs twice as heavy": partial(heavier, factor_of=lambda s: 2.0 if is_leg(s) else 1.0),
    "upper body twice, legs half as heavy": partial(heavier, factor_of=lambda s: 0.5 if is_leg(s) else 2.0),
    "left leg twice as heavy": partial(heavier, factor_of=lambda s: 2.0 if is_leg(s, "L") else 1.0),
    "feet 4 cm longer": partial(longer_feet, metres=0.04),
    "feet 4 cm shorter": partial(longer_feet, metres=-0.04),
    "feet 8 cm shorter": partial(longer_feet, metres=-0.08),
}
