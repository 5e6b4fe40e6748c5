"""Writes what the character did to objects into new actions of theirs."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Object, Scene

from ..sim_core import rotations
from ..sim_core.conventions import FloatArray
from ..sim_core.result import Result
from . import compat
from .bake_writer import SUFFIX, keep_alive
from .blender_types import RigContext, surrounding
from .channel_keys import write_channel
from .compare.own_result import checksum, keep_source, mark, retire
from .matrices import from_blender, inverse, turned, unscaled
from .motion_reader import SampledMotion, current_frame_kept
from .rotation_channels import rotation_channels


def write_props(context: RigContext, sampled: SampledMotion, result: Result) -> tuple[str, ...]:
    """New actions for the result's props that are still there; notes for the user."""
    notes = []
    time = sampled.motion.time[sampled.frame_sample]
    metres = sampled.metres_per_unit * result.meta["character"]["scale"]
    for number, name in enumerate(result.prop_name.tolist()):
        obj: Object | None = bpy.data.objects.get(name)
        if obj is None or obj.library is not None:
            notes.append(f"'{name}' cannot be given new keys: it is gone, or linked from another file.")
            continue
        position = _at(result.time, result.prop_position[:, number], time)
        quaternion = rotations.normalise(
            _at(result.time, rotations.continuous(result.prop_quaternion[:, number]), time)
        )
        _write(context, obj, sampled, position / metres, quaternion)
        if obj.rigid_body is not None and obj.rigid_body.type == "ACTIVE" and not obj.rigid_body.kinematic:
            obj.rigid_body.kinematic = surrounding(obj).heft_object.baked = True
            notes.append(f"'{name}' is an active rigid body; it is now animated, so that its new keys count.")
    return tuple(notes)


def _at(grid: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Values (T, n) at other times, linear in between."""
    return np.stack([np.interp(time, grid, column) for column in values.T], axis=1)


def _write(
    context: RigContext, obj: Object, sampled: SampledMotion, position: FloatArray, quaternion: FloatArray
) -> None:
    """Keys at every frame: from where it is at the first one it moves as its body did (F, 3), (F, 4)."""
    with current_frame_kept(context.scene):
        context.scene.frame_set(int(sampled.frame[0]))
        start, own = from_blender(obj.matrix_world), from_blender(obj.matrix_basis)
    space = start @ np.linalg.inv(own)  # of its parents, which are taken to stand still
    turn = rotations.to_matrix(rotations.multiply(quaternion, rotations.conjugate(quaternion[0])))
    place = position + turned(turn, start[:3, 3] - position[0])
    back = inverse(space[:3, :3])
    location = turned(back, place - space[:3, 3])
    linear = unscaled(back @ turn @ start[:3, :3])
    source = compat.action_of(obj)
    base = obj.name if source is None else source.action.name
    target = compat.new_action(obj, base + SUFFIX)
    writer, group = compat.CurveWriter(target), "Object Transforms"
    channel, values = rotation_channels(rotations.from_matrix(linear), obj.rotation_mode)
    write_channel(writer, "location", group, sampled.frame, location)
    write_channel(writer, channel, group, sampled.frame, values)
    if source is not None:
        keep_alive(source.action)
    _remember(obj, source, target)


def _remember(obj: Object, source: compat.SlottedAction | None, target: compat.SlottedAction) -> None:
    """Give it the new keys, and note what it was before the first of several bakes, for going back."""
    chosen = surrounding(obj).heft_object
    if source is None or source.action != chosen.baked_action:
        chosen.source_action = None if source is None else source.action
        chosen.source_slot = "" if source is None else compat.slot_name(source)
    before, chosen.baked_action = chosen.baked_action, target.action
    mark(target.action, checksum(target.action))
    compat.assign_action(obj.animation_data_create(), target)
    retire(before)


def restore_props(scene: Scene) -> list[str]:
    """Objects that still have the keys of a bake are as they were before it; their names."""
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
    """Objects that are as they were before a bake have its keys again."""
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
    """What objects have now is theirs; results that they no longer have go, unless they were changed."""
    for obj in scene.objects:
        chosen = surrounding(obj).heft_object
        source, baked = chosen.source_action, chosen.baked_action
        if baked is None:
            continue
        chosen.source_action = chosen.baked_action = None
        chosen.source_slot, chosen.baked = "", False
        keep_source(source)
        retire(baked)


def _stand_at_first_key(obj: Object, action: compat.SlottedAction) -> None:
    """Where it was when it had no keys."""
    for curve in compat.curves_of(action):
        getattr(obj, curve.data_path)[curve.array_index] = curve.keyframe_points[0].co[1]
