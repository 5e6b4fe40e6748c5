"""A motion on a preset character: what another body did, with this one's proportions.

Segments keep their directions in the world; the path and the height above ground grow with the
legs. The outcome is a motion of the preset's own skeleton, one bone a segment, whose rest pose is
the neutral one. So nothing after this differs from a rig's own character.
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

STANDS_BELOW = 0.03
"""Soles of the source lower than this stand on the ground [m]."""


@dataclass(frozen=True, eq=False)
class TransferredMotion:
    """A preset character whose joints hold the motion, the motion on its own skeleton, and their tie."""

    spec: CharacterSpec
    binding: RigBinding
    motion: Motion


def transfer_motion(spec: CharacterSpec, motion: Motion, mapping: BoneMapping) -> TransferredMotion:
    """The motion of a rig transferred to a preset character that stands on ground at height zero."""
    source = character_from_rig(motion, mapping)
    turns = _world_turns(spec, source, motion, mapping)
    hips = source.binding.joint[[source.binding.index(f"thigh.{side}") for side in SIDES]]
    above_ground = motion.position_world[:, hips].mean(axis=1) - source.ground_height * Z_UP
    root = above_ground * (_standing_hip(spec) / _standing_hip(source.spec))
    if is_planar(spec):
        root, turns = _into_plane(root, turns)
    skeleton = neutral_skeleton(spec)
    performed = Motion(skeleton, motion.time, _chain(spec, root, turns), turns)
    lifted = _lifted(spec, performed, source, motion)
    return TransferredMotion(_with_room(spec, turns), own_binding(spec, skeleton), lifted)


def is_planar(spec: CharacterSpec) -> bool:
    """All joints are pins, so the body moves in one upright plane."""
    return all(segment.joint.kind is not JointKind.BALL for segment in spec)


def neutral_skeleton(spec: CharacterSpec) -> Skeleton:
    """One bone a segment, named like it, in the neutral pose with the soles at height zero."""
    turn = np.tile(IDENTITY_QUATERNION, (1, len(spec.segments), 1))
    positions = _chain(spec, np.zeros((1, 3)), turn)[0]
    return Skeleton(spec.names, spec.parents, positions + _standing_hip(spec) * Z_UP, turn[0])


def own_binding(spec: CharacterSpec, skeleton: Skeleton) -> RigBinding:
    """Each bone drives the segment of its name, with the same axes."""
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
    """Height of the hips above the soles on straight legs [m]."""
    legs = [-spec[f"{name}.L"].anchor[2] for name in ("shin", "foot")]
    return float(sum(legs) - spec["foot.L"].contact_points[:, 2].min())


def _world_turns(
    spec: CharacterSpec, source: RigCharacter, motion: Motion, mapping: BoneMapping
) -> FloatArray:
    """World rotations of the preset's segments (T, S, 4); those the rig lacks follow their parent."""
    binding = source.binding
    known = dict(zip(binding.names, np.moveaxis(segment_rotations(binding, motion), 1, 0), strict=True))
    if "chest" not in spec.names and "abdomen" in known:
        # A trunk in one piece leans like the middle of the spine.
        known["pelvis"] = known["abdomen"]
    for name, carrier in (("clavicle", "chest"), ("toe", "foot")):
        for side in SIDES:
            slot, on = f"{name}.{side}", f"{carrier}.{side}" if name == "toe" else carrier
            if slot in mapping and on in known:
                known[slot] = _merged_turn(binding, motion, mapping.first(slot), binding.index(on))
    turns: dict[str, FloatArray] = {}
    for segment in spec:
        turns[segment.name] = known[segment.name] if segment.name in known else turns[str(segment.parent)]
    return np.stack(list(turns.values()), axis=1)


def _merged_turn(binding: RigBinding, motion: Motion, bone_name: str, carrier: int) -> FloatArray:
    """Rotation of a bone that the rig's character merges into a segment, in that segment's axes at rest."""
    bone = binding.skeleton.index[bone_name]
    rest = binding.skeleton.rest_quaternion_world[bone]
    offset = rotations.relative(rest, binding.rest_quaternion_world[carrier])
    return rotations.multiply(motion.quaternion_world[:, bone], offset)


def _into_plane(root: FloatArray, turns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The motion seen from the side: the plane runs along the mean facing direction."""
    facing = rotations.rotate(turns[:, 0], X_FORWARD).mean(axis=0)
    heading = rotations.from_vector(np.arctan2(facing[1], facing[0]) * Z_UP)
    local = rotations.relative(heading, turns)
    pitch = twist(local, Y_LEFT)
    flat = rotations.multiply(heading, rotations.from_vector(pitch[..., None] * Y_LEFT))
    left = rotations.rotate(heading, Y_LEFT)
    middle = root.mean(axis=0)
    return root - ((root - middle) @ left)[:, None] * left, flat


def _chain(spec: CharacterSpec, root: FloatArray, turns: FloatArray) -> FloatArray:
    """Joint positions (T, S, 3) of segments with the given world rotations (T, S, 4)."""
    positions: dict[str, FloatArray] = {}
    for segment in spec:
        if segment.parent is None:
            positions[segment.name] = root
            continue
        parent = turns[:, spec.names.index(segment.parent)]
        positions[segment.name] = positions[segment.parent] + rotations.rotate(parent, segment.anchor)
    return np.stack(list(positions.values()), axis=1)


def _with_room(spec: CharacterSpec, turns: FloatArray) -> CharacterSpec:
    """The character with joint ranges that hold world rotations (T, S, 4)."""
    segments = [spec.segments[0]]
    for i, segment in enumerate(spec.segments[1:], start=1):
        parent = turns[:, spec.names.index(str(segment.parent))]
        joint, _ = widened(segment.joint, rotations.relative(parent, turns[:, i]))
        segments.append(replace(segment, joint=joint))
    return replace(spec, segments=tuple(segments))


def _lifted(spec: CharacterSpec, performed: Motion, source: RigCharacter, motion: Motion) -> Motion:
    """Raised or lowered as a whole so that it stands where the source stood."""
    source_qpos = pose_from_motion(source.spec, source.binding, motion)
    source_low = lowest_sole(source.spec, *segment_poses(source.spec, source_qpos)) - source.ground_height
    own_low = lowest_sole(spec, performed.position_world, performed.quaternion_world)
    stands = source_low < max(STANDS_BELOW, float(source_low.min()) + STANDS_BELOW)
    lift = float(np.median((source_low - own_low)[stands]))
    return replace(performed, position_world=performed.position_world + lift * Z_UP)


def lowest_sole(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Height of the lowest sole point (T) of segments at world poses (T, S, 3) and (T, S, 4) [m]."""
    return sole_corners(spec, positions, quaternions)[..., 2].min(axis=1)


def sole_corners(spec: CharacterSpec, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Sole points in the world (T, K, 3) of segments at world poses (T, S, 3) and (T, S, 4) [m]."""
    points = [
        positions[:, i, None] + rotations.rotate(quaternions[:, i, None], segment.contact_points)
        for i, segment in enumerate(spec)
        if len(segment.contact_points)
    ]
    return np.concatenate(points, axis=1)
