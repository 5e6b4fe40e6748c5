"""Writes new poses into a new action; everything else in the file is unchanged."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import bpy
import numpy as np
from bpy.types import Action

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.keys.channel import LOCATION
from ...sim_core.keys.key_limits import KeyFigures
from ..blender import compat
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.channels import Channel, rotation_channels, write_channel, write_spline
from ..blender.half_written import mark_action
from ..blender.library_overrides import refuse_linked
from ..blender.matrices import inverse, turned, unscaled
from ..blender.result_actions import taking_checksum
from ..blender.rig_space import RigSpace
from ..blender.steps import as_part, in_thread
from ..reading.motion_reader import SampledMotion
from ..reading.parts import keep_cycles
from .baked_bones import BakedBones, finding_bones_off_target, held_bones_note
from .control_rig.control_writer import has_controls, writing_controls
from .few_keys import KeyChoice, count_keys, fewer_keys, with_dense_bones
from .new_pose import NewPose, solve_pose
from .root_carrier import OBJECT, find_carrier


@dataclass(frozen=True)
class WrittenBake:
    """The new action, the one before it, and whether that one got a fake user.

    checksum: of the new action
    error_notes: notes about bones that do not reach their poses
    keys: figures of the reduction, if there are few keys
    """

    action: Action
    source: compat.SlottedAction | None
    source_got_fake_user: bool
    checksum: str = ""
    error_notes: tuple[str, ...] = ()
    keys: KeyFigures | None = None

    def refuse_lost_actions(self) -> None:
        """Raise a ReferenceError if a script has deleted the new action or the one before it."""
        self.action.as_pointer()
        if self.source is not None:
            self.source.action.as_pointer()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user."""
        notes = self.error_notes if self.keys is None else (self.keys.sentence, *self.error_notes)
        if self.source is None or not self.source_got_fake_user:
            return notes
        kept = f"'{self.source.action.name}' now has a fake user, so that it is kept when you save."
        return (*notes, kept)


def writing_bake(
    context: RigContext,
    armature_object: ArmatureObject,
    sampled: SampledMotion,
    baked: BakedBones,
    name: str,
    from_scratch: bool = False,
    keys: KeyChoice | None = None,
    loop: bool = False,
) -> Generator[float, None, WrittenBake]:
    """Bake into a new action, which becomes the object's, yielding the share done.

    A failure changes nothing, nor does closing the generator early.

    The new action is a copy of the object's current one, so that everything that is not simulated stays
    animated; without one (NLA), and for a sequence, it holds only what is simulated or named in the motion.
    If the simulated bones follow other bones, those are keyed (control_rig).

    from_scratch: do not copy the current action
    keys: allowed errors of few keys; None writes a key at every frame
    loop: the curves repeat as those of the current action do
    """
    obj = armature_object
    refuse_changed_rig(obj, sampled)
    rig = RigSpace.of(obj, sampled.skeleton)
    on_controls = has_controls(context, obj, baked)
    if on_controls:
        pose = NewPose(sampled.pose_matrix, (), (), None)
    else:
        carrier = find_carrier(obj, rig, sampled, baked)
        pose = yield from in_thread(partial(solve_pose, rig, sampled, baked, carrier), 0.0)
    source = compat.action_of(obj)
    reduced = keys is not None and not on_controls
    target, pose = _target_of(obj, rig, sampled, pose, name, from_scratch, reduced)
    written = WrittenBake(target.action, source, source is not None and protect_action(source.action))
    mark_action(target.action, source, written.source_got_fake_user)
    try:
        channels = yield from as_part(_channels(obj, rig, sampled, pose), 0, 2)
        if keys is None or on_controls:
            figures = None
            yield from _writing_all_keys(target, sampled, channels)
        else:
            figures = yield from _writing_few_keys(target, rig, sampled, pose, channels, keys)
        _assign_new(obj, target)
        context.view_layer.update()
        if on_controls:
            error_notes, figures = yield from writing_controls(
                context, obj, sampled, baked, target, source, keys
            )
        else:
            yield 1.0
            error_notes = held_bones_note((yield from finding_bones_off_target(context, obj, sampled, baked)))
        if loop and source is not None:
            keep_cycles(source, target)
        if figures is not None:
            figures = count_keys(target, sampled, figures)
        checksum = yield from taking_checksum(target.action)
    except BaseException:
        undo_bake(obj, written)
        raise
    return replace(written, error_notes=error_notes, keys=figures, checksum=checksum)


def _writing_all_keys(
    target: compat.SlottedAction, sampled: SampledMotion, channels: Sequence[Channel]
) -> Generator[float, None, None]:
    """Write a key at every frame, yielding the share done."""
    writer = compat.CurveWriter(target)
    for number, channel in enumerate(channels):
        write_channel(
            writer, channel.data_path, channel.group, sampled.frame, channel.values, channel.unkeyed
        )
        yield 0.5 + 0.5 * (number + 1) / len(channels)


def _writing_few_keys(
    target: compat.SlottedAction,
    rig: RigSpace,
    sampled: SampledMotion,
    pose: NewPose,
    channels: Sequence[Channel],
    keys: KeyChoice,
) -> Generator[float, None, KeyFigures]:
    """Write few keys, yielding the share done; return the figures of the reduction."""
    writer = compat.CurveWriter(target)
    few = yield from as_part(fewer_keys(rig, sampled, pose, channels, keys), 1, 2)
    for channel, spline in zip(channels, few.splines, strict=True):
        write_spline(writer, channel.data_path, channel.group, spline, channel.unkeyed)
        yield 1.0
    return KeyFigures.of(few, len(sampled.frame))


def _target_of(
    obj: ArmatureObject,
    rig: RigSpace,
    sampled: SampledMotion,
    pose: NewPose,
    name: str,
    from_scratch: bool,
    reduced: bool,
) -> tuple[compat.SlottedAction, NewPose]:
    """Return the action to write into, new or a copy, and the pose with all bones that it needs."""
    source = compat.action_of(obj)
    if from_scratch:
        return compat.new_action(obj, name), pose
    if source is None or sampled.keyed_bones is not None:
        return compat.new_action(obj, name), _with_keyed_bones(pose, rig, sampled)
    target = compat.copy_action(source, name)
    return target, with_dense_bones(pose, rig, obj, target, sampled) if reduced else pose


def _assign_new(obj: ArmatureObject, target: compat.SlottedAction) -> None:
    """Assign the new action; one that a script has assigned while this one was written is kept."""
    present = compat.action_of(obj)
    if present is not None:
        protect_action(present.action)
    compat.assign_action(obj.animation_data_create(), target)


def undo_bake(obj: ArmatureObject, written: WrittenBake) -> None:
    """Remove a bake that was just written and restore the action before it.

    A script may have deleted the object or an action; the rest is taken back.
    """
    with suppress(ReferenceError):
        if written.source is not None and obj.animation_data is not None:
            compat.assign_action(obj.animation_data, written.source)
            written.source.action.use_fake_user &= not written.source_got_fake_user
    with suppress(ReferenceError):
        bpy.data.actions.remove(written.action)


def _with_keyed_bones(pose: NewPose, rig: RigSpace, sampled: SampledMotion) -> NewPose:
    """Add the bones that must be written into an action that is still empty."""
    if sampled.keyed_bones is None:
        return pose
    keyed = [sampled.skeleton.index[name] for name in sampled.keyed_bones]
    free = [bone for bone in keyed if not rig.bones[bone].use_connect]
    location = sampled.object_location if pose.object_location is None else pose.object_location
    return replace(
        pose,
        turned_bones=tuple(sorted({*pose.turned_bones, *keyed})),
        moved_bones=tuple(sorted({*pose.moved_bones, *free})),
        object_location=location,
    )


def refuse_changed_rig(obj: ArmatureObject, sampled: SampledMotion) -> None:
    """Refuse an armature that was changed or cannot be written now."""
    refuse_linked(obj)
    if obj.mode == "EDIT":
        raise InputError(f"'{obj.name}' is in Edit Mode; leave it (Tab) and simulate again.")
    if tuple(bone.name for bone in obj.data.bones) != sampled.skeleton.names:
        raise InputError(f"The bones of '{obj.name}' were changed in the meantime; simulate again.")


def protect_action(source: Action) -> bool:
    """Give the action a fake user if its only user is about to leave it; return whether it was needed."""
    if source.users > 1 or source.use_fake_user:
        return False
    source.use_fake_user = True
    return True


def _channels(
    obj: ArmatureObject, rig: RigSpace, sampled: SampledMotion, pose: NewPose
) -> Generator[float, None, list[Channel]]:
    """Return all channels to key, yielding the share done after each bone."""
    found: list[Channel] = []
    count = len(pose.turned_bones) + len(pose.moved_bones)
    for bone in pose.turned_bones:
        pose_bone = obj.pose.bones[rig.bones[bone].name]
        mode = str(pose_bone.rotation_mode)
        source = sampled.rotation_of(bone, mode)
        channel, values = rotation_channels(_own_rotation(rig, bone, pose), mode, source)
        path, unkeyed = pose_bone.path_from_id(channel), np.array(getattr(pose_bone, channel))
        found.append(Channel(path, pose_bone.name, bone, mode, values, unkeyed))
        yield len(found) / count
    for bone in pose.moved_bones:
        pose_bone = obj.pose.bones[rig.bones[bone].name]
        path, values = pose_bone.path_from_id("location"), _own_location(rig, bone, pose)
        unkeyed = np.array(pose_bone.location)
        found.append(Channel(path, pose_bone.name, bone, LOCATION, values, unkeyed))
        yield len(found) / count
    if pose.object_location is not None:
        unkeyed, group = np.array(obj.location), "Object Transforms"
        found.append(Channel("location", group, OBJECT, LOCATION, pose.object_location, unkeyed))
    return found


def _own_rotation(rig: RigSpace, bone: int, pose: NewPose) -> FloatArray:
    """Return the rotation channels' values as quaternions (F, 4)."""
    space = rig.rotation_space(bone, pose.pose_matrix)
    own = inverse(space) @ pose.pose_matrix[:, bone, :3, :3]
    return rotations.from_matrix(unscaled(own))


def _own_location(rig: RigSpace, bone: int, pose: NewPose) -> FloatArray:
    """Return the location channels' values (F, 3)."""
    space = rig.location_space(bone, pose.pose_matrix)
    return turned(inverse(space[:, :3, :3]), pose.pose_matrix[:, bone, :3, 3] - space[:, :3, 3])
