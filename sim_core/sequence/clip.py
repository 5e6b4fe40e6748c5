"""Motions as transitions compare them: as clouds of points, with the sole points on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..character.anthropometry import leg_length
from ..character.binding import bind
from ..character.from_rig import RigCharacter, character_from_rig
from ..character.joint_repair import repair_motion
from ..character.posing import centre_of_mass, pose_from_motion, segment_poses
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton
from ..recognition.mapping import SIDES, BoneMapping
from ..reference.contacts import REFERENCE_LEG_LENGTH, detect_contacts


@dataclass(frozen=True)
class Leg:
    """Bones of a leg, by index."""

    thigh: int
    shin: int
    foot: int


@dataclass(frozen=True, eq=False)
class Body:
    """The character that all motions of a sequence share.

    joint (S): bones whose heads are its joints
    legs: left, right
    sole_in_foot (2, 4, 3): sole points of each foot in its bone's axes [m], the heel's first
    """

    character: RigCharacter
    joint: IntArray
    legs: tuple[Leg, Leg]
    sole_in_foot: FloatArray

    @staticmethod
    def of(motions: Sequence[Motion], mapping: BoneMapping) -> Body:
        """Return the character, measured on all motions together, since one alone may never stand."""
        together = one_after_the_other(motions)
        repaired = repair_motion(bind(together.skeleton, mapping), together).motion
        built = character_from_rig(repaired, mapping)
        index = together.skeleton.index
        left, right = (
            Leg(*(index[mapping.first(f"{part}.{side}")] for part in ("thigh", "shin", "foot")))
            for side in SIDES
        )
        feet = [f"foot.{side}" for side in SIDES]
        soles = [
            rotations.rotate(
                built.binding.bone_to_segment[built.binding.index(f)], built.spec[f].contact_points
            )
            for f in feet
        ]
        return Body(built, built.binding.joint, (left, right), np.array(soles))

    def soles(self, motion: Motion) -> FloatArray:
        """Return sole points in the world (T, 2, 4, 3) [m]."""
        feet = [leg.foot for leg in self.legs]
        turn, ankle = motion.quaternion_world[:, feet], motion.position_world[:, feet]
        return ankle[:, :, None] + rotations.rotate(turn[:, :, None], self.sole_in_foot)


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion with its contacts.

    touches (T, 2, 4): whether the sole point is on the ground
    part_start: first sample of the last part, before which the next transition changes nothing
    """

    motion: Motion
    touches: BoolArray
    part_start: int = 0

    @staticmethod
    def of(motion: Motion, body: Body) -> Clip:
        """Return a motion with its detected contacts."""
        built = body.character
        repaired = repair_motion(built.binding, motion).motion
        above = [0.0, 0.0, built.ground_height]
        soles = body.soles(repaired).reshape(len(motion.time), -1, 3) - above
        com = centre_of_mass(
            built.spec, *segment_poses(built.spec, pose_from_motion(built.spec, built.binding, repaired))
        )
        foot = np.repeat([0, 1], soles.shape[1] // 2)
        size = leg_length(built.binding) / REFERENCE_LEG_LENGTH
        touches = detect_contacts(soles, com - above, foot, 1.0 / motion.rate_hz, size)
        return Clip(motion, touches.reshape(len(soles), 2, -1))

    def cloud(self, body: Body) -> FloatArray:
        """Return joints and sole points (T, P, 3) [m]."""
        soles = body.soles(self.motion).reshape(len(self.motion.time), -1, 3)
        return np.concatenate([self.motion.position_world[:, body.joint], soles], axis=1)


def one_after_the_other(motions: Sequence[Motion]) -> Motion:
    """Return all samples of several motions, without transitions: what a body is measured on."""
    skeleton: Skeleton = motions[0].skeleton
    samples = sum(len(motion.time) for motion in motions)
    return Motion(
        skeleton,
        np.arange(samples) / motions[0].rate_hz,
        np.concatenate([motion.position_world for motion in motions]),
        np.concatenate([motion.quaternion_world for motion in motions]),
    )
