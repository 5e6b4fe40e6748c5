"""From bone poses to joint angles and back.

Forth: a segment takes its driver bone's rotation; what a hinge cannot hold is left out.
Back: a bone rides on its segment, with whatever it did relative to that segment in the source:
T_bone = T_segment * inv(T_segment_source) * T_bone_source. So nothing is lost on the way.
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
    """Joint coordinates (T, nq): root position, root quaternion, then each joint in order."""
    world = segment_rotations(binding, motion)
    columns = [motion.position_world[:, binding.joint[0]], world[:, 0]]
    reached = {spec.segments[0].name: world[:, 0]}
    for i, segment in enumerate(spec.segments[1:], start=1):
        assert segment.parent is not None
        joint = segment.joint
        relative = rotations.relative(reached[segment.parent], world[:, i])
        turn = rotations.relative(joint.centre, relative)
        if joint.kind is JointKind.HINGE:
            angle = np.unwrap(twist(turn, joint.axis))[:, None]
            columns.append(angle)
            turn = rotations.from_vector(angle * joint.axis)
        else:
            # MuJoCo's rotation vectors are those of the nearer hemisphere.
            turn = turn * np.where(turn[:, :1] < 0.0, -1.0, 1.0)
            columns.append(turn)
        reached[segment.name] = rotations.multiply(
            reached[segment.parent], rotations.multiply(joint.centre, turn)
        )
    return np.concatenate(columns, axis=1)


def segment_poses(spec: CharacterSpec, qpos: FloatArray) -> tuple[FloatArray, FloatArray]:
    """World positions (T, S, 3) and quaternions (T, S, 4) of all segments by forward kinematics."""
    positions = {spec.segments[0].name: qpos[:, :3]}
    quaternions = {spec.segments[0].name: qpos[:, 3:7]}
    column = 7
    for segment in spec.segments[1:]:
        assert segment.parent is not None
        joint, parent = segment.joint, segment.parent
        if joint.kind is JointKind.HINGE:
            turn = rotations.from_vector(qpos[:, column : column + 1] * joint.axis)
            column += 1
        else:
            turn = qpos[:, column : column + 4]
            column += 4
        positions[segment.name] = positions[parent] + rotations.rotate(quaternions[parent], segment.anchor)
        local = rotations.multiply(joint.centre, turn)
        quaternions[segment.name] = rotations.multiply(quaternions[parent], local)
    return np.stack(list(positions.values()), axis=1), np.stack(list(quaternions.values()), axis=1)


def segment_centres(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Centres of mass (T, S, 3), from segment poses (T, S, 3) and (T, S, 4)."""
    return positions + rotations.rotate(quaternions, np.array([segment.com for segment in spec]))


def centre_of_mass(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Of the whole body (T, 3), from segment poses (T, S, 3) and (T, S, 4)."""
    mass = np.array([segment.mass for segment in spec])
    return np.einsum("tsi,s->ti", segment_centres(spec, positions, quaternions), mass) / mass.sum()


def carry_bones(
    binding: RigBinding,
    source: Motion,
    segments_source: tuple[FloatArray, FloatArray],
    segments_new: tuple[FloatArray, FloatArray],
    bones: np.ndarray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Positions (T, M, 3) and quaternions (T, M, 4) of mapped bones on moved segments.

    bones: which of binding.bone, by position; all when None
    """
    chosen = np.arange(len(binding.bone)) if bones is None else bones
    bone, segment = binding.bone[chosen], binding.bone_segment[chosen]
    position_source, quaternion_source = (array[:, segment] for array in segments_source)
    position_new, quaternion_new = (array[:, segment] for array in segments_new)
    offset = source.position_world[:, bone] - position_source
    turn = rotations.multiply(quaternion_new, rotations.conjugate(quaternion_source))
    return (
        position_new + rotations.rotate(turn, offset),
        rotations.multiply(turn, source.quaternion_world[:, bone]),
    )
