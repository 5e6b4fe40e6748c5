"""Few keys in place of one at every frame: stances of the feet, and the reduction of a pose."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import FCurve

from ...sim_core.base.conventions import BoolArray, FloatArray, IntArray
from ...sim_core.base.intervals import true_intervals
from ...sim_core.keys.bone_errors import BoneTree
from ...sim_core.keys.channel import LOCATION, Track
from ...sim_core.keys.key_limits import KeyFigures, KeyLimits
from ...sim_core.keys.reduce import ReducedKeys, reduce_keys
from ...sim_core.motion.skeleton import NO_PARENT
from ...sim_core.recognition.mapping import SIDES, BoneMapping
from ...sim_core.result.metrics import LOADED_N
from ...sim_core.result.result import Result
from ..blender import compat
from ..blender.blender_types import ArmatureObject
from ..blender.channels import Channel, rotation_property
from ..blender.curve_keys import CurveKeys
from ..blender.matrices import turned, unscaled
from ..blender.rig_space import RigSpace
from ..reading.motion_reader import SampledMotion
from .new_pose import NewPose
from .root_carrier import OBJECT

SHORTEST = 3
"""Shortest stance in frames; shorter contacts are ignored."""

Stances = Mapping[str, BoolArray]
"""Whether each foot, by its bone's name, stands at the F whole frames."""


def stances_of(result: Result, sampled: SampledMotion, mapping: BoneMapping) -> Stances:
    """Return when each foot stands, from the forces on it."""
    time = sampled.motion.time[sampled.frame_sample]
    nearest = np.clip(np.searchsorted(result.time, time), 0, len(result.time) - 1)
    strength = np.linalg.norm(result.contact_force, axis=-1)
    names, found = result.body_name.tolist(), {}
    for slot in (f"foot.{side}" for side in SIDES):
        if slot in names and slot in mapping:
            of_foot = result.contact_body == names.index(slot)
            load = np.where(of_foot, strength, 0.0).sum(axis=1)[nearest]
            found[mapping.bones[slot][0]] = _settled(load > LOADED_N)
    return found


def _settled(stands: BoolArray) -> BoolArray:
    """Return the flags without intervals that are too short to be a stance."""
    kept = np.zeros_like(stands)
    for start, end in true_intervals(stands):
        kept[start:end] = end - start >= SHORTEST
    return kept


STANDING_SHARE = 0.5
"""Share of the allowed error for a standing foot, because its error is visible as sliding."""


@dataclass(frozen=True)
class KeyChoice:
    """The allowed errors of few keys, and when feet stand."""

    limits: KeyLimits
    stances: Stances


def fewer_keys(
    rig: RigSpace, sampled: SampledMotion, pose: NewPose, channels: Sequence[Channel], choice: KeyChoice
) -> Generator[float, None, ReducedKeys]:
    """Return curves with few keys for all channels, yielding the share done."""
    tree = _tree(rig, sampled, pose)
    stands = {1 + sampled.skeleton.index[name]: flags for name, flags in choice.stances.items()}
    share = allowed_share(len(sampled.frame), len(tree.parents), stands)
    kept = stance_key_frames(tree, stands)
    tracks = []
    for channel in channels:
        tracks.append(_track(rig, sampled, pose, channel, kept))
        yield 0.0
    frame = sampled.frame.astype(np.float64)
    return (yield from reduce_keys(frame, tree, tracks, *choice.limits.allowed(share)))


DENSE = 0.5
"""Share of frames with a key from which on a curve was sampled, not set by hand."""


def with_dense_bones(
    pose: NewPose,
    rig: RigSpace,
    obj: ArmatureObject,
    target: compat.SlottedAction,
    sampled: SampledMotion,
) -> NewPose:
    """Add the bones that are not simulated but have keys at most frames, so that they get few, too."""
    dense = {curve.data_path for curve in compat.curves_of(target) if _is_dense(curve, sampled)}
    pose_bones = [obj.pose.bones[bone.name] for bone in rig.bones]
    turned_bones = [
        number
        for number, bone in enumerate(pose_bones)
        if bone.path_from_id(rotation_property(bone.rotation_mode)) in dense
    ]
    moved = [n for n, bone in enumerate(pose_bones) if bone.path_from_id("location") in dense]
    return replace(
        pose,
        turned_bones=tuple(sorted({*pose.turned_bones, *turned_bones})),
        moved_bones=tuple(sorted({*pose.moved_bones, *moved})),
    )


def _is_dense(curve: FCurve, sampled: SampledMotion) -> bool:
    return _inside(CurveKeys.of(curve), sampled) > DENSE * len(sampled.frame)


def _inside(keys: CurveKeys, sampled: SampledMotion) -> int:
    """Return the number of keys in the frames that were read."""
    return int(np.sum((keys.frame >= sampled.frame[0]) & (keys.frame <= sampled.frame[-1])))


def count_keys(target: compat.SlottedAction, sampled: SampledMotion, figures: KeyFigures) -> KeyFigures:
    """Return the figures with all keys of the action, inside and outside the frames that were read."""
    every = [CurveKeys.of(curve) for curve in compat.curves_of(target)]
    inside = [_inside(keys, sampled) for keys in every]
    return replace(
        figures,
        count=sum(inside),
        every_frame=len(sampled.frame) * sum(count > 0 for count in inside),
        outside=sum(len(keys.frame) for keys in every) - sum(inside),
    )


def _tree(rig: RigSpace, sampled: SampledMotion, pose: NewPose) -> BoneTree:
    """Return the tree of the object and its bones."""
    origin = sampled.metres_per_unit * sampled.object_matrix[:, None, :3, 3]
    return BoneTree(
        np.concatenate([[NO_PARENT], rig.parents + 1]),
        np.concatenate([origin, heads_world(sampled, pose.pose_matrix)], axis=1),
        (True, *rig.inherits_rotation),
    )


def heads_world(sampled: SampledMotion, pose_matrix: FloatArray) -> FloatArray:
    """Return the heads of bones with pose matrices (F, N, 4, 4) in the world (F, N, 3) [m]."""
    placed = sampled.object_matrix[:, None, :3]
    return sampled.metres_per_unit * (turned(placed[..., :3], pose_matrix[:, :, :3, 3]) + placed[..., 3])


def channel_to_world(
    rig: RigSpace, sampled: SampledMotion, pose_matrix: FloatArray, bone: int, mode: str
) -> FloatArray:
    """Return the matrices (F, 3, 3) from a bone's location [m] or rotation channels to the world."""
    placed = sampled.object_matrix[:, :3, :3]
    if mode == LOCATION:
        return sampled.metres_per_unit * placed @ rig.location_space(bone, pose_matrix)[:, :3, :3]
    return unscaled(placed) @ unscaled(rig.rotation_space(bone, pose_matrix))


def allowed_share(frames: int, bones: int, stands: dict[int, BoolArray]) -> FloatArray:
    """Return the share of the allowed error for all bones at all frames (F, N)."""
    share = np.ones((frames, bones))
    for bone, flags in stands.items():
        share[flags, bone] = STANDING_SHARE
    return share


def stance_key_frames(tree: BoneTree, stands: dict[int, BoolArray]) -> dict[int, IntArray]:
    """Return the frames at which feet begin and end to stand, for each bone that carries them."""
    found: dict[int, set[int]] = {}
    for bone, flags in stands.items():
        changes = np.flatnonzero(np.diff(flags.astype(np.int8)))
        starts = changes + ~flags[changes]  # the first and the last frame that stands
        above = bone
        while above != NO_PARENT:
            found.setdefault(above, set()).update(starts.tolist())
            above = int(tree.parents[above])
    return {bone: np.array(sorted(frames), dtype=np.int64) for bone, frames in found.items()}


def _track(
    rig: RigSpace, sampled: SampledMotion, pose: NewPose, channel: Channel, kept: dict[int, IntArray]
) -> Track:
    bone, node = channel.bone, channel.bone + 1
    if bone == OBJECT:
        to_world = sampled.metres_per_unit * sampled.object_parent_linear
    else:
        to_world = channel_to_world(rig, sampled, pose.pose_matrix, bone, channel.mode)
    frames = kept.get(node, np.zeros(0, dtype=np.int64))
    return Track(node, channel.mode, channel.values, to_world, frames)
