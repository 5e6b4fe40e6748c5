"""Conversion from bone poses to joint coordinates and back.

A segment has the rotation of its driver bone, except for rotation that a hinge cannot have. Back again, a
bone moves with its segment and keeps its pose relative to that segment in the source, so no detail is lost:
T_bone = T_segment * inv(T_segment_source) * T_bone_source.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from .binding import RigBinding
from .from_rig import segment_rotations
from .hinges import twist
from .spec import CharacterSpec, JointKind


def pose_from_motion(spec: CharacterSpec, binding: RigBinding, motion: Motion) -> FloatArray:
    """Return joint coordinates (T, nq): root position, root quaternion, then each joint in order."""
    root = motion.position_world[:, binding.joint[0]]
    return pose_from_rotations(spec, root, segment_rotations(binding, motion))


def pose_from_rotations(spec: CharacterSpec, root: FloatArray, world: FloatArray) -> FloatArray:
    """Return joint coordinates (T, nq) for the root's position (T, 3) and the segments' axes (T, S, 4)."""
    columns = [root, world[:, 0]]
    reached = {spec.segments[0].name: world[:, 0]}
    for i, segment in enumerate(spec.segments[1:], start=1):
        assert segment.parent is not None
        joint = segment.joint
        relative = rotations.relative(reached[segment.parent], world[:, i])
        rotation = rotations.relative(joint.centre, relative)
        if joint.kind is JointKind.HINGE:
            angle = np.unwrap(twist(rotation, joint.axis))[:, None]
            columns.append(angle)
            rotation = rotations.from_vector(angle * joint.axis)
        else:
            # MuJoCo takes the rotation vector of the shorter rotation, so the scalar part is made positive.
            rotation = rotation * np.where(rotation[:, :1] < 0.0, -1.0, 1.0)
            columns.append(rotation)
        reached[segment.name] = rotations.multiply(
            reached[segment.parent], rotations.multiply(joint.centre, rotation)
        )
    return np.concatenate(columns, axis=1)


def segment_poses(spec: CharacterSpec, qpos: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return world positions (T, S, 3) and quaternions (T, S, 4) of all segments by forward kinematics."""
    positions = {spec.segments[0].name: qpos[:, :3]}
    quaternions = {spec.segments[0].name: qpos[:, 3:7]}
    column = 7
    for segment in spec.segments[1:]:
        assert segment.parent is not None
        joint, parent = segment.joint, segment.parent
        if joint.kind is JointKind.HINGE:
            rotation = rotations.from_vector(qpos[:, column : column + 1] * joint.axis)
            column += 1
        else:
            rotation = qpos[:, column : column + 4]
            column += 4
        positions[segment.name] = positions[parent] + rotations.rotate(quaternions[parent], segment.anchor)
        local = rotations.multiply(joint.centre, rotation)
        quaternions[segment.name] = rotations.multiply(quaternions[parent], local)
    return np.stack(list(positions.values()), axis=1), np.stack(list(quaternions.values()), axis=1)


def segment_centres(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return the segments' centres of mass (T, S, 3) [m], from their poses (T, S, 3) and (T, S, 4)."""
    return positions + rotations.rotate(quaternions, np.array([segment.com for segment in spec]))


def centre_of_mass(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return the body's centre of mass (T, 3) [m], from segment poses (T, S, 3) and (T, S, 4)."""
    mass = np.array([segment.mass for segment in spec])
    return np.einsum("tsi,s->ti", segment_centres(spec, positions, quaternions), mass) / mass.sum()


def bones_on_segments(
    binding: RigBinding,
    source: Motion,
    segments_source: tuple[FloatArray, FloatArray],
    segments_new: tuple[FloatArray, FloatArray],
    bones: np.ndarray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return positions (T, M, 3) and quaternions (T, M, 4) of mapped bones on moved segments.

    bones: indices into binding.bone, or None for all of them
    """
    offset, turn = bones_in_segments(binding, source, segments_source, bones)
    return bones_with_segments(binding, offset, turn, segments_new, bones)


def bones_in_segments(
    binding: RigBinding,
    source: Motion,
    segments: tuple[FloatArray, FloatArray],
    bones: np.ndarray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return positions (T, M, 3) and rotations (T, M, 4) of mapped bones in the frames of their segments."""
    chosen = np.arange(len(binding.bone)) if bones is None else bones
    bone, segment = binding.bone[chosen], binding.bone_segment[chosen]
    position, quaternion = (array[:, segment] for array in segments)
    back = rotations.conjugate(quaternion)
    return (
        rotations.rotate(back, source.position_world[:, bone] - position),
        rotations.multiply(back, source.quaternion_world[:, bone]),
    )


def bones_with_segments(
    binding: RigBinding,
    offset: FloatArray,
    turn: FloatArray,
    segments: tuple[FloatArray, FloatArray],
    bones: np.ndarray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return world poses (..., M, 3), (..., M, 4) of bones that keep their place in moved segments.

    offset (..., M, 3), turn (..., M, 4): of the bones in the frames of their segments
    """
    segment = binding.bone_segment if bones is None else binding.bone_segment[bones]
    position, quaternion = (array[..., segment, :] for array in segments)
    return position + rotations.rotate(quaternion, offset), rotations.multiply(quaternion, turn)
