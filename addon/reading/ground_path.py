"""The way that an object gives over the ground: a curve, or an empty that is keyed along it."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Curve, Object

from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ..blender import compat
from ..blender.blender_types import RigContext
from .motion_reader import current_frame_kept
from .rig_reader import metres_per_unit

KINDS = ("CURVE", "EMPTY")


def path_among(context: RigContext) -> Object:
    """Return the one selected curve or empty."""
    found = [obj for obj in context.selected_objects if obj.type in KINDS]
    if len(found) != 1:
        raise InputError(
            f"{len(found)} curves and empties are selected; select one curve, or one empty with keys, and "
            "then the armature."
        )
    return found[0]


def path_points(context: RigContext, obj: Object) -> FloatArray:
    """Return the points (N, 3) of a way in the world, from its start to its end [m]."""
    points = _of_curve(obj) if isinstance(obj.data, Curve) else _of_keys(context, obj)
    return metres_per_unit(context.scene) * points


def _of_curve(obj: Object) -> FloatArray:
    """Return the points of the first spline, as Blender draws it; thickness and taper do not count."""
    assert isinstance(obj.data, Curve)
    if not obj.data.splines:
        raise InputError(f"The curve '{obj.name}' is empty; draw a spline.")
    closed, bare = bool(obj.data.splines[0].use_cyclic_u), obj.data.copy()
    carrier = bpy.data.objects.new("Heft path", bare)
    try:
        for spline in list(bare.splines)[1:]:
            bare.splines.remove(spline)
        bare.bevel_depth = bare.extrude = bare.offset = 0.0
        bare.bevel_object = None
        local = np.array([np.array(own.co) for own in carrier.to_mesh().vertices]).reshape(-1, 3)
        carrier.to_mesh_clear()
    finally:
        bpy.data.objects.remove(carrier)
        bpy.data.curves.remove(bare)
    local = np.concatenate([local, local[:1]]) if closed else local
    placed = np.array(obj.matrix_world)
    return np.asarray(local @ placed[:3, :3].T + placed[:3, 3])


def _of_keys(context: RigContext, obj: Object) -> FloatArray:
    """Return where an object is at the frames of its keys."""
    source = compat.action_of(obj)
    if source is None:
        raise InputError(f"'{obj.name}' has no keys; key its way over the ground, or take a curve.")
    first, last = source.action.frame_range
    points: list[FloatArray] = []
    with current_frame_kept(context.scene):
        for frame in range(int(first), int(last) + 1):
            context.scene.frame_set(frame)
            points.append(np.array(obj.matrix_world)[:3, 3])
    return np.array(points)
