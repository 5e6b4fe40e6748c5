"""Rigs with controls for tests: a generated Rigify rig and one made by hand, with motions."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.reading.bone_table import find_mapping
from heft.addon.reading.motion_reader import SampledMotion
from heft.addon.writing.baked_bones import BakedBones
from mathutils import Euler, Vector

from tests.blender.at_once import read_motion
from tests.blender.rigs import humanoid, set_rotation

LAST = 16
SIDES = {"L": 1.0, "R": -1.0}
SPINE = ("spine_fk", "spine_fk.001", "spine_fk.002", "spine_fk.003", "neck", "head")
FK_LIMBS = {"thigh": 0.4, "shin": 0.4, "foot": 0.2, "upper_arm": 0.4, "forearm": 0.4, "hand": 0.3}
HINGES = {"shin": 0.7, "forearm": 0.6}


def save_rigify(path: Path) -> None:
    """Generate the small human rig and save it, in a process of its own; see generate_rigify.py."""
    subprocess.run([sys.executable, Path(__file__).with_name("generate_rigify.py"), path], check=True)


def open_rigify(path: Path) -> Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    (rig,) = [obj for obj in bpy.context.view_layer.objects if obj.type == "ARMATURE"]
    bpy.context.view_layer.objects.active = rig
    return rig


def switch_rigify(rig: Object, ik: bool, pole: bool = False) -> None:
    for side in SIDES:
        for limb in ("thigh", "upper_arm"):
            holder = rig.pose.bones[f"{limb}_parent.{side}"]
            holder["IK_FK"], holder["pole_vector"] = 0.0 if ik else 1.0, pole


def move_rigify(rig: Object, phase: float, turn: float = 0.0, mode: str = "QUATERNION") -> None:
    """A new action on the FK and the IK controls; turn: of the whole body [rad]."""
    animation = rig.animation_data_create()
    animation.action = None
    for frame in range(1, LAST + 1, 3):
        w = 0.4 * frame + phase
        place_control(rig, "torso", frame, (0.05 * math.sin(w), -0.03 * frame, -0.06 + 0.01 * math.sin(w)))
        _turn(rig, "torso", frame, Euler((0.1 * math.sin(w), 0.05, turn + 0.1 * math.sin(w))))
        for number, name in enumerate(SPINE):
            _turn(rig, name, frame, Euler((0.1 * math.sin(w + number), 0.08 * math.sin(w), 0.05)))
        for side, sign in SIDES.items():
            _turn(rig, f"shoulder.{side}", frame, Euler((0.05, 0.0, 0.1 * sign * math.sin(w))))
            for name, size in FK_LIMBS.items():
                bent, wave = HINGES.get(name), size * math.sin(w * sign)
                euler = (bent + 0.5 * wave, 0.0, 0.0) if bent else (wave, 0.2 * wave, 0.1 * sign)
                rig.pose.bones[f"{name}_fk.{side}"].rotation_mode = mode
                _turn(rig, f"{name}_fk.{side}", frame, Euler(euler))
            forward = 0.03 * frame + 0.1 * math.sin(w * sign)
            place_control(rig, f"foot_ik.{side}", frame, (0.02, -forward, 0.06))
            place_control(rig, f"hand_ik.{side}", frame, (-0.1 * sign, -0.03 * frame - 0.05, -0.02))


def place_control(rig: Object, name: str, frame: int, location: tuple[float, float, float]) -> None:
    rig.pose.bones[name].location = location
    rig.pose.bones[name].keyframe_insert("location", frame=frame)


def _turn(rig: Object, name: str, frame: int, turn: Euler) -> None:
    bone = rig.pose.bones[name]
    set_rotation(bone, turn)
    channel = "rotation_quaternion" if bone.rotation_mode == "QUATERNION" else "rotation_euler"
    bone.keyframe_insert(channel, frame=frame)


def as_baked(rig: Object, sampled: SampledMotion) -> BakedBones:
    """What was read of the mapped bones, as if it had been simulated."""
    mapping, skeleton = find_mapping(rig, bpy.context.scene), sampled.skeleton
    names = sorted((bone for slot in mapping for bone in mapping.bones[slot]), key=skeleton.index.__getitem__)
    column, whole = [skeleton.index[name] for name in names], sampled.frame_sample
    hips = mapping.bones["hips"][0]
    return BakedBones(
        tuple(names),
        sampled.motion.position_world[whole][:, column],
        sampled.motion.quaternion_world[whole][:, column],
        np.array([name == hips for name in names]),
    )


def read(rig: Object) -> SampledMotion:
    return read_motion(bpy.context, rig, 1, LAST)


def hand_made() -> Object:
    """A humanoid whose bones follow controls: copied rotations, an IK leg with a pole, a local copy."""
    rig = humanoid()
    deform = [(bone.name, bone.parent and bone.parent.name) for bone in rig.data.bones]
    bpy.ops.object.mode_set(mode="EDIT")
    edit = rig.data.edit_bones
    for name, parent in deform:
        control = edit.new(f"CTRL-{name}")
        control.head, control.tail, control.roll = edit[name].head, edit[name].tail, edit[name].roll
        control.parent = edit[f"CTRL-{parent}"] if parent else None
    edit["LowerLeg.L"].tail = edit["Foot.L"].head
    edit["UpperLeg.L"].tail = edit["LowerLeg.L"].head
    for name, head in (("IK-Foot.L", edit["Foot.L"].head), ("Knee.L", Vector((0.1, -0.8, 0.5)))):
        extra = edit.new(name)
        extra.head, extra.tail = head, head + Vector((0.0, 0.02, 0.1))
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = rig.pose.bones
    for name, _ in deform:
        if name in ("UpperLeg.L", "LowerLeg.L"):
            continue
        kind = "COPY_TRANSFORMS" if name == "Hips" else "COPY_ROTATION"
        copy = bones[name].constraints.new(kind)
        copy.target, copy.subtarget = rig, "IK-Foot.L" if name == "Foot.L" else f"CTRL-{name}"
        if name == "LowerArm.R":
            copy.owner_space = copy.target_space = "LOCAL"
    ik = bones["LowerLeg.L"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = rig, "IK-Foot.L", 2
    ik.pole_target, ik.pole_subtarget, ik.pole_angle = rig, "Knee.L", -0.5 * math.pi
    return rig


def move_hand_made(rig: Object, phase: float) -> None:
    rig.animation_data_create().action = None
    for frame in range(1, LAST + 1, 3):
        w = 0.4 * frame + phase
        place_control(rig, "CTRL-Hips", frame, (0.03 * math.sin(w), -0.1, 0.02 * frame))
        place_control(rig, "IK-Foot.L", frame, (0.02, 0.06 + 0.02 * math.sin(w), 0.03 * math.sin(w)))
        for number, bone in enumerate(rig.pose.bones):
            if bone.name.startswith(("CTRL-", "IK-")):
                wave = 0.2 * math.sin(w + number)
                _turn(rig, bone.name, frame, Euler((wave, 0.5 * wave, 0.1)))


def curve_values(obj: Object, data_path: str) -> list[list[float]]:
    """The keys of a channel's curves in the object's action."""
    curves = [c for c in compat.curves_of(compat.action_of(obj)) if c.data_path == data_path]
    return [[key.co.y for key in curve.keyframe_points] for curve in curves]
