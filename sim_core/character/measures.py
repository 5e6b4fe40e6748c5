"""Lengths of a body, read from the rig's joints."""

from __future__ import annotations

import numpy as np

from ..conventions import Z_UP, FloatArray
from ..recognition.mapping import SIDES
from ..rotations import conjugate, rotate
from .anthropometry import ANKLE_HEIGHT_SHARE, HEAD_HEIGHT_SHARE, LEG_SHARE
from .binding import RigBinding


def local(binding: RigBinding, segment: str, point_world: FloatArray) -> FloatArray:
    """A rest-pose point of the world in a segment's frame [m]."""
    axes = binding.rest_quaternion_world[binding.index(segment)]
    return rotate(conjugate(axes), point_world - binding.rest_position(segment))


def leg_length(binding: RigBinding) -> float:
    """Hip to ankle along the bones, mean of both sides [m]."""
    lengths = []
    for side in SIDES:
        hip, knee, ankle = (binding.rest_position(f"{part}.{side}") for part in ("thigh", "shin", "foot"))
        lengths.append(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
    return float(np.mean(lengths))


def hip_centre(binding: RigBinding) -> FloatArray:
    return 0.5 * (binding.rest_position("thigh.L") + binding.rest_position("thigh.R"))


def body_height(binding: RigBinding) -> float:
    """Standing height [m].

    From the legs by the usual proportions, or from ankles to head joint where that gives more:
    many rigs are short above the waist, and big-headed ones are short below it.
    """
    legs = leg_length(binding)
    by_legs = legs / LEG_SHARE
    if "head" not in binding.names:
        return by_legs
    up = rotate(binding.rest_quaternion_world[binding.index("pelvis")], Z_UP)
    head = binding.skeleton.rest_position_world[binding.driver[binding.index("head")]]
    trunk = float((head - hip_centre(binding)) @ up)
    by_chain = (legs + trunk) / (1.0 - ANKLE_HEIGHT_SHARE - HEAD_HEIGHT_SHARE)
    return max(by_legs, by_chain)
