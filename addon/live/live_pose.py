"""The pose of an armature while it is played live, and the pose that it had before.

Only the channels of the pose are set, as if somebody posed the bones by hand. No key is read or written.
Constraints of the bones that are moved are muted meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Object, PoseBone

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray
from ...sim_core.live.frames import Frame, FrameNames
from ...sim_core.motion.skeleton import NO_PARENT
from ..blender.blender_types import ArmatureObject
from ..blender.matrices import from_blender, inverse, read_matrices, to_blender, transform, turned, unscaled
from ..blender.rig_space import RigSpace
from ..reading.motion_reader import SampledMotion

CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


def channels_of(owner: Object | PoseBone) -> dict[str, tuple[float, ...]]:
    """Return the channels of an object or a pose bone as they are."""
    return {name: tuple(getattr(owner, name)) for name in CHANNELS}


def put_back(owner: Object | PoseBone, channels: dict[str, tuple[float, ...]]) -> None:
    """Set the channels of an object or a pose bone to values that they had."""
    for name, values in channels.items():
        setattr(owner, name, values)


@dataclass(frozen=True, eq=False)
class KeptPose:
    """The pose before: channels by bone, and the constraints that were active, by bone."""

    channels: dict[str, dict[str, tuple[float, ...]]]
    active: dict[str, tuple[str, ...]]

    @staticmethod
    def of(obj: ArmatureObject) -> KeptPose:
        """Keep the pose of an armature."""
        return KeptPose(
            {bone.name: channels_of(bone) for bone in obj.pose.bones},
            {b.name: tuple(c.name for c in b.constraints if not c.mute) for b in obj.pose.bones},
        )

    def mute_constraints(self, obj: ArmatureObject, bones: tuple[str, ...]) -> None:
        """Let no constraint move some bones."""
        for name in bones:
            for constraint in obj.pose.bones[name].constraints:
                constraint.mute = True

    def restore(self, obj: ArmatureObject) -> None:
        """Give an armature its pose back."""
        for bone in obj.pose.bones:
            if bone.name in self.channels:
                put_back(bone, self.channels[bone.name])
            for constraint in bone.constraints:
                if constraint.name in self.active.get(bone.name, ()):
                    constraint.mute = False


class LivePose:
    """Sets the pose of an armature to frames of the live simulation."""

    def __init__(self, obj: ArmatureObject, sampled: SampledMotion, names: FrameNames) -> None:
        """Start from the present pose, in which bones that are not simulated stay."""
        self.rig = RigSpace.of(obj, sampled.skeleton)
        self.metres = sampled.metres_per_unit
        self.row = {sampled.skeleton.index[name]: row for row, name in enumerate(names.bones)}
        self.free = names.free
        self.basis = read_matrices(obj.pose.bones, "matrix_basis")
        self.own_scale = np.linalg.norm(self.basis[:, :3, :3], axis=1)
        self.scale = np.linalg.norm(sampled.pose_matrix[0, :, :3, :3], axis=1)
        self.names = [bone.name for bone in self.rig.bones]

    def apply(self, obj: ArmatureObject, frame: Frame) -> None:
        """Pose the armature as in a frame."""
        placed = from_blender(obj.matrix_world)
        to_armature = inverse(placed[:3, :3])
        linear = np.swapaxes(unscaled(placed[:3, :3]), -1, -2) @ rotations.to_matrix(
            frame.bones[:, 3:].astype(np.float64)
        )
        heads = turned(to_armature, frame.bones[:, :3] / self.metres - placed[:3, 3])
        pose = np.empty((1, len(self.names), 4, 4))
        for bone, name in enumerate(self.names):
            row = self.row.get(bone)
            if row is None:
                pose[0, bone] = self._carried(bone, pose)
                continue
            pose[0, bone], basis = self._wanted(bone, row, linear[row], heads[row], pose)
            target: Any = obj.pose.bones[name]
            target.matrix_basis = to_blender(basis)

    def _carried(self, bone: int, pose: FloatArray) -> FloatArray:
        """Return the pose (4, 4) of a bone that is not simulated and keeps its own channels."""
        if int(self.rig.parents[bone]) == NO_PARENT:
            return self.rig.rest[bone] @ self.basis[bone]
        turn = self.rig.rotation_space(bone, pose)[0]
        head = self.rig.location_space(bone, pose)[0] @ self.basis[bone, :, 3]
        return transform(turn @ self.basis[bone, :3, :3], head[:3])

    def _wanted(
        self, bone: int, row: int, linear: FloatArray, head: FloatArray, pose: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the pose (4, 4) of a simulated bone, and its channels as a matrix (4, 4)."""
        space = self.rig.location_space(bone, pose)[0]
        location = self.basis[bone, :3, 3]
        if self.free[row]:
            location = turned(inverse(space[:3, :3]), head - space[:3, 3])
        else:
            head = turned(space[:3, :3], location) + space[:3, 3]
        turn = unscaled(inverse(self.rig.rotation_space(bone, pose)[0]) @ linear)
        return transform(linear * self.scale[bone], head), transform(turn * self.own_scale[bone], location)
