"""Rewrites a BVH file: another rest pose, unit, axis, rate or name of its joints, and the same motion.

Each joint gets axes of its own, B: its rotation in the world becomes Q B, and the offsets of its children
become inv(B) times the old ones. All joints stay where they are, at every frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray, IntArray
from sim_core.motion.bvh_reader import parse_bvh
from sim_core.motion.motion_file import MotionFile
from sim_core.motion.skeleton import NO_PARENT, Skeleton, local_from_world

ORDER = "ZXY"
NO_TIP = np.zeros(3)
X_AXIS, BACK = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, -1.0])


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion in file axes: names, parents, world poses, and offsets of joints and End Sites.

    loose: all joints have position channels and no offsets
    """

    names: tuple[str, ...]
    parents: IntArray
    position: FloatArray
    quaternion: FloatArray
    offset: FloatArray
    tip: dict[int, FloatArray]
    frame_time_s: float
    loose: bool = False

    @staticmethod
    def read(path: Path) -> Clip:
        """Read a file."""
        file = parse_bvh(path)
        rest: Skeleton = file.rest
        position, quaternion = file.world_poses()
        tips = {rest.index[name]: tip for name, tip in file.tips.items()}
        return Clip(
            rest.names,
            rest.parents,
            position,
            quaternion,
            _offsets(file),
            tips,
            file.frame_time_s,
        )

    def with_axes(self, axes: FloatArray) -> Clip:
        """Return the same motion with other axes of the joints: B (N, 4)."""
        back = rotations.conjugate(axes)
        parents = np.maximum(self.parents, 0)
        offset = np.where(
            (self.parents == NO_PARENT)[:, None],
            self.offset,
            rotations.rotate(back[parents], self.offset),
        )
        tip = {joint: rotations.rotate(back[joint], end) for joint, end in self.tip.items()}
        return replace(self, quaternion=rotations.multiply(self.quaternion, axes), offset=offset, tip=tip)

    def in_axes(self, matrix: FloatArray) -> Clip:
        """Return the motion in other file axes, or mirrored; matrix (3, 3) is orthogonal."""
        turn = np.linalg.det(matrix) * matrix  # of the axes of rotations, which are axial vectors
        quaternion = self.quaternion.copy()
        quaternion[..., 1:] = quaternion[..., 1:] @ turn.T
        return replace(
            self,
            position=self.position @ matrix.T,
            quaternion=quaternion,
            offset=self.offset @ matrix.T,
            tip={joint: matrix @ end for joint, end in self.tip.items()},
        )

    def scaled(self, factor: float) -> Clip:
        """Return the motion in another unit."""
        return replace(
            self,
            position=self.position * factor,
            offset=self.offset * factor,
            tip={joint: end * factor for joint, end in self.tip.items()},
        )

    def write(self, path: Path) -> Path:
        """Write a BVH file."""
        parents = np.asarray(self.parents)
        offset, local = local_from_world(self.position, self.quaternion, parents)
        order = _depth_first(parents)
        columns = []
        for joint in order:
            if self.loose or parents[joint] == NO_PARENT:
                columns.append(offset[:, joint])
            turn = Rotation.from_quat(local[:, joint], scalar_first=True)
            columns.append(turn.as_euler(ORDER, degrees=True))
        rows = np.concatenate(columns, axis=1)
        lines = ["HIERARCHY", *self._block(0, parents), "MOTION", f"Frames: {len(rows)}"]
        lines.append(f"Frame Time: {self.frame_time_s:.10f}")
        lines += [" ".join(f"{value:.9g}" for value in row) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def _block(self, joint: int, parents: IntArray) -> list[str]:
        moves = self.loose or parents[joint] == NO_PARENT
        channels = " ".join(f"{axis}rotation" for axis in ORDER)
        offset = np.zeros(3) if self.loose else self.offset[joint]
        lines = [
            f"{'ROOT' if parents[joint] == NO_PARENT else 'JOINT'} {self.names[joint]}",
            "{",
            "OFFSET " + " ".join(f"{value:.9g}" for value in offset),
            f"CHANNELS {6 if moves else 3} " + ("Xposition Yposition Zposition " if moves else "") + channels,
        ]
        children = np.flatnonzero(parents == joint)
        for child in children:
            lines += self._block(int(child), parents)
        if not len(children):
            end = self.tip.get(joint, NO_TIP)
            lines += ["End Site", "{", "OFFSET " + " ".join(f"{v:.9g}" for v in end), "}"]
        return [*lines, "}"]


def _offsets(file: MotionFile) -> FloatArray:
    heads, parents = file.rest.rest_position_world, file.rest.parents
    return np.where((parents == NO_PARENT)[:, None], heads, heads - heads[np.maximum(parents, 0)])


def _depth_first(parents: IntArray) -> list[int]:
    order, waiting = [], [0]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += np.flatnonzero(parents == joint).tolist()[::-1]
    return order


def _resting_along(clip: Clip, axis: FloatArray) -> Clip:
    """Rest all bones along one axis, as the skeletons of some game engines do."""
    axes = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip.names), 1))
    for joint in range(len(clip.names)):
        children = np.flatnonzero(clip.parents == joint)
        ends = [clip.offset[child] for child in children] or [clip.tip.get(joint, NO_TIP)]
        longest = max(ends, key=lambda end: float(np.linalg.norm(end)))
        if np.linalg.norm(longest) > 0.0:
            axes[joint] = rotations.shortest_rotation(axis[None], longest[None])[0]
    return clip.with_axes(axes)


def _baked(clip: Clip) -> Clip:
    """Turn the axes of every joint by rotations that are nobody's."""
    generator = np.random.default_rng(7)
    return clip.with_axes(Rotation.random(len(clip.names), random_state=generator).as_quat(scalar_first=True))


def _two_rest_frames(clip: Clip) -> Clip:
    return replace(
        clip,
        position=np.concatenate([clip.position[:1], clip.position]),
        quaternion=np.concatenate([clip.quaternion[:1], clip.quaternion]),
    )


def _without_rest_frame(clip: Clip) -> Clip:
    return replace(clip, position=clip.position[1:], quaternion=clip.quaternion[1:])


def _renamed(clip: Clip) -> Clip:
    return replace(clip, names=tuple(f"joint{i:02d}" for i in range(len(clip.names))))


def _mirrored(clip: Clip) -> Clip:
    """Return the mirror image with left and right swapped in the names."""
    swapped = tuple(
        name.replace("Left", "_").replace("Right", "Left").replace("_", "Right")
        if "Left" in name or "Right" in name
        else {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]
        if name[1:] == "HipJoint"
        else name
        for name in clip.names
    )
    return replace(clip.in_axes(np.diag([-1.0, 1.0, 1.0])), names=swapped)


Z_UP_FROM_Y_UP_FILE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
CMU_UNIT_M = 0.0254 / 0.45

VARIANTS: dict[str, Callable[[Clip], Clip]] = {
    "rest along X": lambda clip: _resting_along(clip, X_AXIS),
    "rest along -Z": lambda clip: _resting_along(clip, BACK),
    "rest along X, no rest frame": lambda clip: _without_rest_frame(_resting_along(clip, X_AXIS)),
    "rest rotations baked in": _baked,
    "no offsets": lambda clip: replace(clip, loose=True),
    "two rest frames": _two_rest_frames,
    "no rest frame": _without_rest_frame,
    "centimetres": lambda clip: clip.scaled(CMU_UNIT_M / 0.01),
    "inches": lambda clip: clip.scaled(CMU_UNIT_M / 0.0254),
    "metres": lambda clip: clip.scaled(CMU_UNIT_M),
    "Z up": lambda clip: clip.in_axes(Z_UP_FROM_Y_UP_FILE),
    "Z up, rest along X": lambda clip: _resting_along(clip.in_axes(Z_UP_FROM_Y_UP_FILE), X_AXIS),
    "renamed": _renamed,
    "mirrored": _mirrored,
}
"""By name; all but the mirror image are the same motion in the world."""
MIRROR_IMAGE = "mirrored"
WITHOUT_REST_FRAME = ("rest along X, no rest frame", "no rest frame")
