"""Reads the evaluated motion of an armature over a range of frames."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import bpy
import numpy as np
from bpy.types import Scene

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.base.errors import InputError
from ...sim_core.motion.motion import Motion
from ...sim_core.motion.skeleton import Skeleton
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.channels import rotation_property
from ..blender.matrices import collapsed, from_blender, inverse, read_matrices, read_vectors, unscaled
from ..blender.steps import in_thread
from .parts import read_shares
from .readable import require_readable
from .rig_reader import (
    SCALE_TOLERANCE,
    metres_per_unit,
    require_armature,
    require_even_scale,
    scale_remedy,
    skeleton_at,
)
from .source_action import require_animation

MIN_RATE_HZ = 60.0
"""Slower sampling misses foot strikes; scenes of fewer frames a second are sampled between frames."""


@dataclass(frozen=True, eq=False)
class SampledMotion:
    """The motion for the core, and what writing it back needs at each of F whole frames.

    motion: all samples, also those between frames
    frame (F): frame numbers
    frame_sample (F): index of each frame in the motion's samples
    pose_matrix (F, N, 4, 4): bones in the armature's space [Blender units], in the skeleton's order
    object_matrix (F, 4, 4): the object in the world [Blender units]
    object_location (F, 3): the object's own location channels
    object_parent_linear (F, 3, 3): turns the object's location channels into the world
    metres_per_unit: of the scene
    collapsed_bones: bones that are scaled to zero at some time, so that they have no orientation
    keyed_bones: bones that need keys besides the simulated ones, in an action that holds nothing else;
        None where the present action is copied, which holds them already
    bone_share (T, N): how much of each bone is simulated, at the motion's samples; None is all of it
    rotation: the bones' own channels (F, N, 3 or 4) by the property that holds them; empty if not read
    """

    motion: Motion
    frame: IntArray
    frame_sample: IntArray
    pose_matrix: FloatArray
    object_matrix: FloatArray
    object_location: FloatArray
    object_parent_linear: FloatArray
    metres_per_unit: float
    collapsed_bones: tuple[str, ...]
    keyed_bones: tuple[str, ...] | None = None
    bone_share: FloatArray | None = None
    rotation: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the motion."""
        return self.motion.skeleton

    def frame_at(self, time_s: float) -> int:
        """Return the whole frame at a time since the first sample [s]."""
        times = self.motion.time[self.frame_sample] - self.motion.time[0]
        return int(self.frame[min(int(np.searchsorted(times, time_s - 1e-6)), len(times) - 1)])

    def rotation_of(self, bone: int, mode: Any) -> FloatArray | None:
        """Return a bone's rotation channels (F, 3 or 4) before the bake, or None if they were not read."""
        values = self.rotation.get(rotation_property(mode))
        return None if values is None else values[:, bone]

    @property
    def fps(self) -> float:
        """Frames per second of the motion."""
        steps = int(self.frame_sample[1] - self.frame_sample[0])
        return round(self.motion.rate_hz / steps, 6)

    def whole_frames(self) -> Motion:
        """Return the motion without the samples between frames."""
        motion, whole = self.motion, self.frame_sample
        return Motion(
            motion.skeleton, motion.time[whole], motion.position_world[whole], motion.quaternion_world[whole]
        )

    def at_fps(self, fps: float) -> SampledMotion:
        """Return the same frames at another rate, without samples between them where it is high enough."""
        if fps == self.fps:
            return self
        steps = int(self.frame_sample[1] - self.frame_sample[0])
        drop = steps if fps >= MIN_RATE_HZ else 1
        motion, kept = self.motion, slice(None, None, drop)
        time = (self.frame[0] + np.arange(len(motion.time)) / steps) / fps
        return replace(
            self,
            motion=Motion(
                motion.skeleton, time[kept], motion.position_world[kept], motion.quaternion_world[kept]
            ),
            frame_sample=self.frame_sample // drop,
            bone_share=None if self.bone_share is None else self.bone_share[kept],
        )

    def lengthened(self, time: FloatArray) -> SampledMotion:
        """Return the motion with its last pose held until the end of a longer time axis [s].

        The time axis of a result is longer where its character got up after a fall.
        """
        motion, last = self.motion, len(self.motion.time) - 1
        if len(time) <= len(motion.time) or self.bone_share is not None:
            return self
        steps = int(self.frame_sample[1] - self.frame_sample[0])
        frames = (len(time) - 1 - int(self.frame_sample[0])) // steps + 1
        held, sample = (
            np.minimum(np.arange(frames), len(self.frame) - 1),
            np.minimum(np.arange(len(time)), last),
        )
        return replace(
            self,
            motion=Motion(
                motion.skeleton, time, motion.position_world[sample], motion.quaternion_world[sample]
            ),
            frame=self.frame[0] + np.arange(frames),
            frame_sample=self.frame_sample[0] + steps * np.arange(frames),
            pose_matrix=self.pose_matrix[held],
            object_matrix=self.object_matrix[held],
            object_location=self.object_location[held],
            object_parent_linear=self.object_parent_linear[held],
            rotation={name: values[held] for name, values in self.rotation.items()},
        )

    def between(self, frame_start: int, frame_end: int) -> SampledMotion:
        """Return the part from one whole frame to another, both included."""
        kept = np.flatnonzero((self.frame >= frame_start) & (self.frame <= frame_end))
        part, motion = slice(int(kept[0]), int(kept[-1]) + 1), self.motion
        first = int(self.frame_sample[part][0])
        samples = slice(first, int(self.frame_sample[part][-1]) + 1)
        return replace(
            self,
            motion=Motion(
                motion.skeleton,
                motion.time[samples],
                motion.position_world[samples],
                motion.quaternion_world[samples],
            ),
            frame=self.frame[part],
            frame_sample=self.frame_sample[part] - first,
            pose_matrix=self.pose_matrix[part],
            object_matrix=self.object_matrix[part],
            object_location=self.object_location[part],
            object_parent_linear=self.object_parent_linear[part],
            bone_share=None if self.bone_share is None else self.bone_share[samples],
            rotation={name: values[part] for name, values in self.rotation.items()},
        )


def sample_motion(
    context: RigContext,
    armature_object: ArmatureObject,
    frame_start: int,
    frame_end: int,
    bone_shares: bool = False,
) -> Generator[float, None, SampledMotion]:
    """Sample the evaluated pose at every frame, both ends included, and between frames.

    Yields the share done after each sample. bone_shares: also read how much of each bone is simulated.
    The current frame is restored at the end, also when the caller closes the generator.
    """
    obj, scene = require_armature(armature_object), context.scene
    require_readable(context, obj)
    require_animation(obj)
    _refuse_short_range(frame_start, frame_end)
    fps = scene.render.fps / scene.render.fps_base
    steps = max(1, math.ceil(MIN_RATE_HZ / fps - 1e-9))
    count = (frame_end - frame_start) * steps + 1
    samples = _Samples(obj, bone_shares)
    with current_frame_kept(scene):
        for i in range(count):
            scene.frame_set(frame_start + i // steps, subframe=(i % steps) / steps)
            samples.add(context, whole_frame=i % steps == 0)
            yield (i + 1) / count
    time = (frame_start + np.arange(count) / steps) / fps
    unit_m = metres_per_unit(scene)
    skeleton = samples.skeleton(unit_m)
    frame = np.arange(frame_start, frame_end + 1)
    return (yield from in_thread(partial(samples.finish, skeleton, obj.name, time, frame, steps, unit_m)))


def sample_world_poses(
    context: RigContext, obj: ArmatureObject, frame: IntArray, skeleton: Skeleton
) -> Generator[float, None, tuple[FloatArray, FloatArray]]:
    """Return evaluated positions (F, N, 3) [m] and orientations (F, N, 4) of all bones at some frames.

    Yields the share done after each frame.
    """
    samples = _Samples(obj)
    with current_frame_kept(context.scene):
        for i, number in enumerate(frame):
            context.scene.frame_set(int(number))
            samples.add(context, whole_frame=False)
            yield (i + 1) / len(frame)
    world = samples.world()
    quaternion, _ = _orientations(skeleton, world)
    return world[..., :3, 3] * metres_per_unit(context.scene), quaternion


def pose_order(obj: ArmatureObject) -> IntArray:
    """Return the indices of pose bones in the order of the armature's bones."""
    order = {bone.name: i for i, bone in enumerate(obj.pose.bones)}
    return np.array([order[bone.name] for bone in obj.data.bones], dtype=np.int64)


def read_pose(context: RigContext, obj: ArmatureObject, order: IntArray) -> tuple[ArmatureObject, FloatArray]:
    """Return the evaluated object at the current frame, and its bones in its own space (N, 4, 4)."""
    evaluated = cast(ArmatureObject, obj.evaluated_get(context.evaluated_depsgraph_get()))
    return evaluated, read_matrices(evaluated.pose.bones, "matrix")[order]


@contextmanager
def current_frame_kept(scene: Scene) -> Iterator[None]:
    """Restore the scene's current frame at the end of the context."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        with suppress(ReferenceError):  # a script may have deleted the scene
            scene.frame_set(frame, subframe=subframe)


@contextmanager
def frame_shown_again(scene: Scene) -> Iterator[None]:
    """Restore the current frame where a window could draw another one."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    yield
    if not bpy.app.background and (scene.frame_current, scene.frame_subframe) != (frame, subframe):
        scene.frame_set(frame, subframe=subframe)


class _Samples:
    """Collects evaluated poses."""

    def __init__(self, obj: ArmatureObject, bone_shares: bool = False) -> None:
        self._obj, self._bone_shares = obj, bone_shares
        self._order = pose_order(obj)
        self._rest = read_matrices(obj.data.bones, "matrix_local")
        self._pose: list[FloatArray] = []
        self._share: list[FloatArray] = []
        self._object: list[FloatArray] = []
        self._location: list[FloatArray] = []
        self._basis: list[FloatArray] = []
        used = {rotation_property(bone.rotation_mode) for bone in obj.pose.bones}
        self._rotation: dict[str, list[FloatArray]] = {name: [] for name in sorted(used)}

    def add(self, context: RigContext, whole_frame: bool) -> None:
        """Read the pose of the current frame; bones that a script edited since the first one are refused."""
        if not np.array_equal(read_matrices(self._obj.data.bones, "matrix_local"), self._rest):
            raise InputError(
                f"The bones of '{self._obj.name}' were changed while its motion was read, "
                "so nothing was written; try again."
            )
        evaluated, pose = read_pose(context, self._obj, self._order)
        self._pose.append(pose)
        if self._bone_shares:
            self._share.append(read_shares(evaluated)[self._order])
        self._object.append(from_blender(evaluated.matrix_world))
        if whole_frame:
            self._location.append(np.array(evaluated.location, dtype=np.float64))
            self._basis.append(from_blender(evaluated.matrix_basis))
            for name, values in self._rotation.items():
                values.append(read_vectors(evaluated.pose.bones, name)[self._order])

    def world(self) -> FloatArray:
        """Return the world matrices of all samples (T, N, 4, 4) [Blender units]."""
        return np.array(self._object)[:, None] @ np.array(self._pose)

    def skeleton(self, unit_m: float) -> Skeleton:
        """Return the rest pose at the first sample's object matrix."""
        require_even_scale(self._obj.name, self._object[0], scale_remedy(self._obj))
        return skeleton_at(self._obj, self._object[0], unit_m)

    def finish(
        self, skeleton: Skeleton, name: str, time: FloatArray, frame: IntArray, steps: int, unit_m: float
    ) -> SampledMotion:
        """Return all samples as arrays; safe in a thread, because it touches no data of Blender's."""
        pose, placed = np.array(self._pose), np.array(self._object)
        _refuse_changing_scale(name, placed)
        world = self.world()
        quaternion, collapsed_bones = _orientations(skeleton, world)
        whole = np.arange(len(frame)) * steps
        basis = np.array(self._basis)
        return SampledMotion(
            motion=Motion(skeleton, time, world[..., :3, 3] * unit_m, quaternion),
            frame=frame,
            frame_sample=whole,
            pose_matrix=pose[whole],
            object_matrix=placed[whole],
            object_location=np.array(self._location),
            object_parent_linear=placed[whole][:, :3, :3] @ inverse(basis[:, :3, :3]),
            metres_per_unit=unit_m,
            collapsed_bones=collapsed_bones,
            bone_share=np.array(self._share) if self._bone_shares else None,
            rotation={name: np.array(values) for name, values in self._rotation.items()},
        )


def _orientations(skeleton: Skeleton, world: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the quaternions of world matrices (T, N, 4, 4), and the bones without one at some time.

    Props are often hidden by scaling their bone to zero; those keep their rest orientation here.
    """
    linear = world[..., :3, :3]
    lost = collapsed(linear)
    rest = rotations.to_matrix(skeleton.rest_quaternion_world)
    axes = unscaled(np.where(lost[..., None, None], rest, linear))
    return rotations.from_matrix(axes), tuple(skeleton.names[i] for i in np.flatnonzero(lost.any(axis=0)))


def _refuse_short_range(frame_start: int, frame_end: int) -> None:
    if frame_end <= frame_start:
        raise InputError(
            f"The frame range {frame_start} to {frame_end} holds fewer than two frames; widen the range."
        )


def _refuse_changing_scale(name: str, object_matrix: FloatArray) -> None:
    for matrix in object_matrix:
        require_even_scale(name, matrix)
    scale = np.linalg.norm(object_matrix[:, :3, 0], axis=1)
    if np.ptp(scale) > SCALE_TOLERANCE * scale[0]:
        raise InputError(
            f"'{name}' changes its scale from {scale.min():.3g} to {scale.max():.3g}; keep it constant."
        )


def still_motion(obj: ArmatureObject, frame: IntArray, scene: Scene) -> SampledMotion:
    """Return the rest pose at these frames, for writing a motion that comes from elsewhere."""
    placed, basis = from_blender(obj.matrix_world), from_blender(obj.matrix_basis)
    require_even_scale(obj.name, placed, scale_remedy(obj))
    skeleton = skeleton_at(obj, placed, metres_per_unit(scene))

    def repeated(values: FloatArray) -> FloatArray:
        return np.repeat(np.asarray(values)[None], len(frame), axis=0)

    return SampledMotion(
        motion=Motion(
            skeleton,
            frame * scene.render.fps_base / scene.render.fps,
            repeated(skeleton.rest_position_world),
            repeated(skeleton.rest_quaternion_world),
        ),
        frame=frame,
        frame_sample=np.arange(len(frame)),
        pose_matrix=repeated(read_matrices(obj.data.bones, "matrix_local")),
        object_matrix=repeated(placed),
        object_location=repeated(np.array(obj.location, dtype=np.float64)),
        object_parent_linear=repeated(placed[:3, :3] @ inverse(basis[:3, :3])),
        metres_per_unit=metres_per_unit(scene),
        collapsed_bones=(),
    )
