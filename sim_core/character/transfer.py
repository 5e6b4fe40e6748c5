"""Transfer of a motion from a rig to a preset character with other proportions.

Segments keep their rotations in the world; the path and the height above ground scale with the legs. The
result is a motion of the preset's own skeleton, which has one bone for each segment and rests in the neutral
pose, so that everything else treats it like a rig's own character.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, X_FORWARD, Y_LEFT, Z_UP, FloatArray
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton
from ..recognition.mapping import SIDES, BoneMapping
from .binding import RigBinding, SegmentBones
from .from_rig import RigCharacter, character_from_rig, segment_rotations, widened
from .hinges import twist
from .posing import pose_from_motion, segment_poses
from .spec import CharacterSpec, JointKind

STANDING_HEIGHT = 0.03
"""Height of the source's soles, below which they stand on the ground [m]."""


@dataclass(frozen=True, eq=False)
class TransferredMotion:
    """A preset character whose joint ranges include the motion, its binding, and the motion."""

    spec: CharacterSpec
    binding: RigBinding
    motion: Motion


def transfer_motion(spec: CharacterSpec, motion: Motion, mapping: BoneMapping) -> TransferredMotion:
    """Transfer the motion of a rig to a preset character that stands on ground at height zero."""
    source = character_from_rig(motion, mapping)
    quaternions = _world_quaternions(spec, source, motion, mapping)
    hips = source.binding.joint[[source.binding.index(f"thigh.{side}") for side in SIDES]]
    above_ground = motion.position_world[:, hips].mean(axis=1) - source.ground_height * Z_UP
    root = above_ground * (_standing_hip(spec) / _standing_hip(source.spec))
    if is_planar(spec):
        root, quaternions = _into_plane(root, quaternions)
    skeleton = neutral_skeleton(spec)
    transferred = Motion(skeleton, motion.time, _chain(spec, root, quaternions), quaternions)
    lifted = _lifted(spec, transferred, source, motion)
    return TransferredMotion(_with_wider_limits(spec, quaternions), own_binding(spec, skeleton), lifted)


def is_planar(spec: CharacterSpec) -> bool:
    """Return whether all joints are hinges, so that the body moves in one vertical plane."""
    return all(segment.joint.kind is not JointKind.BALL for segment in spec)


def neutral_skeleton(spec: CharacterSpec) -> Skeleton:
    """Return a skeleton of one bone for each segment, in the neutral pose with the soles at height zero."""
    quaternions = np.tile(IDENTITY_QUATERNION, (1, len(spec.segments), 1))
    positions = _chain(spec, np.zeros((1, 3)), quaternions)[0]
    return Skeleton(spec.names, spec.parents, positions + _standing_hip(spec) * Z_UP, quaternions[0])


def own_binding(spec: CharacterSpec, skeleton: Skeleton) -> RigBinding:
    """Return a binding in which each bone drives the segment of its name, with the same axes."""
    count = len(spec.segments)
    axes = np.tile(IDENTITY_QUATERNION, (count, 1))
    return RigBinding(
        skeleton=skeleton,
        segments=tuple(SegmentBones(s.name, s.parent, s.name, s.name, (s.name,)) for s in spec),
        driver=np.arange(count),
        joint=np.arange(count),
        rest_quaternion_world=axes,
        bone_to_segment=axes,
        bone=np.arange(count),
        bone_segment=np.arange(count),
        detached=np.arange(count) == 0,
    )


def _standing_hip(spec: CharacterSpec) -> float:
    """Return the height of the hips above the soles on straight legs [m]."""
    legs = [-spec[f"{name}.L"].anchor[2] for name in ("shin", "foot")]
    return float(sum(legs) - spec["foot.L"].contact_points[:, 2].min())


def _world_quaternions(
    spec: CharacterSpec, source: RigCharacter, motion: Motion, mapping: BoneMapping
) -> FloatArray:
    """Return world rotations of the preset's segments (T, S, 4); missing ones follow their parent."""
    binding = source.binding
    known = dict(zip(binding.names, np.moveaxis(segment_rotations(binding, motion), 1, 0), strict=True))
    if "chest" not in spec.names and "abdomen" in known:
        # A trunk of one segment has the rotation of the middle of the spine.
        known["pelvis"] = known["abdomen"]
    for name, parent in (("clavicle", "chest"), ("toe", "foot")):
        for side in SIDES:
            slot, target = f"{name}.{side}", f"{parent}.{side}" if name == "toe" else parent
            if slot in mapping and target in known:
                known[slot] = _merged_bone_quaternion(
                    binding, motion, mapping.first(slot), binding.index(target)
                )
    quaternions: dict[str, FloatArray] = {}
    for segment in spec:
        quaternions[segment.name] = (
            known[segment.name] if segment.name in known else quaternions[str(segment.parent)]
        )
    return np.stack(list(quaternions.values()), axis=1)


def _merged_bone_quaternion(binding: RigBinding, motion: Motion, bone_name: str, segment: int) -> FloatArray:
    """Return the rotation (T, 4) of a bone that is merged into a segment, in that segment's axes."""
    bone = binding.skeleton.index[bone_name]
    rest = binding.skeleton.rest_quaternion_world[bone]
    offset = rotations.relative(rest, binding.rest_quaternion_world[segment])
    return rotations.multiply(motion.quaternion_world[:, bone], offset)


def _into_plane(root: FloatArray, quaternions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Project root positions and rotations on the vertical plane along the mean facing direction."""
    facing = rotations.rotate(quaternions[:, 0], X_FORWARD).mean(axis=0)
    heading = rotations.from_vector(np.arctan2(facing[1], facing[0]) * Z_UP)
    local = rotations.relative(heading, quaternions)
    pitch = twist(local, Y_LEFT)
    flat = rotations.multiply(heading, rotations.from_vector(pitch[..., None] * Y_LEFT))
    left = rotations.rotate(heading, Y_LEFT)
    middle = root.mean(axis=0)
    return root - ((root - middle) @ left)[:, None] * left, flat


def _chain(spec: CharacterSpec, root: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return joint positions (T, S, 3) of segments with the given world rotations (T, S, 4)."""
    positions: dict[str, FloatArray] = {}
    for segment in spec:
        if segment.parent is None:
            positions[segment.name] = root
            continue
        parent = quaternions[:, spec.names.index(segment.parent)]
        positions[segment.name] = positions[segment.parent] + rotations.rotate(parent, segment.anchor)
    return np.stack(list(positions.values()), axis=1)


def _with_wider_limits(spec: CharacterSpec, quaternions: FloatArray) -> CharacterSpec:
    """Return the character with joint ranges that include world rotations (T, S, 4)."""
    segments = [spec.segments[0]]
    for i, segment in enumerate(spec.segments[1:], start=1):
        parent = quaternions[:, spec.names.index(str(segment.parent))]
        joint, _ = widened(segment.joint, rotations.relative(parent, quaternions[:, i]))
        segments.append(replace(segment, joint=joint))
    return replace(spec, segments=tuple(segments))


def _lifted(spec: CharacterSpec, transferred: Motion, source: RigCharacter, motion: Motion) -> Motion:
    """Return the motion, raised or lowered as a whole so that it stands where the source stands."""
    source_qpos = pose_from_motion(source.spec, source.binding, motion)
    source_low = lowest_sole(source.spec, *segment_poses(source.spec, source_qpos)) - source.ground_height
    own_low = lowest_sole(spec, transferred.position_world, transferred.quaternion_world)
    stands = source_low < max(STANDING_HEIGHT, float(source_low.min()) + STANDING_HEIGHT)
    lift = float(np.median((source_low - own_low)[stands]))
    return replace(transferred, position_world=transferred.position_world + lift * Z_UP)


def lowest_sole(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return the height of the lowest sole point (T) [m], from segment poses (T, S, 3) and (T, S, 4)."""
    return sole_corners(spec, positions, quaternions)[..., 2].min(axis=1)


def sole_corners(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return sole points in the world (T, K, 3) [m], from segment poses (T, S, 3) and (T, S, 4)."""
    points = [
        positions[:, i, None] + rotations.rotate(quaternions[:, i, None], segment.contact_points)
        for i, segment in enumerate(spec)
        if len(segment.contact_points)
    ]
    return np.concatenate(points, axis=1)
