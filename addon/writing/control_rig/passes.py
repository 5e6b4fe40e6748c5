"""Writes keys on controls and corrects them until the evaluated bones reach their goals."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ....sim_core.base import rotations
from ....sim_core.base.conventions import BoolArray, FloatArray, IntArray
from ....sim_core.keys.channel import LOCATION
from ...blender import compat
from ...blender.blender_types import ArmatureObject, RigContext
from ...blender.channels import Channel, rotation_channels, write_channel
from ...blender.matrices import from_blender, unscaled
from ...blender.rig_space import RigSpace
from ...blender.steps import as_part
from ...reading.motion_reader import SampledMotion, current_frame_kept, pose_order, read_pose
from .constraints import Following
from .controls import ChannelValues, ControlChoice
from .correction import Goals, PoseErrors, corrected

MAX_PASSES = 8

ARRIVED_RAD = np.radians(0.05)
ARRIVED_M = 2e-4
"""Frames with smaller errors are not corrected again."""

WORTH_IT = 0.9
"""A frame is left as it is if a pass does not reduce its cost to this share."""

Basis = dict[str, list[FloatArray]]


@dataclass(frozen=True, eq=False)
class Rig:
    """The data of all passes, the same for all frames; sampled: the source."""

    obj: ArmatureObject
    sampled: SampledMotion
    space: RigSpace
    following: Following
    choice: ControlChoice


@dataclass(frozen=True, eq=False)
class Fitted:
    """The best of all passes at each of F frames.

    values: by control; pose (F, N, 4, 4): all bones in the armature's space; errors: of the simulated bones
    """

    values: dict[str, ChannelValues]
    pose: FloatArray
    errors: PoseErrors


def fit_controls(
    context: RigContext, rig: Rig, target: compat.SlottedAction, goals: Goals
) -> Generator[float, None, Fitted]:
    """Write keys at all frames of the source into the object's action."""
    frame = rig.sampled.frame
    basis: Basis = {name: [] for name in rig.choice.keyed}
    pose = yield from as_part(evaluating(context, rig, frame, basis), 0, MAX_PASSES + 1)
    values = _read_values(basis)
    best = {bone: ChannelValues(v.rotation.copy(), v.location.copy()) for bone, v in values.items()}
    errors, best_pose = goals.errors(pose), pose.copy()
    left, trial = np.arange(len(frame)), values
    for number in range(MAX_PASSES):
        part = goals.at(left)
        trial = corrected(rig.space, rig.following, rig.choice, part, pose, trial)
        shown = {bone: _with(best[bone], left, trial[bone]) for bone in best}
        _write(rig, target, frame, shown)
        pose = yield from as_part(evaluating(context, rig, frame[left]), number + 1, MAX_PASSES + 1)
        now, before = part.errors(pose), errors.cost[left]
        better = now.cost < before
        for bone, value in best.items():
            value.put(left[better], trial[bone].at(better))
        errors.put(left[better], _part(now, better))
        best_pose[left[better]] = pose[better]
        # The first step may lead through a worse pose: IK handles come from far away.
        going_on = ~_arrived(now) & ((now.cost < WORTH_IT * before) | (number < 2))
        left, trial = left[going_on], {bone: v.at(going_on) for bone, v in trial.items()}
        pose = pose[going_on]
        if not len(left):
            break
    _write(rig, target, frame, best)
    return Fitted(best, best_pose, errors)


def evaluating(
    context: RigContext, rig: Rig, frame: IntArray, basis: Basis | None = None
) -> Generator[float, None, FloatArray]:
    """Return the evaluated pose (F, N, 4, 4), yielding the share done.

    basis: filled with the matrices (4, 4) of the controls' own channels at each frame
    """
    order = pose_order(rig.obj)
    matrices: list[FloatArray] = []
    with current_frame_kept(context.scene):
        for each in frame:
            context.scene.frame_set(int(each))
            evaluated, matrix = read_pose(context, rig.obj, order)
            matrices.append(matrix)
            for name, values in (basis or {}).items():
                values.append(from_blender(evaluated.pose.bones[name].matrix_basis))
            yield len(matrices) / len(frame)
    return np.array(matrices)


def control_channels(rig: Rig, values: dict[str, ChannelValues]) -> list[Channel]:
    """Return all channels to key."""
    found = []
    for name, (turns, moves) in rig.choice.keyed.items():
        bone, index = rig.obj.pose.bones[name], rig.sampled.skeleton.index[name]
        if turns:
            source = rig.sampled.rotation_of(index, bone.rotation_mode)
            channel, keys = rotation_channels(values[name].rotation, bone.rotation_mode, source)
            mode = str(bone.rotation_mode)
            found.append(Channel(bone.path_from_id(channel), name, index, mode, keys))
        if moves:
            path = bone.path_from_id("location")
            found.append(Channel(path, name, index, LOCATION, values[name].location))
    return found


def _read_values(basis: Basis) -> dict[str, ChannelValues]:
    found = {}
    for name, matrices in basis.items():
        own = np.array(matrices)
        found[name] = ChannelValues(rotations.from_matrix(unscaled(own[:, :3, :3])), own[:, :3, 3])
    return found


def _with(whole: ChannelValues, frames: IntArray, part: ChannelValues) -> ChannelValues:
    copy = ChannelValues(whole.rotation.copy(), whole.location.copy())
    copy.put(frames, part)
    return copy


def _part(errors: PoseErrors, frames: BoolArray) -> PoseErrors:
    return replace(errors, angle_rad=errors.angle_rad[frames], distance_m=errors.distance_m[frames])


def _arrived(errors: PoseErrors) -> BoolArray:
    near = (errors.angle_rad < ARRIVED_RAD) & (errors.distance_m < ARRIVED_M)
    return np.asarray(near.all(axis=-1))


def _write(rig: Rig, target: compat.SlottedAction, frame: IntArray, values: dict[str, ChannelValues]) -> None:
    writer = compat.CurveWriter(target)
    for channel in control_channels(rig, values):
        write_channel(writer, channel.data_path, channel.group, frame, channel.values)
