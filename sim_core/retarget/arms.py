"""Palms of a character, and arms that bring them to given positions by the law of cosines.

The hand keeps its rotation in the world; the upper arm and the forearm turn as little as possible, so that
arms follow smooth paths of palms smoothly, and arms without a displacement keep the style exactly.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..base import rotations
from ..base.conventions import Y_LEFT, FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .limbs import reach_turns
from .retarget_rig import RetargetRig
from .style import BoneRotations

ARM = ("upper_arm", "forearm", "hand")


def arm_sides(rig: RetargetRig) -> list[str]:
    """Return the sides on which a rig has a whole arm."""
    return [side for side in SIDES if all(f"{part}.{side}" in rig.mapping for part in ARM)]


def palm_offset(rig: RetargetRig, side: str) -> FloatArray:
    """Return the centre of the hand in its part's axes (3) [m]."""
    return rig.character.spec[f"hand.{side}"].com


def palms(rig: RetargetRig, motion: Motion, side: str) -> FloatArray:
    """Return the centres of a hand (T, 3) [m]."""
    slot = f"hand.{side}"
    return motion.position_world[:, rig.bone(slot)] + _from_wrist(rig, motion, side)


def _from_wrist(rig: RetargetRig, motion: Motion, side: str) -> FloatArray:
    axes = rig.part_axes(motion.quaternion_world, f"hand.{side}")
    return rotations.rotate(axes, palm_offset(rig, side))


def hand_skin(rig: RetargetRig, side: str) -> FloatArray:
    """Return the skin of a hand (P, 3) in its part's axes, from its centre [m]; no points without a mesh.

    Fingers are left out, and with them what the hand holds.
    """
    if rig.mesh is None:
        return np.zeros((0, 3))
    slot = f"hand.{side}"
    owner = np.take_along_axis(rig.mesh.bone, rig.mesh.weight.argmax(axis=1)[:, None], axis=1)[:, 0]
    own = [rig.skeleton.index[name] for name in rig.mapping.bones[slot]]
    from_wrist = rig.mesh.vertex[np.isin(owner, own)] - rig.rest(slot)
    inverse = rotations.conjugate(rig.axes_rest_world[slot])
    return rotations.rotate(inverse, from_wrist) - palm_offset(rig, side)


def arm_length(rig: RetargetRig, side: str) -> float:
    """Return the length from shoulder to wrist along the bones [m]."""
    joints = np.array([rig.rest(f"{part}.{side}") for part in ARM])
    return float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())


def shoulder_and_wrist(rig: RetargetRig, motion: Motion, side: str) -> tuple[FloatArray, FloatArray]:
    """Return the positions of both joints (T, 3) [m]."""
    position = motion.position_world
    return position[:, rig.bone(f"upper_arm.{side}")], position[:, rig.bone(f"hand.{side}")]


def reaching(rig: RetargetRig, motion: Motion, palm_world: Mapping[str, FloatArray]) -> BoneRotations:
    """Return rotations of arms with palms at positions (T, 3), by side [m]; as near as they reach."""
    turned = {}
    for side, palm in palm_world.items():
        upper, fore, hand = (rig.bone(f"{part}.{side}") for part in ARM)
        position, quaternion = motion.position_world, motion.quaternion_world
        wrist = palm - _from_wrist(rig, motion, side)
        # An elbow bends in the opposite direction of a knee.
        sideways = -rotations.rotate(rig.part_axes(quaternion, f"upper_arm.{side}"), Y_LEFT)
        turns = reach_turns(position[:, upper], position[:, fore], position[:, hand], wrist, sideways)
        for bone, turn in zip((upper, fore), turns, strict=True):
            turned[bone] = rotations.multiply(turn, quaternion[:, bone])
        turned[hand] = quaternion[:, hand]
    return turned
