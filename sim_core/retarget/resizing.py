"""Scaling of the source's positions to the target's size, and the case of two rigs of the same body."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray
from ..motion.motion import Motion
from .retarget_rig import RetargetRig


@dataclass(frozen=True, eq=False)
class Resizing:
    """Scales positions about the ground below the source's first pose.

    start_world (3): the fixed point [m]; factor (3): along the world's axes
    floor: height of the source's standing feet above its ground [m]
    ankles_up: how much higher the target's ankles are than the scaled source's [m]
    shift (3): over the ground, towards what the character touches [m]
    """

    start_world: FloatArray
    factor: FloatArray
    floor: float
    ankles_up: float
    shift: FloatArray = field(default_factory=lambda: np.zeros(3))

    def __call__(self, positions: FloatArray) -> FloatArray:
        """Return positions (..., 3) of joints of hips and legs at the target's size [m]."""
        above = positions - self.start_world - self.floor * Z_UP
        return self.start_world + self.factor * above + self.ankles_up * Z_UP + self.shift

    def of_objects(self, positions: FloatArray, below: FloatArray) -> FloatArray:
        """Return positions (T, 3) of an object that keeps its size and reaches (T) below its origin [m].

        What lies on the ground still does.
        """
        under = below[:, None] * Z_UP
        return self.start_world + self.factor * (positions - under - self.start_world) + under


def resizing(
    source: RetargetRig, target: RetargetRig, start: FloatArray, across: float, floor: float
) -> Resizing:
    """Return the scaling about a start (3) [m]; heights scale with the legs, the path by a factor."""
    ratio = target.leg_length / source.leg_length
    return Resizing(
        np.array([start[0], start[1], source.character.ground_height]),
        np.array([across, across, ratio]),
        floor,
        target.sole_depth - ratio * source.sole_depth,
    )


SAME = 2e-3
"""Joints whose rest positions differ by less than this share of a leg length coincide."""


def is_same_body(source: RetargetRig, target: RetargetRig) -> bool:
    """Return whether the same parts rest at the same positions; names and axes of bones may differ."""
    parts = {slot: len(names) for slot, names in source.mapping.bones.items()}
    if parts != {slot: len(names) for slot, names in target.mapping.bones.items()}:
        return False
    source_joints, target_joints = _joints_from_hips(source), _joints_from_hips(target)
    return bool(np.abs(source_joints - target_joints).max() < SAME * source.leg_length)


def _joints_from_hips(rig: RetargetRig) -> FloatArray:
    """Joints of all parts at rest (N, 3) in the trunk's axes [m]."""
    bones = [rig.bone(slot, i) for slot in sorted(rig.mapping) for i in range(len(_names(rig, slot)))]
    away = rig.skeleton.rest_position_world[bones] - rig.rest("hips")
    return rotations.rotate(rotations.conjugate(rig.axes_rest_world["hips"]), away)


def _names(rig: RetargetRig, slot: str) -> tuple[str, ...]:
    return rig.mapping.bones[slot]


def motion_on_same_body(source: RetargetRig, motion: Motion, target: RetargetRig) -> Motion:
    """Return the source's motion on the parts' bones of another rig of the same body; other bones rest."""
    skeleton, count = target.skeleton, len(motion.time)
    position = np.tile(skeleton.rest_position_world, (count, 1, 1))
    quaternion = np.tile(skeleton.rest_quaternion_world, (count, 1, 1))
    # The rest poses of both rigs may be turned against each other in the world.
    apart = rotations.multiply(
        source.axes_rest_world["hips"], rotations.conjugate(target.axes_rest_world["hips"])
    )
    for slot in source.mapping:
        for which in range(len(_names(source, slot))):
            own, other = source.bone(slot, which), target.bone(slot, which)
            turn = rotations.multiply(
                motion.quaternion_world[:, own],
                rotations.conjugate(source.skeleton.rest_quaternion_world[own]),
            )
            rest = rotations.multiply(apart, skeleton.rest_quaternion_world[other])
            quaternion[:, other] = rotations.multiply(turn, rest)
            position[:, other] = motion.position_world[:, own]
    return Motion(skeleton, motion.time, position, quaternion)
