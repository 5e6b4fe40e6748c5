"""The channels of a pose as tracks of the core, and the curves with few keys that come back."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ...sim_core.base.conventions import BoolArray, FloatArray, IntArray
from ...sim_core.keys.channel import LOCATION, Track
from ...sim_core.keys.key_limits import KeyLimits
from ...sim_core.keys.reduce import FewKeys, reducing_keys
from ...sim_core.keys.tree import Tree
from ...sim_core.motion.skeleton import NO_PARENT
from ..channel_keys import Channel
from ..matrices import turned, unscaled
from ..motion_reader import SampledMotion
from ..new_pose import NewPose
from ..rig_space import RigSpace
from ..root_carrier import OBJECT
from .stances import Stances

STANDING_SHARE = 0.5
"""Of the largest error, for a foot while it stands: what it is off by is seen as sliding."""


@dataclass(frozen=True)
class KeyChoice:
    """How far keys may be off, and when feet stand."""

    limits: KeyLimits
    stances: Stances


def fewer_keys(
    rig: RigSpace, sampled: SampledMotion, pose: NewPose, channels: Sequence[Channel], choice: KeyChoice
) -> Generator[float, None, FewKeys]:
    """Curves for all channels, giving back control with the share done."""
    tree = _tree(rig, sampled, pose)
    stands = {1 + sampled.skeleton.index[name]: flags for name, flags in choice.stances.items()}
    share = allowed_share(len(sampled.frame), len(tree.parents), stands)
    kept = kept_for_stances(tree, stands)
    tracks = []
    for channel in channels:
        tracks.append(_track(rig, sampled, pose, channel, kept))
        yield 0.0
    frame = sampled.frame.astype(np.float64)
    return (yield from reducing_keys(frame, tree, tracks, *choice.limits.allowed(share)))


def _tree(rig: RigSpace, sampled: SampledMotion, pose: NewPose) -> Tree:
    """The object, then its bones."""
    origin = sampled.metres_per_unit * sampled.object_matrix[:, None, :3, 3]
    return Tree(
        np.concatenate([[NO_PARENT], rig.parents + 1]),
        np.concatenate([origin, heads_world(sampled, pose.pose_matrix)], axis=1),
        (True, *rig.inherits_rotation),
    )


def heads_world(sampled: SampledMotion, pose_matrix: FloatArray) -> FloatArray:
    """Of bones with pose matrices (F, N, 4, 4), in the world (F, N, 3) [m]."""
    placed = sampled.object_matrix[:, None, :3]
    return sampled.metres_per_unit * (turned(placed[..., :3], pose_matrix[:, :, :3, 3]) + placed[..., 3])


def channel_to_world(
    rig: RigSpace, sampled: SampledMotion, pose_matrix: FloatArray, bone: int, mode: str
) -> FloatArray:
    """What turns a bone's own location [m] or rotation into the world (F, 3, 3)."""
    placed = sampled.object_matrix[:, :3, :3]
    if mode == LOCATION:
        return sampled.metres_per_unit * placed @ rig.location_space(bone, pose_matrix)[:, :3, :3]
    return unscaled(placed) @ unscaled(rig.rotation_space(bone, pose_matrix))


def allowed_share(frames: int, bones: int, stands: dict[int, BoolArray]) -> FloatArray:
    """Of the largest error, for all bones at all frames (F, N)."""
    share = np.ones((frames, bones))
    for bone, flags in stands.items():
        share[flags, bone] = STANDING_SHARE
    return share


def kept_for_stances(tree: Tree, stands: dict[int, BoolArray]) -> dict[int, IntArray]:
    """Frames at which feet begin and cease to stand, for each of the bones that carry them."""
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
