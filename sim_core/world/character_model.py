"""A character as MuJoCo bodies, joints and actuators.

Each actuated degree of freedom has one actuator: torque = ctrl - kp * angle - kv * velocity,
clamped to the joint's limit by the engine. The damping is part of the engine's implicit integration,
which keeps stiff joints stable at time steps of milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..character.spec import CharacterSpec, Joint, JointKind, Segment, SegmentBox, SegmentCapsule

SOLE_RADIUS = 0.01
"""Radius of the contact spheres under the feet [m]; their lowest points are the sole points."""
ARMATURE = 0.01
"""Rotor inertia added to each joint, for numerical stability [kg m^2]."""
CONTACT_SOLREF = (0.005, 1.0)
"""Time constant [s] and damping ratio of contacts: stiff, so that hard landings stay on the ground."""
CONTACT_GAP = 0.03
"""Distance at which contacts are listed before they touch, so that a controller can expect them [m]."""
FRICTION = 0.9
"""Friction coefficient of all parts of a body."""
SPIN_AND_ROLL = (0.005, 0.0001)
"""Friction against spinning and rolling [m]: MuJoCo's defaults, which contacts with condim 3 leave out."""

GROUND_BIT, PROP_BIT, HOLD_BIT = 1, 2, 1 << 30
"""Collision bits: of everything that surrounds the character; of free objects in addition; of what hands hold
on to, which they close around instead of touching it."""

NET_FORCE = 3
"""MuJoCo's code for a contact sensor that sums the forces of all contacts of one geom."""
SENSOR_SIZE = 7
"""Numbers that a contact sensor gives: found (1), force (3), position (3)."""


@dataclass(frozen=True, eq=False)
class CharacterIndex:
    """Ids and addresses of a character in a compiled model.

    body (S), joint (S): ids by segment
    dof (nv), qpos (nq): addresses, those of the free root first; dof_segment (nv): segment of each dof
    actuated_dof (nu): dof address of each actuator, actuator (nu): its id
    support_body (K), support_point (K, 3), support_radius (K): support points, on which the body can
    rest: body ids, centres in the body's frame, radii about them [m]. The `soles` sole points, whose
    radius is zero, come first, then the rounded ends and the corners of all other parts, and last the
    `grips` points at which hands hold on to something, where a scene has holds
    sole_foot (soles): the number of the foot, 0 or 1, that a sole point belongs to
    feet (2), toes: ids of the bodies of the feet, and of toes that bend
    contact_sensor: address of the contact sensors' data; contact_segment (C): the segment of each sensor,
    the soles first, soft parts that hang on a segment last
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
    sole_foot: IntArray
    feet: IntArray
    toes: IntArray
    contact_sensor: slice
    contact_segment: IntArray
    grips: int = 0

    def with_grips(self, segment: IntArray, point: FloatArray) -> CharacterIndex:
        """Return the index with points (H, 3) in the frames of segments (H), at which they hold on."""
        return replace(
            self,
            support_body=np.concatenate([self.support_body, self.body[segment]]),
            support_point=np.concatenate([self.support_point, point]),
            support_radius=np.concatenate([self.support_radius, np.zeros(len(segment))]),
            grips=len(segment),
        )

    def with_soft_sensors(self, segments: IntArray) -> CharacterIndex:
        """Return the index with the contact sensors that follow its own, by the segments that carry them."""
        sensed = slice(
            self.contact_sensor.start, self.contact_sensor.stop + SENSOR_SIZE * len(segments)
        )
        both = np.concatenate([self.contact_segment, segments])
        return replace(self, contact_sensor=sensed, contact_segment=both)

    @property
    def resting(self) -> IntArray:
        """Return the support points that can rest on something, without those that hold."""
        return np.arange(len(self.support_body) - self.grips)

    @property
    def palms(self) -> IntArray:
        """Return the support points that hold (H)."""
        return np.arange(len(self.support_body) - self.grips, len(self.support_body))

    def holds(self, supports: IntArray) -> BoolArray:
        """Return which support points (N) are grips."""
        return np.asarray(supports) >= len(self.support_body) - self.grips

    @property
    def foot_segments(self) -> IntArray:
        """Return the segments of the feet, in the order of `feet`."""
        return self.segment_of(self.feet)

    def segment_of(self, body: IntArray) -> IntArray:
        """Return the segment of each body id, -1 where the body is not this character's."""
        same = np.asarray(body)[..., None] == self.body
        return np.where(same.any(axis=-1), same.argmax(axis=-1), -1)

    def dofs_of(self, segment: int) -> IntArray:
        """Return which of the nv degrees of freedom belong to a segment's joint."""
        return np.flatnonzero(self.dof_segment == segment)

    @property
    def foot_of_support(self) -> IntArray:
        """Return the number of the foot of each support point (K), 0 or 1; -1 where it is no sole point."""
        foot = np.full(len(self.support_body), -1)
        foot[: self.soles] = self.sole_foot
        return foot


def add_character(world: mujoco.MjSpec, spec: CharacterSpec, prefix: str = "") -> None:
    """Add the bodies, joints, actuators and contact sensors of a character to a model description."""
    bodies: dict[str, mujoco.MjsBody] = {}
    for segment in spec:
        parent = world.worldbody if segment.parent is None else bodies[segment.parent]
        bodies[segment.name] = _add_body(parent, segment, prefix)
    for segment in spec:
        _add_actuators(world, segment, prefix)
    for geom, _ in _contact_geoms(spec, prefix):
        add_contact_sensor(world, geom)


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
            geom.conaffinity = PROP_BIT  # the spheres of the sole touch the ground instead
    for i, point in enumerate(segment.contact_points):
        sole = body.add_geom(name=f"{prefix}{segment.name}/sole{i}", contype=0, conaffinity=GROUND_BIT)
        sole.type = mujoco.mjtGeom.mjGEOM_SPHERE
        sole.size = [SOLE_RADIUS, 0.0, 0.0]
        sole.pos = point + [0.0, 0.0, SOLE_RADIUS]
        _set_surface(sole)
    return body


def _set_surface(geom: mujoco.MjsGeom) -> None:
    geom.condim = 3
    geom.friction = [FRICTION, *SPIN_AND_ROLL]
    geom.solref = CONTACT_SOLREF
    geom.gap = CONTACT_GAP


def set_shape(geom: mujoco.MjsGeom, shape: SegmentCapsule | SegmentBox) -> None:
    """Set type, size and position of a geom."""
    if isinstance(shape, SegmentCapsule):
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
    added = body.add_joint(name=name, limited=True)
    added.armature = ARMATURE
    if joint.kind is JointKind.HINGE:
        added.type = mujoco.mjtJoint.mjJNT_HINGE
        added.axis, added.range = joint.axis, [joint.low, joint.high]
    else:
        added.type = mujoco.mjtJoint.mjJNT_BALL
        added.range = [0.0, joint.high]


def _add_actuators(world: mujoco.MjSpec, segment: Segment, prefix: str) -> None:
    """Add one actuator per axis of a segment's joint.

    The lengths of a ball joint's actuators are its rotation vector, whose limit keeps it from wrapping.
    """
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
    """Return the names of all geoms that can touch the ground, soles first, and their segments' indices."""
    soles, others = [], []
    for i, segment in enumerate(spec):
        soles += [(f"{prefix}{segment.name}/sole{k}", i) for k in range(len(segment.contact_points))]
        others += [(f"{prefix}{segment.name}/{k}", i) for k in range(len(segment.shapes))]
    return soles + others


def _supports(spec: CharacterSpec) -> list[tuple[str, FloatArray, float]]:
    """Return segment, centre and radius of all points that can rest on the ground, soles first."""
    soles = [(s.name, point, 0.0) for s in spec for point in s.contact_points]
    others: list[tuple[str, FloatArray, float]] = []
    for segment in spec:
        if len(segment.contact_points):
            continue
        for shape in segment.shapes:
            if isinstance(shape, SegmentCapsule):
                others += [(segment.name, end, shape.radius) for end in (shape.start, shape.end)]
            else:
                corners = shape.centre + shape.half_size * np.array(list(product((-1.0, 1.0), repeat=3)))
                others += [(segment.name, corner, 0.0) for corner in corners]
    return soles + others


def add_contact_sensor(world: mujoco.MjSpec, geom: str) -> None:
    """Add a sensor of whether a geom touches, of the net force it exerts, in world axes, and of where."""
    sensor = world.add_sensor(name=f"{geom}/contact", type=mujoco.mjtSensor.mjSENS_CONTACT)
    sensor.objtype, sensor.objname = mujoco.mjtObj.mjOBJ_GEOM, geom
    fields = mujoco.mjtConDataField
    wanted = sum(1 << int(f) for f in (fields.mjCONDATA_FOUND, fields.mjCONDATA_FORCE, fields.mjCONDATA_POS))
    sensor.intprm = [wanted, NET_FORCE, 1]


def index_character(model: mujoco.MjModel, spec: CharacterSpec, prefix: str = "") -> CharacterIndex:
    """Find a character in a compiled model by the names of its parts."""
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
    bodies = {s.name: model.body(prefix + s.name).id for s in spec}
    standing = [s for s in spec if len(s.contact_points)]
    toes = [s for s in standing if s.parent in {own.name for own in standing}]
    feet = np.unique([bodies[s.name] for s in standing if s not in toes])
    foot_names = {s.name: (s.parent or s.name) if s in toes else s.name for s in standing}
    whole = [bodies[foot_names[s.name]] for s in standing for _ in s.contact_points]
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
        soles=len(whole),
        sole_foot=np.searchsorted(feet, whole),
        feet=feet,
        toes=np.array([bodies[s.name] for s in toes], dtype=np.int64),
        contact_sensor=slice(first, first + SENSOR_SIZE * len(contacts)),
        contact_segment=np.array([segment for _, segment in contacts], dtype=np.int64),
    )
