"""The pose of a performer on the rig of a character, by what the bones mean.

A part of the body turns from the T-pose as far as the performer's does. The T-pose of the rig need not be its
rest pose: it follows from the axes of the parts, which are the same for every rig (character/binding.py):
arms to the sides with palms down, legs straight down, the trunk as it rests, and soles level. Proportions are
the rig's own; the path is scaled by the length of the legs.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, X_FORWARD, Z_UP, FloatArray
from ..character.binding import RigBinding
from ..character.from_rig import segment_rotations
from ..character.spec import CharacterSpec, Segment
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, local_from_world, world_from_local
from .performer import BONE_INDEX, BONES, PARENTS, PerformerFrame, local_turns, world_turns
from .pose_buffer import PerformerPoses

DRIVERS = {
    "pelvis": "Hips",
    "abdomen": "Spine",
    "chest": "UpperChest",
    "head": "Head",
    "upper_arm": "UpperArm",
    "forearm": "LowerArm",
    "hand": "Hand",
    "thigh": "UpperLeg",
    "shin": "LowerLeg",
    "foot": "Foot",
}
"""Segment without its side -> the performer's bone that turns it. A bone above it that is not listed counts,
too: turns add up in the world."""
SIDES = {"L": "Left", "R": "Right"}
ARMS = ("upper_arm", "forearm", "hand")


class PerformerRig:
    """A rig that a performer's pose is put on.

    bone (S): the performer's bone of each segment
    t_pose (S, 4): axes of the segments in the T-pose, facing along X
    facing (4): turn about the vertical from there to where the rig faces at rest; a performer who faces
    ahead makes it face there
    leg_m: length of thigh and shin [m]; hips: index of the bone that the performer's hips move
    """

    def __init__(self, spec: CharacterSpec, binding: RigBinding) -> None:
        self.binding, self.skeleton = binding, binding.skeleton
        self.bone = np.array([BONE_INDEX[_driver(name)] for name in binding.names])
        self.t_pose = np.array([_t_pose(segment) for segment in spec])
        self.leg_m = float(np.mean([self._leg(side) for side in SIDES]))
        self.hips = int(binding.joint[binding.index("pelvis")])
        trunk = binding.rest_quaternion_world[binding.index("pelvis")]
        self.facing = rotations.about_vertical(float(rotations.heading(trunk)))
        self._rest = rotations.multiply(self.t_pose, rotations.conjugate(binding.rest_quaternion_world))
        self._segment = self._segments()
        heads, axes = self.skeleton.rest_position_world, self.skeleton.rest_quaternion_world
        self._offset = local_from_world(heads[None], axes[None], self.skeleton.parents)[0][0]

    def _leg(self, side: str) -> float:
        joints = [self.binding.rest_position(f"{part}.{side}") for part in ("thigh", "shin", "foot")]
        return float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())

    def _segments(self) -> list[int]:
        """Return the segment that each bone turns with; -1 for bones above all of them."""
        own = dict(zip(self.binding.bone.tolist(), self.binding.bone_segment.tolist(), strict=True))
        found: list[int] = []
        for bone, parent in enumerate(self.skeleton.parents.tolist()):
            inherited = found[parent] if parent != NO_PARENT else -1
            found.append(own.get(bone, inherited))
        return found

    def motion(self, poses: PerformerPoses, scale: float, shift: FloatArray) -> Motion:
        """Return the motion of the rig.

        scale: the rig's size over the performer's; shift (3): by which it is moved after that [m]
        """
        world = rotations.multiply(self.facing, world_turns(poses.turn)[:, self.bone])
        turns = rotations.multiply(world, self._rest)
        axes = self.skeleton.rest_quaternion_world
        bones = np.stack(
            [
                rotations.multiply(turns[:, segment], axes[bone])
                if segment >= 0
                else np.broadcast_to(axes[bone], (len(turns), 4))
                for bone, segment in enumerate(self._segment)
            ],
            axis=1,
        )
        offset = np.broadcast_to(self._offset, (len(turns), *self._offset.shape)).copy()
        own = local_from_world(np.zeros((*bones.shape[:2], 3)), bones, self.skeleton.parents)[1]
        position, quaternion = world_from_local(offset, own, self.skeleton.parents)
        moved = scale * rotations.rotate(self.facing, poses.hips) + shift - position[:, self.hips]
        return Motion(self.skeleton, poses.time, position + moved[:, None], quaternion)

    def frames(self, motion: Motion) -> list[PerformerFrame]:
        """Return what a performer with the rig's own proportions would send for a motion of it."""
        back = rotations.conjugate(self.facing)
        axes = rotations.multiply(back, segment_rotations(self.binding, motion))
        turns = rotations.multiply(axes, rotations.conjugate(self.t_pose))
        world = np.broadcast_to(IDENTITY_QUATERNION, (len(turns), len(BONES), 4)).copy()
        driven = dict(zip(self.bone.tolist(), range(len(self.bone)), strict=True))
        for bone, parent in enumerate(PARENTS.tolist()):
            if bone in driven:
                world[:, bone] = turns[:, driven[bone]]
            elif parent >= 0:
                world[:, bone] = world[:, parent]
        local = rotations.normalise(local_turns(world))
        places = rotations.rotate(back, motion.position_world[:, self.hips])
        samples = zip(motion.time.tolist(), local, places, strict=True)
        return [PerformerFrame(time, turn, place, self.leg_m) for time, turn, place in samples]


def _driver(segment: str) -> str:
    part, _, side = segment.partition(".")
    return SIDES.get(side, "") + DRIVERS[part]


def _t_pose(segment: Segment) -> FloatArray:
    """Return the axes of a segment in the T-pose (4): Z points from the hand to the shoulder there."""
    part, _, side = segment.name.partition(".")
    if part in ARMS:
        return rotations.from_vector((0.5 if side == "L" else -0.5) * np.pi * X_FORWARD)
    if part != "foot":
        return IDENTITY_QUATERNION
    # Feet of a rig need not rest level; their soles were found from the motion.
    points = np.asarray(segment.contact_points)
    normal = np.linalg.svd(points - points.mean(axis=0))[2][2]
    return rotations.shortest_rotation(normal * np.sign(normal[2]), Z_UP)
