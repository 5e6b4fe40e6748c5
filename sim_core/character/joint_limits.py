"""Ranges, torque limits and stiffness of human joints.

Ranges: the middle and half angle of the cone around the range of motion published by the
American Academy of Orthopaedic Surgeons (Joint Motion, 1965) for flexion and abduction. Torques:
what strong adults reach per kilogram of body mass, rounded: hip 4.4 and knee 3.3 Nm/kg (isometric
peaks); ankle 3.0 Nm/kg, since push-off in running and jumping is measured at 2.5 to 3 (Novacheck,
Gait and Posture 7, 1998), above any isometric test; arms after Holzbaur et al., J. Biomechanics 40,
2007; wrist 0.3 Nm/kg, as the strongest of ten men flexes it with 18.7 Nm (Delp, Grierson, Buchanan,
J. Biomechanics 29, 1996). More than that is carried by the palm under the wrist, and by the stop of the
joint's range. Stiffness: da Silva et al. 2008, table 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import REFERENCE_HEIGHT_M
from .spec import Joint, JointKind


@dataclass(frozen=True)
class JointLimits:
    """Range, strength and stiffness of a joint on the left side.

    centre_deg: rotation vector of the middle of the range (X raises the left arm sideways, Y bends the
    shin backwards, Z rotates to the left) [deg]; half_angle_deg: of the cone [deg]
    torque_per_kg [Nm/kg]; stiffness [1/s^2]
    """

    centre_deg: tuple[float, float, float]
    half_angle_deg: float
    torque_per_kg: float
    stiffness: float


LIMITS: dict[str, JointLimits] = {
    "abdomen": JointLimits((0.0, 10.0, 0.0), 55.0, 4.4, 3000.0),
    "chest": JointLimits((0.0, 10.0, 0.0), 50.0, 3.7, 3000.0),
    "head": JointLimits((0.0, 0.0, 0.0), 85.0, 0.9, 3000.0),
    "clavicle": JointLimits((0.0, 0.0, 0.0), 40.0, 1.8, 4000.0),
    "upper_arm": JointLimits((60.0, -40.0, 0.0), 125.0, 1.5, 4000.0),
    "forearm": JointLimits((0.0, -70.0, 0.0), 90.0, 1.1, 3000.0),
    "hand": JointLimits((0.0, 0.0, 0.0), 85.0, 0.3, 3000.0),
    "thigh": JointLimits((5.0, -40.0, 0.0), 80.0, 4.4, 4000.0),
    "shin": JointLimits((0.0, 70.0, 0.0), 80.0, 3.3, 4000.0),
    "foot": JointLimits((0.0, 12.0, 0.0), 50.0, 3.0, 1000.0),
    "toe": JointLimits((0.0, -20.0, 0.0), 60.0, 0.3, 4000.0),
}

HINGE_RANGE_DEG: dict[str, tuple[float, float]] = {
    "shin": (-5.0, 150.0),
    "forearm": (-150.0, 5.0),
    "toe": (-70.0, 45.0),
}


def without_side(segment_name: str) -> str:
    """Return a segment's name without its side: "thigh.L" is "thigh"."""
    return segment_name.split(".")[0]


def ball_joint(segment_name: str, mass: float, height: float) -> Joint:
    """Return the ball joint of a segment of a body with this mass [kg] and height [m]."""
    limits = LIMITS[without_side(segment_name)]
    x, y, z = np.radians(limits.centre_deg)
    side = -1.0 if segment_name.endswith(".R") else 1.0
    return Joint(
        JointKind.BALL,
        high=float(np.radians(limits.half_angle_deg)),
        torque_limit=_torque_limit(limits, mass, height),
        stiffness=limits.stiffness,
        centre=rotations.from_vector(np.array([side * x, y, side * z])),
    )


def hinge_joint(segment_name: str, mass: float, height: float) -> Joint:
    """Return the hinge of a segment of a body with this mass [kg] and height [m]."""
    limits = LIMITS[without_side(segment_name)]
    low, high = np.radians(HINGE_RANGE_DEG[without_side(segment_name)])
    return Joint(
        JointKind.HINGE,
        low=float(low),
        high=float(high),
        torque_limit=_torque_limit(limits, mass, height),
        stiffness=limits.stiffness,
    )


def _torque_limit(limits: JointLimits, mass: float, height: float) -> float:
    """Return the torque limit [Nm]: torques scale with mass times height, as gravity's moments do."""
    return limits.torque_per_kg * mass * height / REFERENCE_HEIGHT_M
