"""Materials of markers and forces: bands of error, so that they show in every kind of shading."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
from bpy.types import Material


@dataclass(frozen=True)
class Band:
    """A colour for errors above a distance [m]; the highest band that is reached counts."""

    above_m: float
    name: str
    colour: tuple[float, float, float]


UNFITTED = -1.0
"""Stands for the error of a marker that no fit has used [m]."""

BANDS = (
    Band(-2.0, "Heft Marker", (0.75, 0.75, 0.75)),
    Band(-0.5, "Heft Marker Good", (0.10, 0.60, 0.15)),
    # OpenSim's rule of thumb for inverse kinematics: 2 cm is the most that a good fit has.
    Band(0.01, "Heft Marker Fair", (0.90, 0.60, 0.05)),
    Band(0.02, "Heft Marker Bad", (0.85, 0.05, 0.05)),
)
CHOSEN = Band(0.0, "Heft Marker Chosen", (0.05, 0.35, 1.0))
FORCE = Band(0.0, "Heft Force", (0.95, 0.80, 0.10))
PLATE = Band(0.0, "Heft Force Plate", (0.30, 0.32, 0.38))


def material(band: Band) -> Material:
    """The material of a band; one that the file has is taken, with whatever colour it has now."""
    found: Material | None = bpy.data.materials.get(band.name)
    if found is not None:
        return found
    made = bpy.data.materials.new(band.name)
    made.diffuse_color = (*band.colour, 1.0)
    return made
