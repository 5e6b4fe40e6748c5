"""Writes the new motions of props into new actions of theirs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Object, Scene

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.keys.bone_errors import BoneTree
from ...sim_core.keys.channel import LOCATION, Track, frames_around, velocity_jumps
from ...sim_core.keys.key_limits import KeyFigures, KeyLimits
from ...sim_core.keys.reduce import ReducedKeys, reduce_keys
from ...sim_core.motion.skeleton import NO_PARENT
from ...sim_core.result.result import Result
from ..blender import compat
from ..blender.blender_types import RigContext, surrounding
from ..blender.channels import Channel, rotation_channels, write_channel, write_spline
from ..blender.matrices import from_blender, inverse, turned, unscaled
from ..blender.result_actions import (
    checksum,
    keep_name,
    mark_result,
    protect_source,
    remove_unused_result,
    result_name,
)
from ..blender.steps import as_part
from ..reading.motion_reader import SampledMotion, current_frame_kept
from ..reading.scene_reader import showing_own_actions
from .bake_writer import protect_action
from .root_carrier import OBJECT

GROUP = "Object Transforms"


@dataclass(frozen=True, eq=False)
class PropMotion:
    """The new channels of an object; few: the channels with few keys, None for a key at every frame."""

    name: str
    channels: tuple[Channel, ...]
    few: ReducedKeys | None


@dataclass(frozen=True, eq=False)
class PropPaths:
    """Where props (N) are at times (T), and the frames (F) at which they get keys, with their times.

    position (T, N, 3) [m], quaternion (T, N, 4): in the world; unit_m: size of a Blender unit there [m]
    first (N, 3): where they are at the first frame as the user has animated them [m]
    """

    names: tuple[str, ...]
    time: FloatArray
    position: FloatArray
    quaternion: FloatArray
    frame: IntArray
    frame_time: FloatArray
    metres_per_unit: float
    unit_m: float
    first: FloatArray

    @staticmethod
    def of_result(sampled: SampledMotion, result: Result) -> PropPaths:
        """Return the paths of a simulation's props, which start where the user has them."""
        return PropPaths(
            tuple(result.prop_name.tolist()),
            result.time,
            result.prop_position,
            result.prop_quaternion,
            sampled.frame,
            sampled.motion.time[sampled.frame_sample],
            sampled.metres_per_unit,
            sampled.metres_per_unit * result.meta.character.scale,
            result.prop_position[0],
        )


def making_props(
    context: RigContext, paths: PropPaths, limits: KeyLimits | None
) -> Generator[float, None, tuple[PropMotion, ...]]:
    """Compute the motions of props that still exist, yielding the share done.

    limits: allowed errors of few keys; None is a key at every frame
    """
    made = []
    for number, name in enumerate(paths.names):
        obj = _writable(name)
        if obj is not None:
            moved = _Moved.of(context, obj, paths, number)
            channels, few = moved.channels(obj.rotation_mode), None
            if limits is not None:
                fewer = fewer_prop_keys(paths.frame, moved.path(paths.metres_per_unit), channels, limits)
                few = yield from as_part(fewer, number, len(paths.names))
            made.append(PropMotion(name, channels, few))
        yield (number + 1) / len(paths.names)
    return tuple(made)


def write_props(paths: PropPaths, made: Sequence[PropMotion]) -> tuple[str, ...]:
    """Write new actions for props that still exist; return notes for the user."""
    notes, figures = [], []
    motions = {motion.name: motion for motion in made}
    for name in paths.names:
        obj, motion = _writable(name), motions.get(name)
        if obj is None or motion is None:
            notes.append(f"'{name}' was not keyed: it was deleted, or is linked from another file.")
            continue
        _write(obj, paths.frame, motion)
        if motion.few is not None:
            figures.append(KeyFigures.of(motion.few, len(paths.frame)))
        if obj.rigid_body is not None and obj.rigid_body.type == "ACTIVE" and not obj.rigid_body.kinematic:
            obj.rigid_body.kinematic = surrounding(obj).heft_object.baked = True
            notes.append(
                f"'{name}' is an active rigid body; it is now Animated, so that its new keys take effect."
            )
    if figures:
        notes.append(f"Props: {KeyFigures.together(figures).sentence}")
    return tuple(notes)


def _writable(name: str) -> Object | None:
    obj: Object | None = bpy.data.objects.get(name)
    return None if obj is None or obj.library is not None else obj


@dataclass(frozen=True, eq=False)
class _Moved:
    """The motion of an object from its own pose at the first frame.

    start, space (4, 4): its matrix there, and that of its parents, which are assumed to stand still
    turn (F, 3, 3), position (F, 3): from its first pose, and of its origin, in the world [Blender units]
    corners (8, 3): of its bounding box, in its own space
    kept (.): indices of the frames around impacts
    """

    start: FloatArray
    space: FloatArray
    turn: FloatArray
    position: FloatArray
    corners: FloatArray
    kept: IntArray

    @staticmethod
    def of(context: RigContext, obj: Object, paths: PropPaths, number: int) -> _Moved:
        with current_frame_kept(context.scene), showing_own_actions([surrounding(obj)]):
            context.scene.frame_set(int(paths.frame[0]))
            start, own = from_blender(obj.matrix_world), from_blender(obj.matrix_basis)
        time = paths.frame_time
        path, spin = paths.position[:, number], rotations.continuous(paths.quaternion[:, number])
        position, first = _at(paths.time, path, time) / paths.unit_m, paths.first[number] / paths.unit_m
        quaternion = rotations.normalise(_at(paths.time, spin, time))
        turn = rotations.to_matrix(rotations.multiply(quaternion, rotations.conjugate(quaternion[0])))
        return _Moved(
            start,
            start @ np.linalg.inv(own),
            turn,
            position + turned(turn, start[:3, 3] - first),
            np.array(obj.bound_box, dtype=np.float64),
            frames_around(velocity_jumps(paths.time, path, spin), paths.time, time),
        )

    def channels(self, mode: Any) -> tuple[Channel, ...]:
        """Return its location and rotation channels."""
        back = inverse(self.space[:3, :3])
        location = turned(back, self.position - self.space[:3, 3])
        linear = unscaled(back @ self.turn @ self.start[:3, :3])
        rotation, values = rotation_channels(rotations.from_matrix(linear), mode)
        return (
            Channel("location", GROUP, OBJECT, LOCATION, location),
            Channel(rotation, GROUP, OBJECT, str(mode), values),
        )

    def path(self, metres: float) -> PropPath:
        arms = turned(self.turn[:, None], turned(self.start[:3, :3], self.corners))
        corners = self.position[:, None] + arms
        return PropPath(metres * self.position, metres * corners, metres * self.space[:3, :3], self.kept)


def _at(grid: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Return values (T, n) at other times, by linear interpolation."""
    return np.stack([np.interp(time, grid, column) for column in values.T], axis=1)


def _write(obj: Object, frame: IntArray, motion: PropMotion) -> None:
    """Write the channels into a new action, which becomes the object's."""
    source = compat.action_of(obj)
    target = compat.new_action(obj, result_name(obj.name if source is None else source.action.name))
    writer = compat.CurveWriter(target)
    for number, channel in enumerate(motion.channels):
        if motion.few is None:
            write_channel(writer, channel.data_path, channel.group, frame, channel.values)
        else:
            write_spline(writer, channel.data_path, channel.group, motion.few.splines[number])
    if source is not None and source.action != surrounding(obj).heft_object.baked_action:
        protect_action(source.action)
    _remember(obj, source, target)


def _remember(obj: Object, source: compat.SlottedAction | None, target: compat.SlottedAction) -> None:
    """Assign the new action, and record the object's state before the first of several bakes."""
    chosen = surrounding(obj).heft_object
    if source is None or source.action != chosen.baked_action:
        chosen.source_action = None if source is None else source.action
        chosen.source_slot = "" if source is None else compat.slot_name(source)
    before, chosen.baked_action = chosen.baked_action, target.action
    name_before = "" if before is None else before.name
    mark_result(target.action, checksum(target.action))
    compat.assign_action(obj.animation_data_create(), target)
    remove_unused_result(before)
    keep_name(target.action, name_before)


def restore_props(scene: Scene) -> list[str]:
    """Restore objects that still have the keys of a bake; return their names."""
    restored = []
    for obj in scene.objects:
        chosen, now = surrounding(obj).heft_object, compat.action_of(obj)
        if chosen.baked_action is None or now is None or now.action != chosen.baked_action:
            continue
        animation = obj.animation_data_create()
        if chosen.source_action is not None:
            before = compat.slotted(chosen.source_action, obj, chosen.source_slot)
            compat.assign_action(animation, before)
        else:
            _stand_at_first_key(obj, now)
            animation.action = None
        if chosen.baked and obj.rigid_body is not None:
            obj.rigid_body.kinematic = chosen.baked = False
        restored.append(obj.name)
    return restored


def replay_props(scene: Scene) -> None:
    """Assign the keys of a bake again to objects that were restored."""
    for obj in scene.objects:
        chosen, now = surrounding(obj).heft_object, compat.action_of(obj)
        before = None if now is None else now.action
        if chosen.baked_action is None or before != chosen.source_action:
            continue
        baked = compat.slotted(chosen.baked_action, obj)
        compat.assign_action(obj.animation_data_create(), baked)
        if obj.rigid_body is not None and obj.rigid_body.type == "ACTIVE" and not obj.rigid_body.kinematic:
            obj.rigid_body.kinematic = chosen.baked = True


def forget_props(scene: Scene) -> None:
    """Keep the current actions of objects as their own, and remove unused results."""
    for obj in scene.objects:
        chosen = surrounding(obj).heft_object
        source, baked = chosen.source_action, chosen.baked_action
        if baked is None:
            continue
        chosen.source_action = chosen.baked_action = None
        chosen.source_slot, chosen.baked = "", False
        protect_source(source)
        remove_unused_result(baked)


def _stand_at_first_key(obj: Object, action: compat.SlottedAction) -> None:
    """Put an object at its first key, where it was before it had keys."""
    for curve in compat.curves_of(action):
        getattr(obj, curve.data_path)[curve.array_index] = curve.keyframe_points[0].co[1]


@dataclass(frozen=True, eq=False)
class PropPath:
    """The path of an object at F frames.

    origin_world (F, 3), corners_world (F, 8, 3) [m]: the corners of its bounding box
    space_m (3, 3): from its location channels to the world [m]
    kept (.): indices of frames that must be keys
    """

    origin_world: FloatArray
    corners_world: FloatArray
    space_m: FloatArray
    kept: IntArray


def fewer_prop_keys(
    frame: IntArray, path: PropPath, channels: Sequence[Channel], limits: KeyLimits
) -> Generator[float, None, ReducedKeys]:
    """Return curves that keep the object's corners within the limits, yielding the share done."""
    positions = np.concatenate([path.origin_world[:, None], path.corners_world], axis=1)
    frames, nodes = positions.shape[:2]
    tree = BoneTree(np.array([NO_PARENT] + [0] * (nodes - 1)), positions, (True,) * nodes)
    tracks = [_track(path, channel, frames) for channel in channels]
    allowed = limits.allowed(np.ones((frames, nodes)))
    return (yield from reduce_keys(frame.astype(np.float64), tree, tracks, *allowed))


def _track(path: PropPath, channel: Channel, frames: int) -> Track:
    to_world = path.space_m if channel.mode == LOCATION else unscaled(path.space_m)
    every = np.broadcast_to(to_world, (frames, 3, 3))
    return Track(0, channel.mode, channel.values, every, path.kept)
