"""Places of the source at the target's size.

A source and a target that are the same body: then there is nothing to adapt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray
from ..motion.motion import Motion
from .actor import Actor


@dataclass(frozen=True, eq=False)
class Resizing:
    """Scales places above the ground under the source's first pose.

    start_world (3): what stays where it is [m]; factor (3): along the world's axes
    floor: how high above its ground the source really stands [m]
    ankles_up: how much higher the target's ankles are than the source's would be at its size [m]
    """

    start_world: FloatArray
    factor: FloatArray
    floor: float
    ankles_up: float

    def __call__(self, places: FloatArray) -> FloatArray:
        """Places of joints (..., 3) of hips and legs at the target's size [m]."""
        above = places - self.start_world - self.floor * Z_UP
        return self.start_world + self.factor * above + self.ankles_up * Z_UP


def resizing(source: Actor, motion: Motion, target: Actor, keep_path: bool, floor: float) -> Resizing:
    """Heights grow with the legs; the path does too, unless it is kept."""
    ratio = target.leg_length / source.leg_length
    first = motion.position_world[0, source.bone("hips")]
    across = 1.0 if keep_path else ratio
    return Resizing(
        np.array([first[0], first[1], source.character.ground_height]),
        np.array([across, across, ratio]),
        floor,
        target.sole_depth - ratio * source.sole_depth,
    )


SAME = 2e-3
"""Joints that rest nearer to each other than this share of a leg are in the same place."""


def are_twins(source: Actor, target: Actor) -> bool:
    """Whether the same parts rest in the same places; names and axes of bones may differ."""
    parts = {slot: len(names) for slot, names in source.mapping.bones.items()}
    if parts != {slot: len(names) for slot, names in target.mapping.bones.items()}:
        return False
    mine, theirs = _seen_from_hips(source), _seen_from_hips(target)
    return bool(np.abs(mine - theirs).max() < SAME * source.leg_length)


def _seen_from_hips(actor: Actor) -> FloatArray:
    """Joints of all parts at rest (N, 3) in the trunk's axes [m]."""
    bones = [actor.bone(slot, i) for slot in sorted(actor.mapping) for i in range(len(_names(actor, slot)))]
    away = actor.skeleton.rest_position_world[bones] - actor.rest("hips")
    return rotations.rotate(rotations.conjugate(actor.axes_rest_world["hips"]), away)


def _names(actor: Actor, slot: str) -> tuple[str, ...]:
    return actor.mapping.bones[slot]


def twin_motion(source: Actor, motion: Motion, target: Actor) -> Motion:
    """The source's motion on the bones of its twin's parts; all other bones rest."""
    skeleton, count = target.skeleton, len(motion.time)
    place = np.tile(skeleton.rest_position_world, (count, 1, 1))
    quaternion = np.tile(skeleton.rest_quaternion_world, (count, 1, 1))
    # The twins' rest poses may be turned against each other in the world.
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
            place[:, other] = motion.position_world[:, own]
    return Motion(skeleton, motion.time, place, quaternion)
