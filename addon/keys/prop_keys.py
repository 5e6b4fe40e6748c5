"""The channels of an object as tracks of the core, and the curves with few keys that come back."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.keys.channel import LOCATION, Track
from ...sim_core.keys.key_limits import KeyLimits
from ...sim_core.keys.reduce import FewKeys, reducing_keys
from ...sim_core.keys.tree import Tree
from ...sim_core.motion.skeleton import NO_PARENT
from ..channel_keys import Channel
from ..matrices import unscaled


@dataclass(frozen=True, eq=False)
class PropPath:
    """Where an object is at F frames.

    origin_world (F, 3), corners_world (F, 8, 3) [m]: the corners of its bounding box
    space_m (3, 3): turns its own location into the world [m]
    kept (.): indices of frames that are keys whatever the curve does
    """

    origin_world: FloatArray
    corners_world: FloatArray
    space_m: FloatArray
    kept: IntArray


def fewer_prop_keys(
    frame: IntArray, path: PropPath, channels: Sequence[Channel], limits: KeyLimits
) -> Generator[float, None, FewKeys]:
    """Curves that keep the object, to its corners, within limits; gives back control with the share done."""
    places = np.concatenate([path.origin_world[:, None], path.corners_world], axis=1)
    frames, nodes = places.shape[:2]
    tree = Tree(np.array([NO_PARENT] + [0] * (nodes - 1)), places, (True,) * nodes)
    tracks = [_track(path, channel, frames) for channel in channels]
    allowed = limits.allowed(np.ones((frames, nodes)))
    return (yield from reducing_keys(frame.astype(np.float64), tree, tracks, *allowed))


def _track(path: PropPath, channel: Channel, frames: int) -> Track:
    to_world = path.space_m if channel.mode == LOCATION else unscaled(path.space_m)
    every = np.broadcast_to(to_world, (frames, 3, 3))
    return Track(0, channel.mode, channel.values, every, path.kept)
