"""Scene objects as MuJoCo bodies.

A moving object is a very heavy body on a free joint whose state the simulation prescribes at every
step. Contacts then see its true velocity, so that friction moves what stands on it; a mocap body has no
velocity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import mujoco
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..scene.playback import ObjectMotion
from ..scene.scene import Role, Scene, SceneObject
from ..scene.shapes import Box, Capsule, Compound, Cylinder, HeightField, Hull, Plane, Shape, Sphere
from .character_model import CONTACT_SOLREF, GROUND_BIT, HOLD_BIT, PROP_BIT, SPIN_AND_ROLL

PREFIX = "scene/"
"""Prefix of the names of a scene's objects, so that none equals the name of a body part."""
MOVING_MASS = 1e6
"""Mass and inertia of a moving object [kg, kg m^2].

They are so large that no contact moves the object before its state is prescribed again, a step later.
"""
FIELD_BASE = 1.0
"""Thickness of the ground below the lowest point of a height field [m]."""
MIN_BOUNCE = float(np.exp(-2.0))
"""Coefficient of restitution of a critically damped contact, the least there is."""
FREE_CONTACTS = GROUND_BIT | PROP_BIT, GROUND_BIT
"""Collision bits of free objects, which touch all other objects, and the whole foot as well as its sole."""
PRIORITY, FREE_PRIORITY = 1, 2
"""Contact priorities: friction and bounce are those of the object, not of the body that touches it.

Free objects take precedence over all others.
"""


@dataclass(frozen=True, eq=False)
class SceneIndex:
    """Ids and addresses of a scene's objects in a compiled model.

    geom, owner (G): ids of all geoms, and the indices of the objects that they belong to
    body (N): body id of each object; 0 for those that cannot move
    moving (M), hinged (H), props (P): indices of the objects with joints; projectiles are among the props
    qpos (7 M + H + 7 P), dof (6 M + H + 6 P): addresses of their joints, in this order
    """

    geom: IntArray
    owner: IntArray
    body: IntArray
    moving: IntArray
    hinged: IntArray
    props: IntArray
    qpos: IntArray
    dof: IntArray

    def geoms_of(self, object_indices: ArrayLike) -> IntArray:
        """Return the geom ids of one object or several."""
        return self.geom[np.isin(self.owner, object_indices)]

    @property
    def moving_qpos(self) -> IntArray:
        """Return the qpos addresses of the moving objects."""
        return self.qpos[: 7 * len(self.moving)]

    @property
    def moving_dof(self) -> IntArray:
        """Return the dof addresses of the moving objects."""
        return self.dof[: 6 * len(self.moving)]


def add_objects(
    world: mujoco.MjSpec, scene: Scene, time_constants: Mapping[str, float] = MappingProxyType({})
) -> None:
    """Add the objects of a scene to a model description.

    time_constants: contact time constants [s] of objects whose contacts are stiffer than usual, by name
    """
    for obj in scene.objects:
        body, pose = _add_body(world, obj)
        seconds = time_constants.get(obj.name, CONTACT_SOLREF[0])
        for number, (shape, share) in enumerate(_convex(obj.shape)):
            geom = body.add_geom(name=f"{PREFIX}{obj.name}#{number}", **pose)
            _set_shape(world, geom, obj, shape)
            _set_surface(geom, obj, share, seconds)


def _add_body(world: mujoco.MjSpec, obj: SceneObject) -> tuple[mujoco.MjsBody, dict[str, FloatArray]]:
    """Return the body that carries an object's geoms, and their pose on it; what stands still needs none."""
    pose = {"pos": obj.position, "quat": obj.quaternion}
    if obj.role is Role.MOVING:
        return _add_moving_body(world, obj), {}
    if obj.role is Role.HINGE:
        return _add_hinged_body(world, obj), {}
    if not obj.role.is_free:
        return world.worldbody, pose
    body = world.worldbody.add_body(name=PREFIX + obj.name, **pose)
    body.add_freejoint(name=PREFIX + obj.name)
    if obj.role is Role.PROJECTILE:  # it waits for its release, but awake
        body.gravcomp, body.sleep = 1.0, mujoco.mjtSleepPolicy.mjSLEEP_NEVER
    if obj.role is Role.CARRIED:  # forces of hands do not wake it
        body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER
    return body, {}


def _convex(shape: Shape) -> list[tuple[Shape, float]]:
    """Return the convex parts of a shape, or the shape itself, with their shares of its volume."""
    if isinstance(shape, Compound):
        return list(zip(shape.parts, shape.volume_share.tolist(), strict=True))
    return [(shape, 1.0)]


def _set_surface(geom: mujoco.MjsGeom, obj: SceneObject, share: float, seconds: float) -> None:
    """Set mass, friction, restitution and collision bits of a geom that has a share of an object's volume."""
    if obj.density > 0.0:
        geom.density = obj.density
    else:
        geom.mass = share * obj.mass
    geom.friction = [obj.friction, *SPIN_AND_ROLL]
    geom.margin = obj.margin
    geom.solref = restitution_solref(obj.bounce, seconds)
    geom.priority = FREE_PRIORITY if obj.role.is_free else PRIORITY
    geom.contype, geom.conaffinity = FREE_CONTACTS if obj.role.is_free else (GROUND_BIT, 0)
    if obj.role is Role.HOLD:
        geom.contype, geom.conaffinity = HOLD_BIT, PROP_BIT
    if obj.role is Role.CARRIED:
        geom.contype, geom.conaffinity = HOLD_BIT, GROUND_BIT | HOLD_BIT


def index_objects(model: mujoco.MjModel, scene: Scene) -> SceneIndex:
    """Find a scene's objects in a compiled model by their names."""
    names = [
        (i, f"{PREFIX}{o.name}#{k}")
        for i, o in enumerate(scene.objects)
        for k, _ in enumerate(_convex(o.shape))
    ]
    geoms = np.array([model.geom(name).id for _, name in names], dtype=np.int64)
    owner = np.array([i for i, _ in names], dtype=np.int64)
    first = [int(np.flatnonzero(owner == i)[0]) for i in range(len(scene.objects))]
    moving, hinged, props = (
        [i for i, o in enumerate(scene.objects) if o.role in roles]
        for roles in ((Role.MOVING,), (Role.HINGE,), (Role.PROP, Role.PROJECTILE, Role.CARRIED))
    )
    qpos: list[int] = []
    dof: list[int] = []
    for i in moving + hinged + props:
        joint = model.joint(PREFIX + scene.objects[i].name).id
        nq, nv = (1, 1) if i in hinged else (7, 6)
        qpos.extend(range(model.jnt_qposadr[joint], model.jnt_qposadr[joint] + nq))
        dof.extend(range(model.jnt_dofadr[joint], model.jnt_dofadr[joint] + nv))
    return SceneIndex(
        geom=geoms,
        owner=owner,
        body=np.asarray(model.geom_bodyid[geoms[first]], dtype=np.int64),
        moving=np.array(moving, dtype=np.int64),
        hinged=np.array(hinged, dtype=np.int64),
        props=np.array(props, dtype=np.int64),
        qpos=np.array(qpos, dtype=np.int64),
        dof=np.array(dof, dtype=np.int64),
    )


def prescribe_motion(data: mujoco.MjData, index: SceneIndex, played: ObjectMotion, step: int) -> None:
    """Set state and applied force of the moving objects to those of their prescribed motion."""
    data.qpos[index.moving_qpos], data.qvel[index.moving_dof] = played.qpos[step], played.qvel[step]
    data.qfrc_applied[index.moving_dof] = MOVING_MASS * played.qacc[step]


def hold_projectile(model: mujoco.MjModel, index: SceneIndex, object_index: int) -> None:
    """Make a projectile wait for its release: it has no weight, and nothing touches it."""
    model.body_gravcomp[index.body[object_index]] = 1.0
    geoms = index.geoms_of(object_index)
    model.geom_contype[geoms] = model.geom_conaffinity[geoms] = 0


def release_projectile(model: mujoco.MjModel, index: SceneIndex, object_index: int) -> None:
    """Give a projectile its weight and its contacts."""
    model.body_gravcomp[index.body[object_index]] = 0.0
    geoms = index.geoms_of(object_index)
    model.geom_contype[geoms], model.geom_conaffinity[geoms] = FREE_CONTACTS


def restitution_solref(bounce: float, seconds: float = CONTACT_SOLREF[0]) -> tuple[float, float]:
    """Return time constant [s] and damping ratio of a contact with this coefficient of restitution.

    A spring and damper that can only push separate when their force vanishes, after the phase has advanced
    by 2 acos(ratio), so the restitution is exp(-2 acos(ratio) cot(acos(ratio))). The spring's frequency is
    1 / `seconds` for all. Critically damped contacts, the usual ones, have the least restitution.
    """
    if bounce <= MIN_BOUNCE:
        return seconds, CONTACT_SOLREF[1]
    angle = brentq(lambda x: 2.0 * x / np.tan(x) + np.log(bounce), 1e-6, 0.5 * np.pi)
    ratio = float(np.cos(angle))
    return seconds / ratio, ratio


def _add_moving_body(world: mujoco.MjSpec, obj: SceneObject) -> mujoco.MjsBody:
    assert obj.keys is not None
    start = {"pos": obj.keys.position[0], "quat": obj.keys.quaternion[0]}
    body = world.worldbody.add_body(name=PREFIX + obj.name, **start)
    body.explicitinertial = True
    body.mass, body.ipos = MOVING_MASS, np.zeros(3)
    body.inertia = np.full(3, MOVING_MASS)  # equal about all axes, so that rotation needs no gyroscopic terms
    body.gravcomp = 1.0
    body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER
    body.add_freejoint(name=PREFIX + obj.name)
    return body


def _add_hinged_body(world: mujoco.MjSpec, obj: SceneObject) -> mujoco.MjsBody:
    hinge = obj.hinge
    assert hinge is not None
    body = world.worldbody.add_body(name=PREFIX + obj.name, pos=obj.position, quat=obj.quaternion)
    joint = body.add_joint(name=PREFIX + obj.name, type=mujoco.mjtJoint.mjJNT_HINGE, limited=True)
    joint.axis, joint.range = hinge.axis, [hinge.low, hinge.high]
    joint.damping = np.full_like(joint.damping, 0.0)
    joint.damping[0] = hinge.damping
    return body


def _set_shape(world: mujoco.MjSpec, geom: mujoco.MjsGeom, obj: SceneObject, shape: Shape) -> None:
    """Set type and size of a geom that is an object or a convex part of it."""
    kinds = mujoco.mjtGeom
    match shape:
        case Plane():
            geom.type, geom.size = kinds.mjGEOM_PLANE, [0.0, 0.0, 1.0]
        case Box():
            geom.type, geom.size = kinds.mjGEOM_BOX, shape.half_size
        case Sphere():
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [shape.radius, 0.0, 0.0]
        case Capsule():
            geom.type, geom.size = kinds.mjGEOM_CAPSULE, [shape.radius, shape.half_length, 0.0]
        case Cylinder():
            geom.type, geom.size = kinds.mjGEOM_CYLINDER, [shape.radius, shape.half_length, 0.0]
        case HeightField():
            _set_height_field(world, geom, obj, shape)
        case Hull():
            mesh = world.add_mesh(name=geom.name)
            mesh.uservert = shape.vertices.reshape(-1)
            geom.type, geom.meshname = kinds.mjGEOM_MESH, geom.name


def _set_height_field(
    world: mujoco.MjSpec, geom: mujoco.MjsGeom, obj: SceneObject, shape: HeightField
) -> None:
    """Make a geom a height field.

    The engine's field starts at height zero, so the geom lies at the height of the lowest point.
    """
    low = float(shape.heights.min())
    span = max(float(shape.heights.max()) - low, 1e-6)
    field = world.add_hfield(name=PREFIX + obj.name)
    field.nrow, field.ncol = shape.heights.shape
    field.size = [*shape.half_size, span, FIELD_BASE]
    field.userdata = ((shape.heights - low) / span).reshape(-1)
    geom.type, geom.hfieldname = mujoco.mjtGeom.mjGEOM_HFIELD, PREFIX + obj.name
    geom.pos = obj.position + rotations.rotate(obj.quaternion, np.array([0.0, 0.0, low]))
