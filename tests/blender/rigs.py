"""Armatures for tests: a small humanoid with a made-up walk, imported characters, and fingerprints."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import addon_utils
import bpy
import numpy as np
from bpy.types import Context, Object
from heft.addon.bake.bake_job import PreparedBake, prepare_bakes
from heft.addon.bake.bake_options import BakeOptions, Participant, frame_range
from heft.addon.bake.bake_report import BakeReport
from heft.addon.blender import compat
from heft.addon.blender.steps import run_all
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base import rotations
from heft.sim_core.scenario.settings import BakeSettings
from mathutils import Euler, Matrix, Vector

from tests.blender.at_once import finish_bakes, read_world_poses

Place = tuple[float, float, float]

LAST_FRAME = 20

_CENTRE: tuple[tuple[str, str | None, Place], ...] = (
    ("Hips", None, (0.0, 0.0, 0.95)),
    ("Spine", "Hips", (0.0, 0.0, 1.05)),
    ("Chest", "Spine", (0.0, 0.0, 1.25)),
    ("Neck", "Chest", (0.0, 0.0, 1.48)),
    ("Head", "Neck", (0.0, -0.01, 1.58)),
)
_LEFT: tuple[tuple[str, str, Place], ...] = (
    ("Shoulder", "Chest", (0.04, 0.0, 1.43)),
    ("UpperArm", "Shoulder", (0.18, 0.0, 1.42)),
    ("LowerArm", "UpperArm", (0.45, 0.0, 1.42)),
    ("Hand", "LowerArm", (0.70, 0.0, 1.42)),
    ("UpperLeg", "Hips", (0.10, 0.0, 0.92)),
    ("LowerLeg", "UpperLeg", (0.10, -0.01, 0.50)),
    ("Foot", "LowerLeg", (0.10, 0.0, 0.09)),
    ("Toes", "Foot", (0.10, -0.14, 0.02)),
)


def humanoid(root_bone: bool = False, connect_hips: bool = False) -> Object:
    """A humanoid at rest that faces -Y, the active object of the scene; optionally with a root bone."""
    armature = bpy.data.armatures.new("Figure")
    obj = bpy.data.objects.new("Figure", armature)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    heads: list[tuple[str, str | None, Place]] = list(_CENTRE)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for name, parent, (x, y, z) in _LEFT:
            above = parent if parent in ("Hips", "Chest") else f"{parent}.{side}"
            heads.append((f"{name}.{side}", above, (sign * x, y, z)))
    if root_bone:
        heads.insert(0, ("Root", None, (0.0, 0.0, 0.0)))
    for name, parent, head in heads:
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = head, Vector(head) + Vector((0.0, 0.02, 0.1))
        bone.parent = armature.edit_bones[parent] if parent else None
    if root_bone:
        armature.edit_bones["Hips"].parent = armature.edit_bones["Root"]
        armature.edit_bones["Root"].tail = armature.edit_bones["Hips"].head
        armature.edit_bones["Hips"].use_connect = connect_hips
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def animate(obj: Object, carrier: str | None = "Hips", mode: str = "QUATERNION") -> None:
    """Swing every bone, and move the carrier (a bone's name, "object" or None) forward."""
    swing_bones(obj, mode)
    for frame in range(1, LAST_FRAME + 1, 3):
        forward = 0.05 * (frame - 1)
        if carrier == "object":
            obj.location = (0.3, -forward, 0.0)
            obj.keyframe_insert("location", frame=frame)
        elif carrier is not None:
            bone = obj.pose.bones[carrier]
            # Hips and root point upwards: their Z axis lies on the ground.
            bone.location = (0.02 * math.sin(frame), 0.0, -forward)
            bone.keyframe_insert("location", frame=frame)


def swing_bones(obj: Object, mode: str = "QUATERNION") -> None:
    """Key small rotations of every bone, in the given rotation mode."""
    for number, bone in enumerate(obj.pose.bones):
        bone.rotation_mode = mode
        for frame in range(1, LAST_FRAME + 1, 3):
            wave = 0.25 * math.sin(0.5 * frame + number)
            set_rotation(bone, Euler((wave, 0.3 * wave, 0.1)))
            channel = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
            bone.keyframe_insert(channel.get(mode, "rotation_euler"), frame=frame)


def set_rotation(bone: bpy.types.PoseBone, turn: Euler) -> None:
    """Set a pose bone's rotation whatever its mode."""
    quaternion = turn.to_quaternion()
    if bone.rotation_mode == "QUATERNION":
        bone.rotation_quaternion = quaternion
    elif bone.rotation_mode == "AXIS_ANGLE":
        axis, angle = quaternion.to_axis_angle()
        bone.rotation_axis_angle = (angle, *axis)
    else:
        bone.rotation_euler = quaternion.to_euler(bone.rotation_mode)


def scaled(obj: Object) -> None:
    """Make its bones a hundred times larger and the object a hundredth, as files of Mixamo come."""
    obj.data.transform(Matrix.Scale(100.0, 4))
    obj.scale = (0.01, 0.01, 0.01)
    for curve in compat.curves_of(compat.action_of(obj)):
        if curve.data_path.endswith("location") and "pose" in curve.data_path:
            for key in curve.keyframe_points:
                key.co.y *= 100.0
            curve.update()


def import_gltf(path: Path) -> Object:
    """The armature of a glTF file."""
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(path), loglevel=50)
    return only_armature()


def import_bvh(path: Path, metres_per_unit: float, rotate_mode: str = "NATIVE") -> Object:
    """The armature that Blender's own importer makes."""
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=metres_per_unit, rotate_mode=rotate_mode)
    found: Object = bpy.context.object
    return found


def only_armature() -> Object:
    (found,) = [obj for obj in bpy.context.view_layer.objects if obj.type == "ARMATURE"]
    bpy.context.view_layer.objects.active = found
    return found


def prepare(context: Context, obj: Object, settings: BakeSettings, last: int | None = None) -> PreparedBake:
    """Read a rig and its motion, at most up to a frame."""
    start, end = frame_range(context, obj)
    options = BakeOptions(start, end if last is None else min(end, last), settings)
    return run_all(prepare_bakes(context, [Participant(obj, options)]))[0]


def pass_through(context: Context, obj: Object, last: int | None = None) -> tuple[PreparedBake, BakeReport]:
    """Source -> character -> action with simulation off, all in this process."""
    prepared = prepare(context, obj, BakeSettings(simulate=False), last)
    return prepared, finish_bakes(context, [prepared], [bake(prepared.job)])[0]


def worst_difference(context: Context, obj: Object, prepared: PreparedBake) -> tuple[float, float]:
    """Between the object's motion now and the one that was read: [deg], [m], over all mapped bones."""
    sampled, mapping = prepared.sampled, prepared.job.mapping
    position, quaternion = read_world_poses(context, obj, sampled.frame, sampled.skeleton)
    bones = [sampled.skeleton.index[bone] for slot in mapping for bone in mapping.bones[slot]]
    source_position = sampled.motion.position_world[sampled.frame_sample][:, bones]
    source_quaternion = sampled.motion.quaternion_world[sampled.frame_sample][:, bones]
    angle = rotations.angle_between(quaternion[:, bones], source_quaternion)
    distance = np.linalg.norm(position[:, bones] - source_position, axis=-1)
    return float(np.degrees(angle.max())), float(distance.max())


def fingerprint(obj: Object, skip_actions: tuple[str, ...] = ()) -> str:
    """A hash of what a bake must leave alone: all actions' curves, and the rig's settings."""
    digest = hashlib.sha256()
    for action in sorted(bpy.data.actions, key=lambda action: action.name):
        if action.name in skip_actions:
            continue
        slots = list(action.slots) if compat.has_slots() else [None]
        for slot in slots:
            digest.update(f"{action.name} {slot and slot.identifier}".encode())
            for curve in compat.curves_of(compat.SlottedAction(action, slot)):
                values = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
                curve.keyframe_points.foreach_get("co", values)
                digest.update(f"{curve.data_path} {curve.array_index} {curve.mute}".encode())
                digest.update(values.tobytes())
    for bone in obj.pose.bones:
        digest.update(f"{bone.name} {bone.rotation_mode} {tuple(bone.lock_location)}".encode())
        digest.update(f"{bone.bone.use_inherit_rotation} {bone.bone.inherit_scale}".encode())
        digest.update(str([(c.type, c.mute, c.influence) for c in bone.constraints]).encode())
    for track in obj.animation_data.nla_tracks if obj.animation_data else ():
        strips = [
            (strip.action and strip.action.name, strip.frame_start, strip.mute) for strip in track.strips
        ]
        digest.update(f"{track.name} {track.mute} {strips}".encode())
    scene = bpy.context.scene
    digest.update(f"{scene.frame_current} {scene.frame_subframe} {scene.frame_start}".encode())
    return digest.hexdigest()
