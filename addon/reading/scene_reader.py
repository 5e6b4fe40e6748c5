"""Reads the objects around a character: roles, shapes and motions of evaluated meshes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Depsgraph, Object

from ...sim_core.base import rotations
from ...sim_core.base.conventions import Z_UP, FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.scene.mesh_shapes import Mesh, is_sheet, shape_of_mesh
from ...sim_core.scene.scene import FLAT, Hinge, Keys, Launch, Passing, Role, Scene, SceneObject
from ..blender import compat
from ..blender.blender_types import RigContext, SurroundingObject, surrounding, surrounding_scene
from ..blender.matrices import collapsed, from_blender, unscaled
from ..blender.mesh_attributes import points_and_triangles
from .motion_reader import current_frame_kept
from .rig_reader import metres_per_unit

GROUND_SIZE = 2.0
"""A passive rigid body that is wider in both directions is ground, a smaller one an obstacle [m]."""
MOST_FACES = 20000
"""Largest number of faces of a mesh without a role that is looked at as a support."""
_RIGID_SHAPES = {
    "BOX": "box",
    "SPHERE": "sphere",
    "CAPSULE": "capsule",
    "CYLINDER": "cylinder",
    "CONVEX_HULL": "hull",
    "CONE": "hull",
}
_AXES = {"X": np.array([1.0, 0.0, 0.0]), "Y": np.array([0.0, 1.0, 0.0]), "Z": Z_UP}


def surroundings(context: RigContext) -> list[SurroundingObject]:
    """Return the visible mesh objects that have a role or are rigid bodies."""
    visible = [obj for obj in context.view_layer.objects if obj.visible_get(view_layer=context.view_layer)]
    meshes = [surrounding(obj) for obj in visible if obj.type == "MESH"]
    return [obj for obj in meshes if role_of(obj) is not None]


def role_of(obj: SurroundingObject) -> Role | None:
    """Return the role of an object in the simulation; None leaves it out."""
    if obj.heft_object.role != "NONE":
        return Role(obj.heft_object.role.lower())
    body = obj.rigid_body
    if body is None:
        return None
    if body.type == "ACTIVE" and (obj.heft_object.baked or not body.kinematic):
        return Role.PROP
    if body.kinematic:
        return Role.MOVING
    width = min(obj.dimensions[0], obj.dimensions[1]) * metres_per_unit(bpy.context.scene)
    return Role.GROUND if width > GROUND_SIZE else Role.OBSTACLE


def sample_scene(
    context: RigContext, frame_start: int, frame_end: int, fps: float
) -> Generator[float, None, Scene]:
    """Read all objects of the scene, yielding the share done after each frame; fps: at which it is played."""
    objects, flat = surroundings(context), _floor(context)
    if not objects:
        return flat
    moves = any(_known_role(obj).has_keys for obj in objects)
    frames = range(frame_start, (frame_end if moves else frame_start) + 1)
    matrices = []
    with current_frame_kept(context.scene), showing_own_actions(objects):
        context.scene.frame_set(frame_start)
        meshes = [_read_mesh(obj, context.evaluated_depsgraph_get()) for obj in objects]
        for number in frames:
            context.scene.frame_set(number)
            depsgraph = context.evaluated_depsgraph_get()
            matrices.append([from_blender(obj.evaluated_get(depsgraph).matrix_world) for obj in objects])
            yield (number - frame_start + 1) / len(frames)
    time, unit_m = np.array(frames) / fps, metres_per_unit(context.scene)
    placed = np.array(matrices).swapaxes(0, 1)
    placed[..., :3, :] *= unit_m
    read = (
        _scene_object(obj, _known_role(obj), mesh, matrix, time, fps)
        for obj, mesh, matrix in zip(objects, meshes, placed, strict=True)
    )
    return replace(flat, objects=tuple(read))


def furniture_near(context: RigContext, low: FloatArray, high: FloatArray) -> tuple[SceneObject, ...]:
    """Return meshes without a role as obstacles, if they stand still between two corners (2) [m].

    Parts of characters, what is animated and what has more than MOST_FACES faces are left out, and meshes
    that cannot be used at all.
    """
    unit_m, depsgraph = metres_per_unit(context.scene), context.evaluated_depsgraph_get()
    visible = [obj for obj in context.view_layer.objects if obj.visible_get(view_layer=context.view_layer)]
    found = []
    for obj in (surrounding(own) for own in visible if own.type == "MESH"):
        if role_of(obj) is not None or not _stands_still(obj) or len(obj.data.polygons) > MOST_FACES:
            continue
        matrix = from_blender(obj.evaluated_get(depsgraph).matrix_world)[None].copy()
        matrix[:, :3, :] *= unit_m
        corners = np.array([[*corner, 1.0] for corner in obj.bound_box]) @ matrix[0, :2].T
        if (corners.max(axis=0) < low).any() or (corners.min(axis=0) > high).any():
            continue
        with suppress(InputError):
            mesh = _read_mesh(obj, depsgraph)
            found.append(_scene_object(obj, Role.OBSTACLE, mesh, matrix, np.zeros(1), 1.0))
    return tuple(found)


def _stands_still(obj: Object) -> bool:
    """Return whether an object is neither animated nor a part of a character, nor are those it hangs on."""
    own: Object | None = obj
    while own is not None:
        deforms = own.type == "ARMATURE" or any(modifier.type == "ARMATURE" for modifier in own.modifiers)
        if deforms or own.constraints or own.animation_data is not None:
            return False
        own = own.parent
    return True


@contextmanager
def showing_own_actions(objects: Sequence[SurroundingObject]) -> Iterator[None]:
    """Show what is carried as the user has animated it, and not as a simulation has moved it."""
    shown = [(obj, compat.action_of(obj)) for obj in objects if role_of(obj) is Role.CARRIED]
    moved = [
        (obj, now)
        for obj, now in shown
        if now is not None
        and now.action == obj.heft_object.baked_action
        and obj.heft_object.source_action is not None
    ]
    try:
        for obj, _ in moved:
            chosen = obj.heft_object
            own = compat.slotted(chosen.source_action, obj, chosen.source_slot)
            compat.assign_action(obj.animation_data_create(), own)
        yield
    finally:
        for obj, now in moved:
            compat.assign_action(obj.animation_data_create(), now)


def _floor(context: RigContext) -> Scene:
    """Return a scene without objects: whether there is a flat floor, and where, unless the core decides."""
    chosen = surrounding_scene(context.scene).heft_surroundings
    height = chosen.floor_height * metres_per_unit(context.scene) if chosen.own_floor else None
    is_there = None if chosen.floor == "AUTO" else chosen.floor == "ON"
    return replace(FLAT, floor=is_there, floor_height=height)


def _known_role(obj: SurroundingObject) -> Role:
    role = role_of(obj)
    assert role is not None
    return role


def _scene_object(
    obj: SurroundingObject, role: Role, mesh: Mesh, matrix: FloatArray, time: FloatArray, fps: float
) -> SceneObject:
    """Return an object whose mesh is placed by world matrices (F, 4, 4) in metres at times (F)."""
    if not np.isfinite(matrix).all() or collapsed(matrix[:, :3, :3]).any():
        raise InputError(f"'{obj.name}' is scaled to zero or placed at NaN; reset its transform.")
    turn = unscaled(matrix[:, :3, :3])
    sized = mesh.transformed(turn[0].T @ matrix[0, :3, :3])
    up, is_static = turn[0].T @ Z_UP, role in (Role.GROUND, Role.OBSTACLE)
    try:
        if role.is_free and is_sheet(sized):
            raise InputError("It is a flat sheet, which has no mass; give it a Solidify modifier.")
        shape, middle = shape_of_mesh(sized, _kind(obj, is_static), is_static, up)
        if role is Role.HINGE and np.linalg.norm(middle) > 1e-4:  # it turns about its own origin
            shape, middle = shape_of_mesh(sized, "hull", is_static, up)
        friction, bounce = _surface(obj)
        position, quaternion = matrix[:, :3, 3] + turn @ middle, rotations.from_matrix(turn)
        mass, density = _weight(obj, role)
        return SceneObject(
            name=obj.name,
            role=role,
            shape=shape,
            position=position[0],
            quaternion=quaternion[0],
            friction=friction,
            bounce=bounce,
            margin=_margin(obj),
            mass=mass,
            density=density,
            hinge=_hinge(obj) if role is Role.HINGE else None,
            keys=Keys(time, position, quaternion) if role.has_keys else None,
            launch=_launch(obj, turn[0], fps) if role is Role.PROJECTILE else None,
            passing=Passing[obj.heft_object.passing],
            comes_back=obj.heft_object.comes_back,
            captured=is_static and obj.heft_object.captured,
        )
    except InputError as problem:
        raise InputError(f"'{obj.name}' cannot be used: {problem}") from problem


def _read_mesh(obj: Object, depsgraph: Depsgraph) -> Mesh:
    """Return the mesh with all modifiers, in the object's own units."""
    evaluated = obj.evaluated_get(depsgraph)
    data = evaluated.to_mesh(preserve_all_data_layers=False, depsgraph=depsgraph)
    try:
        return Mesh(*points_and_triangles(data))
    finally:
        evaluated.to_mesh_clear()


def _kind(obj: SurroundingObject, is_static: bool) -> str:
    """Return the shape that Heft's setting asks for, or else that of the rigid body."""
    if obj.heft_object.shape == "AUTO" and obj.rigid_body is not None:
        shape = obj.rigid_body.collision_shape
        # Static meshes may be terrain, so their shape is detected.
        return "mesh" if shape == "MESH" and not is_static else _RIGID_SHAPES.get(shape, "auto")
    return obj.heft_object.shape.lower()


def _surface(obj: SurroundingObject) -> tuple[float, float]:
    """Return friction and bounce."""
    body = obj.rigid_body
    if obj.heft_object.role == "NONE" and body is not None:
        return float(body.friction), min(float(body.restitution), 0.99)
    return obj.heft_object.friction, obj.heft_object.bounce


def _weight(obj: SurroundingObject, role: Role) -> tuple[float, float]:
    """Return mass [kg] and density [kg/m^3] of an object that can be pushed; one of them is zero."""
    chosen, body = obj.heft_object, obj.rigid_body
    if chosen.role == "NONE" and body is not None and role is Role.PROP:
        return float(body.mass), 0.0
    if role.is_free and chosen.weight == "DENSITY":
        return 0.0, chosen.density
    return (chosen.mass, 0.0) if role.is_free or role is Role.HINGE else (0.0, 0.0)


def _margin(obj: SurroundingObject) -> float:
    """Return the collision margin of a rigid body [m]."""
    body = obj.rigid_body
    if obj.heft_object.role != "NONE" or body is None or not body.use_margin:
        return 0.0
    return float(body.collision_margin) * metres_per_unit(bpy.context.scene)


def _launch(obj: SurroundingObject, turn: FloatArray, fps: float) -> Launch:
    """Return the throw of an object with axes (3, 3) in the world."""
    chosen = obj.heft_object
    time = chosen.launch_frame / fps
    if chosen.aim == "BONE":
        if not chosen.target_bone:
            raise InputError("It is aimed at no bone; choose one, or aim it along its axis.")
        whose = "" if chosen.target_rig is None else chosen.target_rig.name
        return Launch(time, chosen.launch_speed, chosen.target_bone, character=whose)
    sign = -1.0 if chosen.launch_axis.startswith("-") else 1.0
    direction = sign * (turn @ _AXES[chosen.launch_axis[-1]])
    return Launch(time, chosen.launch_speed, direction=direction)


def _hinge(obj: SurroundingObject) -> Hinge:
    chosen = obj.heft_object
    return Hinge(_AXES[chosen.hinge_axis], chosen.hinge_low, chosen.hinge_high, chosen.hinge_damping)
