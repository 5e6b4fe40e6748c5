"""Published proportions of the human body, and lengths of a body read from the joints of its rig.

Mass fractions and length fractions: D. A. Winter, Biomechanics and Motor Control of Human
Movement, 4th ed. 2009, table 4.1 (after Dempster) and figure 4.1 (after Drillis and Contini).
"""

from __future__ import annotations

import numpy as np

from ..base.conventions import Z_UP, FloatArray
from ..base.rotations import conjugate, rotate
from ..recognition.mapping import SIDES
from .binding import RigBinding

MASS_FRACTION: dict[str, float] = {
    "pelvis": 0.142,
    "abdomen": 0.139,
    "chest": 0.216,
    "head": 0.081,
    "upper_arm": 0.028,
    "forearm": 0.016,
    "hand": 0.006,
    "thigh": 0.100,
    "shin": 0.0465,
    "foot": 0.0145,
}
"""Share of the total mass; paired parts give that of one side, and the sum over the body is one."""

COM_FRACTION: dict[str, float] = {
    "thigh": 0.433,
    "shin": 0.433,
    "upper_arm": 0.436,
    "forearm": 0.430,
    "hand": 0.506,
}
"""Centre of mass from the proximal joint, as a share of the segment's length."""

LEG_SHARE = 0.491
"""Thigh plus shank over body height."""
ANKLE_HEIGHT_SHARE = 0.039
FOOT_LENGTH_SHARE = 0.152
FOOT_WIDTH_SHARE = 0.055
FOREARM_LENGTH_SHARE = 0.146
HAND_LENGTH_SHARE = 0.108
HAND_BREADTH_SHARE = 0.051
"""Breadth of the palm over body height: 9.0 cm at 1.756 m (Gordon et al., anthropometric survey of U.S. Army
personnel, 1989)."""
HEAD_HEIGHT_SHARE = 0.130
"""Chin to vertex over body height."""
NECK_TO_VERTEX_SHARE = 0.182

HEEL_SHARE_OF_FOOT = 0.25
"""Distance of the heel behind the ankle, as a share of foot length."""

BODY_DENSITY = 1050.0
"""Mean density of living tissue without lungs [kg/m^3] (Winter 2009, section 4.1.2)."""

BODY_MASS_INDEX = 22.9
"""Body mass over height squared: 70 kg at 1.75 m [kg/m^2]."""


def mass_from_height(height: float) -> float:
    """Return the usual mass of a body of this height [kg]."""
    return BODY_MASS_INDEX * height**2


def rod_radius(mass: float, length: float) -> float:
    """Return the radius of a rod of body density with this mass and length [m]."""
    return float(np.sqrt(mass / (BODY_DENSITY * np.pi * max(length, 1e-3))))


def plate_thickness(mass: float, length: float, breadth: float) -> float:
    """Return the thickness of a plate of body density with this mass, length and breadth [m]."""
    return mass / (BODY_DENSITY * length * breadth)


def rod_inertia(mass: float, length: float, radius: float) -> FloatArray:
    """Return the principal inertias (3) of a solid cylinder along Z about its centre [kg m^2]."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.array([across, across, 0.5 * mass * radius**2])


def box_inertia(mass: float, size: FloatArray) -> FloatArray:
    """Return the principal inertias (3) of a solid box with edge lengths `size` about its centre [kg m^2]."""
    x, y, z = size**2
    return mass / 12.0 * np.array([y + z, x + z, x + y])


def to_segment_frame(binding: RigBinding, segment: str, point_world: FloatArray) -> FloatArray:
    """Return a point of the world at rest in the frame of a segment [m]."""
    axes = binding.rest_quaternion_world[binding.index(segment)]
    return rotate(conjugate(axes), point_world - binding.rest_position(segment))


def leg_length(binding: RigBinding) -> float:
    """Return the length from hip to ankle along the bones, as the mean of both sides [m]."""
    lengths = []
    for side in SIDES:
        hip, knee, ankle = (binding.rest_position(f"{part}.{side}") for part in ("thigh", "shin", "foot"))
        lengths.append(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
    return float(np.mean(lengths))


def hip_centre(binding: RigBinding) -> FloatArray:
    """Return the point between the hip joints at rest (3) [m]."""
    return 0.5 * (binding.rest_position("thigh.L") + binding.rest_position("thigh.R"))


def body_height(binding: RigBinding) -> float:
    """Return the standing height [m].

    It follows from the legs by the usual proportions, or from ankles to head joint if that gives more:
    many rigs are short above the waist, and rigs with a big head are short below it.
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
