"""A character as MuJoCo bodies, joints and actuators.

Each actuated degree of freedom has one actuator: torque = ctrl - kp * angle - kv * velocity,
held within the joint's limit by the engine. The damping is part of the engine's implicit
integration, which is what lets stiff joints run at millisecond steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..character.spec import Box, Capsule, CharacterSpec, Joint, JointKind, Segment

SOLE_RADIUS = 0.01
"""Contact spheres under the feet [m]; their lowest points are the sole points."""
ARMATURE = 0.01
"""Rotor inertia added to each joint, for numerical health [kg m^2]."""
CONTACT_SOLREF = (0.005, 1.0)
"""Time constant [s] and damping ratio of contacts: stiff, so that hard landings stay on the ground."""
CONTACT_GAP = 0.03
"""Contacts are listed this far before they touch, so that a controller can expect them [m]."""
FRICTION = 0.9

GROUND_BIT, PROP_BIT = 1, 2
"""Kinds of contact: with all that surrounds the character; with what gives way, besides."""

NET_FORCE = 3
"""A contact sensor's way to sum up several contacts of one geom."""
SENSOR_SIZE = 7
"""Found, force (3), place (3)."""


@dataclass(frozen=True, eq=False)
class CharacterIndex:
    """Where a character lives in a compiled model.

    body (S), joint (S): ids by segment
    dof (nv), qpos (nq): addresses, the free root first; dof_segment (nv): whose joint moves by it
    actuated_dof (nu): dof address of each actuator, actuator (nu): its id
    support_body (K), support_point (K, 3), support_radius (K): where the body can rest on the ground:
    body ids, centres in the body's frame, radii about them [m]; the `soles` sole points, whose radius
    is zero, come first, then the rounded ends and the corners of all other parts
    contact_sensor: place of the contact sensors' data; contact_segment (C): the segment of each,
    the soles first
    """

    body: IntArray
    joint: IntArray
    qpos: IntArray
    dof: IntArray
    dof_segment: IntArray
    actuator: IntArray
    actuated_dof: IntArray
    torque_limit: FloatArray
    stiffness: FloatArray
    support_body: IntArray
    support_point: FloatArray
    support_radius: FloatArray
    soles: int
    contact_sensor: slice
    contact_segment: IntArray

    @property
    def feet(self) -> IntArray:
        """Body ids of the feet."""
        return np.unique(self.support_body[: self.soles])

    @property
    def foot_segments(self) -> IntArray:
        """Segments of the feet, in the order of `feet`."""
        return self.segment_of(self.feet)

    def segment_of(self, body: IntArray) -> IntArray:
        """Return the segment of each body id, -1 where the body is none of this character's."""
        same = np.asarray(body)[..., None] == self.body
        return np.where(same.any(axis=-1), same.argmax(axis=-1), -1)

    def dofs_of(self, segment: int) -> IntArray:
        """Return which of the nv degrees of freedom belong to the joint that a segment hangs on."""
        return np.flatnonzero(self.dof_segment == segment)

    @property
    def foot_of_support(self) -> IntArray:
        """0 or 1 for the sole points of a foot (K); -1 for all other parts."""
        foot = np.full(len(self.support_body), -1)
        foot[: self.soles] = np.searchsorted(self.feet, self.support_body[: self.soles])
        return foot


def add_character(world: mujoco.MjSpec, spec: CharacterSpec, prefix: str = "") -> None:
    bodies: dict[str, mujoco.MjsBody] = {}
    for segment in spec:
        parent = world.worldbody if segment.parent is None else bodies[segment.parent]
        bodies[segment.name] = _add_body(parent, segment, prefix)
    for segment in spec:
        _add_actuators(world, segment, prefix)
    for geom, _ in _contact_geoms(spec, prefix):
        _add_contact_sensor(world, geom)


def _add_body(parent: mujoco.MjsBody, segment: Segment, prefix: str) -> mujoco.MjsBody:
    body = parent.add_body(name=prefix + segment.name, pos=segment.anchor, quat=segment.joint.centre)
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = segment.mass, segment.com, segment.inertia
    _add_joint(body, segment.joint, prefix + segment.name)
    for i, shape in enumerate(segment.shapes):
        geom = body.add_geom(name=f"{prefix}{segment.name}/{i}", contype=0, conaffinity=GROUND_BIT)
        set_shape(geom, shape)
        _set_surface(geom)
        if len(segment.contact_points):
            geom.conaffinity = PROP_BIT  # the soles' spheres touch the ground for it
    for i, point in enumerate(segment.contact_points):
        sole = body.add_geom(name=f"{prefix}{segment.name}/sole{i}", contype=0, conaffinity=GROUND_BIT)
        sole.type = mujoco.mjtGeom.mjGEOM_SPHERE
        sole.size = [SOLE_RADIUS, 0.0, 0.0]
        sole.pos = point + [0.0, 0.0, SOLE_RADIUS]
        _set_surface(sole)
    return body


def _set_surface(geom: mujoco.MjsGeom) -> None:
    geom.condim = 3
    geom.friction = [FRICTION, 0.005, 0.0001]
    geom.solref = CONTACT_SOLREF
    geom.gap = CONTACT_GAP


def set_shape(geom: mujoco.MjsGeom, shape: Capsule | Box) -> None:
    if isinstance(shape, Capsule):
        geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
        geom.fromto = np.concatenate([shape.start, shape.end])
        geom.size = [shape.radius, 0.0, 0.0]
    else:
        geom.type = mujoco.mjtGeom.mjGEOM_BOX
        geom.pos, geom.size = shape.centre, shape.half_size


def _add_joint(body: mujoco.MjsBody, joint: Joint, name: str) -> None:
    if joint.kind is JointKind.FREE:
        body.add_freejoint(name=name)
        return
    made = body.add_joint(name=name, limited=True)
    made.armature = ARMATURE
    if joint.kind is JointKind.HINGE:
        made.type = mujoco.mjtJoint.mjJNT_HINGE
        made.axis, made.range = joint.axis, [joint.low, joint.high]
    else:
        made.type = mujoco.mjtJoint.mjJNT_BALL
        made.range = [0.0, joint.high]


def _add_actuators(world: mujoco.MjSpec, segment: Segment, prefix: str) -> None:
    """One per axis; a ball's length is its rotation vector, which its cone keeps from wrapping."""
    for axis in range(segment.joint.kind.torque_axes):
        actuator = world.add_actuator(name=f"{prefix}{segment.name}/{'xyz'[axis]}")
        actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
        actuator.target = prefix + segment.name
        actuator.gear = np.eye(6)[axis]
        actuator.gaintype, actuator.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        actuator.gainprm = _padded([1.0], len(actuator.gainprm))
        actuator.biasprm = _padded([0.0], len(actuator.biasprm))
        actuator.forcelimited = True
        actuator.forcerange = [-segment.joint.torque_limit, segment.joint.torque_limit]


def _padded(values: list[float], length: int) -> FloatArray:
    return np.array(values + [0.0] * (length - len(values)))


def _contact_geoms(spec: CharacterSpec, prefix: str) -> list[tuple[str, int]]:
    """Names of all geoms that can touch, soles first, and the segments they belong to."""
    soles, others = [], []
    for i, segment in enumerate(spec):
        soles += [(f"{prefix}{segment.name}/sole{k}", i) for k in range(len(segment.contact_points))]
        others += [(f"{prefix}{segment.name}/{k}", i) for k in range(len(segment.shapes))]
    return soles + others


def _supports(spec: CharacterSpec) -> list[tuple[str, FloatArray, float]]:
    """Segment, centre and radius of all places that can rest on the ground, soles first."""
    soles = [(s.name, point, 0.0) for s in spec for point in s.contact_points]
    others: list[tuple[str, FloatArray, float]] = []
    for segment in spec:
        if len(segment.contact_points):
            continue
        for shape in segment.shapes:
            if isinstance(shape, Capsule):
                others += [(segment.name, end, shape.radius) for end in (shape.start, shape.end)]
            else:
                corners = shape.centre + shape.half_size * np.array(list(product((-1.0, 1.0), repeat=3)))
                others += [(segment.name, corner, 0.0) for corner in corners]
    return soles + others


def _add_contact_sensor(world: mujoco.MjSpec, geom: str) -> None:
    """Whether the geom touches, the net force it exerts (world), and where."""
    sensor = world.add_sensor(name=f"{geom}/contact", type=mujoco.mjtSensor.mjSENS_CONTACT)
    sensor.objtype, sensor.objname = mujoco.mjtObj.mjOBJ_GEOM, geom
    fields = mujoco.mjtConDataField
    wanted = sum(1 << int(f) for f in (fields.mjCONDATA_FOUND, fields.mjCONDATA_FORCE, fields.mjCONDATA_POS))
    sensor.intprm = [wanted, NET_FORCE, 1]


def index_character(model: mujoco.MjModel, spec: CharacterSpec, prefix: str = "") -> CharacterIndex:
    joints = np.array([model.joint(prefix + s.name).id for s in spec])
    kinds = mujoco.mjtJoint
    sizes = {kinds.mjJNT_FREE: (7, 6), kinds.mjJNT_BALL: (4, 3), kinds.mjJNT_HINGE: (1, 1)}
    qpos: list[int] = []
    dof: list[int] = []
    dof_segment: list[int] = []
    for segment, joint in enumerate(joints):
        nq, nv = sizes[mujoco.mjtJoint(model.jnt_type[joint])]
        qpos.extend(range(model.jnt_qposadr[joint], model.jnt_qposadr[joint] + nq))
        dof.extend(range(model.jnt_dofadr[joint], model.jnt_dofadr[joint] + nv))
        dof_segment.extend([segment] * nv)
    actuators = [
        (model.actuator(f"{prefix}{s.name}/{'xyz'[a]}").id, model.jnt_dofadr[joints[i]] + a, s.joint)
        for i, s in enumerate(spec)
        for a in range(s.joint.kind.torque_axes)
    ]
    supports = _supports(spec)
    contacts = _contact_geoms(spec, prefix)
    first = int(model.sensor(f"{contacts[0][0]}/contact").adr[0])
    return CharacterIndex(
        body=np.array([model.body(prefix + s.name).id for s in spec]),
        joint=joints,
        qpos=np.array(qpos),
        dof=np.array(dof),
        dof_segment=np.array(dof_segment),
        actuator=np.array([a for a, _, _ in actuators], dtype=np.int64),
        actuated_dof=np.array([d for _, d, _ in actuators], dtype=np.int64),
        torque_limit=np.array([j.torque_limit for _, _, j in actuators]),
        stiffness=np.array([j.stiffness for _, _, j in actuators]),
        support_body=np.array([model.body(prefix + name).id for name, _, _ in supports], dtype=np.int64),
        support_point=np.array([point for _, point, _ in supports]),
        support_radius=np.array([radius for _, _, radius in supports]),
        soles=sum(len(s.contact_points) for s in spec),
        contact_sensor=slice(first, first + SENSOR_SIZE * len(contacts)),
        contact_segment=np.array([segment for _, segment in contacts], dtype=np.int64),
    )
