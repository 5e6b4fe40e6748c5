"""Scene objects as MuJoCo bodies.

A moving object is a very heavy body on a free joint whose state the simulation prescribes at every
step. Contacts then see its true velocity, so that friction carries what stands on it; a mocap body
would have none.
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
from ..base.conventions import IntArray
from ..scene.playback import Played
from ..scene.scene import Role, Scene, SceneObject
from ..scene.shapes import Box, Capsule, Compound, Cylinder, HeightField, Hull, Plane, Shape, Sphere
from .character_model import CONTACT_SOLREF, GROUND_BIT, PROP_BIT

PREFIX = "scene/"
"""Of the names of all that belongs to the scene, so that none meets a part of a body."""
MOVING_MASS = 1e6
"""Nothing that a character does moves it until its state is prescribed again, a step later [kg, kg m^2]."""
FIELD_BASE = 1.0
"""Thickness of the ground below the lowest point of a height field [m]."""
LEAST_BOUNCE = float(np.exp(-2.0))
"""Share of a hit's speed that a critically damped contact gives back."""
FREE_CONTACTS = GROUND_BIT | PROP_BIT, GROUND_BIT
"""Props meet all others, and the whole of a foot as well as its sole."""
PRIORITY, FREE_PRIORITY = 1, 2
"""Contacts take friction and bounce from the object, not from the body that touches it; props go first."""


@dataclass(frozen=True, eq=False)
class SceneIndex:
    """Where a scene lives in a compiled model.

    geom, owner (G): all geoms, and the places in the scene's list of the objects that they belong to
    body (N): of each object, in the scene's order; 0 for those that cannot move
    moving (M), hinged (H), props (P): places in the scene's list of the objects with joints;
    projectiles are among the props
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

    def geoms_of(self, things: ArrayLike) -> IntArray:
        """Of one object or several, by their places."""
        return self.geom[np.isin(self.owner, things)]

    @property
    def moving_qpos(self) -> IntArray:
        return self.qpos[: 7 * len(self.moving)]

    @property
    def moving_dof(self) -> IntArray:
        return self.dof[: 6 * len(self.moving)]


def add_objects(
    world: mujoco.MjSpec, scene: Scene, contact_seconds: Mapping[str, float] = MappingProxyType({})
) -> None:
    """contact_seconds: of props whose contacts are firmer than usual, by name."""
    for thing in scene.objects:
        body = world.worldbody
        pose = {"pos": thing.position, "quat": thing.quaternion}
        if thing.role is Role.MOVING:
            body = _add_moving_body(world, thing)
            pose = {}
        elif thing.role is Role.HINGE:
            body = _add_hinged_body(world, thing)
            pose = {}
        elif thing.role.is_free:
            body = world.worldbody.add_body(name=PREFIX + thing.name, **pose)
            body.add_freejoint(name=PREFIX + thing.name)
            if thing.role is Role.PROJECTILE:  # it waits until it is let go, but awake
                body.gravcomp, body.sleep = 1.0, mujoco.mjtSleepPolicy.mjSLEEP_NEVER
            pose = {}
        seconds = contact_seconds.get(thing.name, CONTACT_SOLREF[0])
        for number, (shape, share) in enumerate(_convex(thing.shape)):
            geom = body.add_geom(name=f"{PREFIX}{thing.name}#{number}", **pose)
            _set_shape(world, geom, thing, shape)
            _set_surface(geom, thing, share, seconds)


def _convex(shape: Shape) -> list[tuple[Shape, float]]:
    """What the engine knows of a shape: itself or its parts, with their shares of its volume."""
    if isinstance(shape, Compound):
        return list(zip(shape.parts, shape.volume_share.tolist(), strict=True))
    return [(shape, 1.0)]


def _set_surface(geom: mujoco.MjsGeom, thing: SceneObject, share: float, seconds: float) -> None:
    """Of one geom, which has a share of the object's volume."""
    if thing.density > 0.0:
        geom.density = thing.density
    else:
        geom.mass = share * thing.mass
    geom.friction = [thing.friction, 0.005, 0.0001]
    geom.margin = thing.margin
    geom.solref = bouncing_solref(thing.bounce, seconds)
    geom.priority = FREE_PRIORITY if thing.role.is_free else PRIORITY
    geom.contype, geom.conaffinity = FREE_CONTACTS if thing.role.is_free else (GROUND_BIT, 0)


def index_objects(model: mujoco.MjModel, scene: Scene) -> SceneIndex:
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
        for roles in ((Role.MOVING,), (Role.HINGE,), (Role.PROP, Role.PROJECTILE))
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


def prescribe(data: mujoco.MjData, index: SceneIndex, played: Played, step: int) -> None:
    """Puts moving objects where they must be, with the force that takes them on from there."""
    data.qpos[index.moving_qpos], data.qvel[index.moving_dof] = played.qpos[step], played.qvel[step]
    data.qfrc_applied[index.moving_dof] = MOVING_MASS * played.qacc[step]


def hold(model: mujoco.MjModel, index: SceneIndex, thing: int) -> None:
    """A projectile waits: it has no weight, and nothing touches it."""
    model.body_gravcomp[index.body[thing]] = 1.0
    geoms = index.geoms_of(thing)
    model.geom_contype[geoms] = model.geom_conaffinity[geoms] = 0


def let_go(model: mujoco.MjModel, index: SceneIndex, thing: int) -> None:
    model.body_gravcomp[index.body[thing]] = 0.0
    geoms = index.geoms_of(thing)
    model.geom_contype[geoms], model.geom_conaffinity[geoms] = FREE_CONTACTS


def bouncing_solref(bounce: float, seconds: float = CONTACT_SOLREF[0]) -> tuple[float, float]:
    """Time constant [s] and damping ratio of a contact that gives back this share of a hit's speed.

    A spring and damper that can only push let go when their force is gone, after a turn of the phase by
    2 acos(ratio), so the share is exp(-2 acos(ratio) cot(acos(ratio))); the spring's frequency is
    1 / `seconds` for all. Critically damped contacts, the usual ones, give back the least.
    """
    if bounce <= LEAST_BOUNCE:
        return seconds, CONTACT_SOLREF[1]
    angle = brentq(lambda x: 2.0 * x / np.tan(x) + np.log(bounce), 1e-6, 0.5 * np.pi)
    ratio = float(np.cos(angle))
    return seconds / ratio, ratio


def _add_moving_body(world: mujoco.MjSpec, thing: SceneObject) -> mujoco.MjsBody:
    assert thing.keys is not None
    start = {"pos": thing.keys.position[0], "quat": thing.keys.quaternion[0]}
    body = world.worldbody.add_body(name=PREFIX + thing.name, **start)
    body.explicitinertial = True
    body.mass, body.ipos = MOVING_MASS, np.zeros(3)
    body.inertia = np.full(3, MOVING_MASS)  # like a ball's, so that turning it needs no gyroscopic terms
    body.gravcomp = 1.0
    body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER
    body.add_freejoint(name=PREFIX + thing.name)
    return body


def _add_hinged_body(world: mujoco.MjSpec, thing: SceneObject) -> mujoco.MjsBody:
    hinge = thing.hinge
    assert hinge is not None
    body = world.worldbody.add_body(name=PREFIX + thing.name, pos=thing.position, quat=thing.quaternion)
    joint = body.add_joint(name=PREFIX + thing.name, type=mujoco.mjtJoint.mjJNT_HINGE, limited=True)
    joint.axis, joint.range = hinge.axis, [hinge.low, hinge.high]
    joint.damping = np.full_like(joint.damping, 0.0)
    joint.damping[0] = hinge.damping
    return body


def _set_shape(world: mujoco.MjSpec, geom: mujoco.MjsGeom, thing: SceneObject, shape: Shape) -> None:
    """Of a geom that stands for an object or a part of it."""
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
            _set_height_field(world, geom, thing, shape)
        case Hull():
            mesh = world.add_mesh(name=geom.name)
            mesh.uservert = shape.vertices.reshape(-1)
            geom.type, geom.meshname = kinds.mjGEOM_MESH, geom.name


def _set_height_field(
    world: mujoco.MjSpec, geom: mujoco.MjsGeom, thing: SceneObject, shape: HeightField
) -> None:
    """The engine's field starts at zero height, so the geom is put where the lowest point is."""
    low = float(shape.heights.min())
    span = max(float(shape.heights.max()) - low, 1e-6)
    field = world.add_hfield(name=PREFIX + thing.name)
    field.nrow, field.ncol = shape.heights.shape
    field.size = [*shape.half_size, span, FIELD_BASE]
    field.userdata = ((shape.heights - low) / span).reshape(-1)
    geom.type, geom.hfieldname = mujoco.mjtGeom.mjGEOM_HFIELD, PREFIX + thing.name
    geom.pos = thing.position + rotations.rotate(thing.quaternion, np.array([0.0, 0.0, low]))
