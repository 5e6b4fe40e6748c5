"""What the search compares of two states: joints, trunk, centre of mass, momentum, hands and feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..character.posing import segment_centres, segment_poses
from ..character.spec import CharacterSpec, JointKind

ENDS = ("hand", "foot", "head")
"""Segments whose positions relative to the centre of mass are compared."""


@dataclass(frozen=True, eq=False)
class BodyFeatures:
    """Features of B states of a body.

    local (B, S - 1, 4): rotations of the segments relative to their parents; root (B, 4): of the pelvis
    com (B, 3) [m], com_velocity (B, 3) [m/s], angular_momentum (B, 3) [kg m^2/s] about the com
    ends (B, E, 3): positions of hands, feet and head relative to the com [m]
    joint_velocity (B, nv - 6) [rad/s]
    """

    local: FloatArray
    root: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    angular_momentum: FloatArray
    ends: FloatArray
    joint_velocity: FloatArray

    def __getitem__(self, samples: slice | FloatArray | list[int]) -> BodyFeatures:
        """Return the features of some of the states."""
        return BodyFeatures(*(getattr(self, name)[samples] for name in self.__dataclass_fields__))


def measure_features(spec: CharacterSpec, qpos: FloatArray, qvel: FloatArray) -> BodyFeatures:
    """Measure states qpos (B, nq), qvel (B, nv)."""
    position, quaternion = segment_poses(spec, qpos)
    centres = segment_centres(spec, position, quaternion)
    angular, linear = _segment_velocities(spec, position, quaternion, qvel)
    mass = np.array([segment.mass for segment in spec])
    centre_velocity = linear + np.cross(angular, centres - position)
    com = np.einsum("bsi,s->bi", centres, mass) / mass.sum()
    com_velocity = np.einsum("bsi,s->bi", centre_velocity, mass) / mass.sum()
    inertia = np.array([segment.inertia for segment in spec])
    own_angular = rotations.rotate(rotations.conjugate(quaternion), angular)
    turning = rotations.rotate(quaternion, inertia * own_angular)
    orbiting = np.cross(centres - com[:, None], mass[:, None] * (centre_velocity - com_velocity[:, None]))
    parents = spec.parents[1:]
    ends = [i for i, name in enumerate(spec.names) if name.partition(".")[0] in ENDS]
    return BodyFeatures(
        local=rotations.relative(quaternion[:, parents], quaternion[:, 1:]),
        root=quaternion[:, 0],
        com=com,
        com_velocity=com_velocity,
        angular_momentum=(turning + orbiting).sum(axis=1),
        ends=position[:, ends] - com[:, None],
        joint_velocity=qvel[:, 6:],
    )


def _segment_velocities(
    spec: CharacterSpec, position: FloatArray, quaternion: FloatArray, qvel: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return angular velocities and velocities of the origins of all segments in the world (B, S, 3).

    The engine's root velocity is linear in the world and angular in the pelvis; joints turn in their child.
    """
    angular, linear = np.zeros_like(position), np.zeros_like(position)
    linear[:, 0] = qvel[:, :3]
    angular[:, 0] = rotations.rotate(quaternion[:, 0], qvel[:, 3:6])
    parents, column = spec.parents, 6
    for i, segment in enumerate(spec.segments[1:], start=1):
        parent, joint = int(parents[i]), segment.joint
        if joint.kind is JointKind.HINGE:
            relative: FloatArray = np.asarray(qvel[:, column : column + 1] * joint.axis)
            column += 1
        else:
            relative = qvel[:, column : column + 3]
            column += 3
        angular[:, i] = angular[:, parent] + rotations.rotate(quaternion[:, i], relative)
        arm = position[:, i] - position[:, parent]
        linear[:, i] = linear[:, parent] + np.cross(angular[:, parent], arm)
    return angular, linear
