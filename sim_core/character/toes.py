"""Toes as parts of their own: a hinge across the ball of each foot, which lies on the sole.

A foot that pushes off rolls over its ball while its toes stay flat. The hinge is put where the sole touches
the ground, not at the joint inside the foot: a heel that rises then turns about what stands, and nothing
slides.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.conventions import FloatArray
from . import anthropometry as body
from .foot_shapes import Foot
from .spec import Joint, Segment, SegmentBox

MASS_SHARE = 0.15
"""Share of a foot's mass that its toes have: about a quarter of its length, and half as thick."""
THICKNESS = 0.5
"""Thickness of the toes, over the depth of the sole below the ankle."""


def split_foot(foot: Segment, toe_name: str, toe_joint: Joint, shape: Foot) -> tuple[Segment, Segment]:
    """Return a foot that ends at its ball, and its toes; shape: of the whole foot."""
    half_width = float(foot.contact_points[:, 1].max())
    mass = MASS_SHARE * foot.mass
    short, ends = shape.ball_x - shape.heel_x, (shape.heel_x, shape.ball_x)
    size = np.array([short, 2.0 * half_width, shape.depth])
    box = SegmentBox(np.array([0.5 * sum(ends), 0.0, -0.5 * shape.depth]), 0.5 * size)
    points = _corners(ends, half_width, -shape.depth)
    own = replace(
        foot,
        mass=foot.mass - mass,
        com=box.centre,
        inertia=body.box_inertia(foot.mass - mass, size),
        shapes=(box,),
        contact_points=points,
    )
    long = shape.tip_x - shape.ball_x
    toe_size = np.array([long, 2.0 * half_width, THICKNESS * shape.depth])
    toe_box = SegmentBox(np.array([0.5 * long, 0.0, 0.5 * toe_size[2]]), 0.5 * toe_size)
    anchor = np.array([shape.ball_x, 0.0, -shape.depth])
    toes = Segment(
        toe_name,
        foot.name,
        toe_joint,
        anchor,
        mass,
        toe_box.centre,
        body.box_inertia(mass, toe_size),
        (toe_box,),
        _corners((long,), half_width, 0.0),
    )
    return own, toes


def _corners(along: tuple[float, ...], half_width: float, height: float) -> FloatArray:
    """Return points of the sole at distances along it, left then right [m]."""
    return np.array([[x, y, height] for x in along for y in (half_width, -half_width)])
