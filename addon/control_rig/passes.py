"""Keys on controls, corrected until the evaluated bones arrive."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...sim_core import rotations
from ...sim_core.conventions import BoolArray, FloatArray, IntArray
from .. import compat
from ..blender_types import ArmatureObject, RigContext
from ..channel_keys import write_channel
from ..matrices import from_blender, unscaled
from ..motion_reader import SampledMotion, current_frame_kept, pose_order, read_pose
from ..rig_space import RigSpace
from ..rotation_channels import rotation_channels
from .channels import ChannelValues
from .choice import Choice
from .correction import corrected
from .following import Following
from .goals import Goals, Misses

MAX_PASSES = 8

ARRIVED_RAD = np.radians(0.05)
ARRIVED_M = 2e-4
"""Nearer than this is not looked at again."""

WORTH_IT = 0.9
"""A frame whose cost does not fall to this share of the last one's is left as it is."""


@dataclass(frozen=True, eq=False)
class Rig:
    """What a pass needs to know, the same for all frames; sampled: the source."""

    obj: ArmatureObject
    sampled: SampledMotion
    space: RigSpace
    following: Following
    choice: Choice


def fit_controls(
    context: RigContext, rig: Rig, target: compat.SlottedAction, frame: IntArray, goals: Goals
) -> Generator[float, None, Misses]:
    """Write keys into an action that is the object's already; how far the bones are off in the end.

    Each frame keeps the best of its passes.
    """
    pose = yield from _evaluated(context, rig, frame)
    values = _read_values(rig, pose)
    best = {bone: ChannelValues(v.rotation.copy(), v.location.copy()) for bone, v in values.items()}
    misses = goals.misses(pose.matrix)
    left, trial = np.arange(len(frame)), values
    for number in range(MAX_PASSES):
        part = goals.at(left)
        trial = corrected(rig.space, rig.following, rig.choice, part, pose.matrix, trial)
        shown = {bone: _with(best[bone], left, trial[bone]) for bone in best}
        _write(rig, target, frame, shown)
        pose = yield from _evaluated(context, rig, frame[left], number)
        now, before = part.misses(pose.matrix), misses.cost[left]
        better = now.cost < before
        for bone, value in best.items():
            value.put(left[better], trial[bone].at(better))
        misses.put(left[better], _part(now, better))
        # The first step may lead through a worse pose: IK handles come from far away.
        going_on = ~_arrived(now) & ((now.cost < WORTH_IT * before) | (number < 2))
        left, trial = left[going_on], {bone: v.at(going_on) for bone, v in trial.items()}
        pose = _Evaluated(pose.matrix[going_on], pose.basis)
        if not len(left):
            break
    _write(rig, target, frame, best)
    return misses


@dataclass(frozen=True, eq=False)
class _Evaluated:
    """matrix (F, N, 4, 4): all bones in the armature's space; basis: channels of controls, (F, 4, 4) each"""

    matrix: FloatArray
    basis: dict[str, FloatArray]


def _evaluated(
    context: RigContext, rig: Rig, frame: IntArray, number: int = -1
) -> Generator[float, None, _Evaluated]:
    order, names = pose_order(rig.obj), tuple(rig.choice.keyed)
    matrices: list[FloatArray] = []
    basis: dict[str, list[FloatArray]] = {name: [] for name in names}
    with current_frame_kept(context.scene):
        for done, each in enumerate(frame):
            context.scene.frame_set(int(each))
            evaluated, matrix = read_pose(context, rig.obj, order)
            matrices.append(matrix)
            if number < 0:
                for name in names:
                    basis[name].append(from_blender(evaluated.pose.bones[name].matrix_basis))
            yield (number + 1 + done / len(frame)) / (MAX_PASSES + 1)
    return _Evaluated(np.array(matrices), {name: np.array(values) for name, values in basis.items()})


def _read_values(rig: Rig, pose: _Evaluated) -> dict[str, ChannelValues]:
    return {
        name: ChannelValues(rotations.from_matrix(unscaled(basis[:, :3, :3])), basis[:, :3, 3])
        for name, basis in pose.basis.items()
    }


def _with(whole: ChannelValues, frames: IntArray, part: ChannelValues) -> ChannelValues:
    copy = ChannelValues(whole.rotation.copy(), whole.location.copy())
    copy.put(frames, part)
    return copy


def _part(misses: Misses, frames: BoolArray) -> Misses:
    return replace(misses, angle_rad=misses.angle_rad[frames], distance_m=misses.distance_m[frames])


def _arrived(misses: Misses) -> BoolArray:
    near = (misses.angle_rad < ARRIVED_RAD) & (misses.distance_m < ARRIVED_M)
    return np.asarray(near.all(axis=-1))


def _write(rig: Rig, target: compat.SlottedAction, frame: IntArray, values: dict[str, ChannelValues]) -> None:
    writer = compat.CurveWriter(target)
    for name, (turns, moves) in rig.choice.keyed.items():
        bone = rig.obj.pose.bones[name]
        if turns:
            source = rig.sampled.rotation_of(rig.sampled.skeleton.index[name], bone.rotation_mode)
            channel, keys = rotation_channels(values[name].rotation, bone.rotation_mode, source)
            write_channel(writer, bone.path_from_id(channel), name, frame, keys)
        if moves:
            write_channel(writer, bone.path_from_id("location"), name, frame, values[name].location)
