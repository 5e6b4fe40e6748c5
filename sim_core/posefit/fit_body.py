"""A body of links and joints whose pose is to be found, and its compiled model.

Link frames: X forward, Y left, Z up when the body stands with its arms at its sides; in that neutral pose all
frames are parallel, and all joint angles except those of a joint's `centre` are zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import mujoco
import numpy as np

from ..base.conventions import IDENTITY_QUATERNION, FloatArray, IntArray
from ..motion.skeleton import NO_PARENT

STEP_S = 0.01
"""Time step of the engine; it is one Gauss-Newton step, so its length only sets units [s]."""
ARMATURE = 0.05
"""Added to the inertia of every joint axis: damping of the Gauss-Newton steps [kg m^2]."""
LIMIT_IMPEDANCE = 0.999
"""Impedance of joint limits; that of points is 0.95."""
GYRATION_RADIUS = 0.1
"""Radius of gyration of all links [m]; only the damping depends on it."""


class LinkJointKind(Enum):
    """Kinds of joints."""

    FREE = "free"
    BALL = "ball"
    HINGES = "hinges"


@dataclass(frozen=True, eq=False)
class LinkJoint:
    """How a link turns relative to its parent.

    axes (K, 3): of hinges, applied in this order; low, high (K) [rad]
    centre (4): of a ball joint, the middle of its range; cone: its half-angle [rad]
    """

    kind: LinkJointKind
    axes: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    low: FloatArray = field(default_factory=lambda: np.zeros(0))
    high: FloatArray = field(default_factory=lambda: np.zeros(0))
    centre: FloatArray = field(default_factory=lambda: IDENTITY_QUATERNION.copy())
    cone: float = np.pi


@dataclass(frozen=True, eq=False)
class Link:
    """One rigid part.

    anchor (3): position of the joint in the parent's frame [m]
    mass [kg]: resistance of the link to being moved
    stiffness [Nm/rad]: of the joint towards the prior pose
    """

    name: str
    parent: int
    anchor: FloatArray
    joint: LinkJoint
    mass: float
    stiffness: float = 0.0


@dataclass(frozen=True, eq=False)
class JointedBody:
    """Links, parents first; the first one is free in the world."""

    links: tuple[Link, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the links."""
        return tuple(link.name for link in self.links)

    @property
    def parents(self) -> IntArray:
        """Indices of the links' parents (L)."""
        return np.array([link.parent for link in self.links])

    @property
    def anchors(self) -> FloatArray:
        """Anchors of the links (L, 3) [m]."""
        return np.array([link.anchor for link in self.links])

    def with_anchors(self, anchors: FloatArray) -> JointedBody:
        """Return the body with other anchors (L, 3) [m]."""
        return JointedBody(
            tuple(replace(link, anchor=anchor) for link, anchor in zip(self.links, anchors, strict=True))
        )

    @cached_property
    def moved_by(self) -> np.ndarray:
        """Whether link i is link j or one of its descendants (L, L)."""
        count = len(self.links)
        moved = np.eye(count, dtype=bool)
        for i, link in enumerate(self.links):
            if link.parent != NO_PARENT:
                moved[i] |= moved[link.parent]
        return moved


class EngineBody:
    """The compiled model of a jointed body, with poses `qpos` (nq) and changes of them (nv).

    body (L): the engine's ids of the links
    """

    def __init__(self, body: JointedBody, spec: mujoco.MjSpec | None = None) -> None:
        self.body_spec = body
        spec = mujoco.MjSpec() if spec is None else spec
        add_body(spec, body)
        _configure(spec)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.body = np.array([self.model.body(link.name).id for link in body.links])

    @property
    def neutral(self) -> FloatArray:
        """The pose in which all link frames are parallel to the world's (nq)."""
        qpos = self.model.qpos0.copy()
        for link in self.body_spec.links:
            if link.joint.kind is LinkJointKind.BALL:
                start = int(self.model.joint(link.name).qposadr[0])
                qpos[start : start + 4] = link.joint.centre * [1.0, -1.0, -1.0, -1.0]
        return qpos

    def set_pose(self, qpos: FloatArray) -> None:
        """Set the pose and update the kinematics."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)

    def poses(self, qpos: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return world positions (T, L, 3) and quaternions (T, L, 4) of the links in poses (T, nq)."""
        position = np.zeros((len(qpos), len(self.body), 3))
        quaternion = np.zeros((len(qpos), len(self.body), 4))
        for t, pose in enumerate(qpos):
            self.set_pose(pose)
            position[t], quaternion[t] = self.data.xpos[self.body], self.data.xquat[self.body]
        return position, quaternion

    def moved(self, qpos: FloatArray, change: FloatArray) -> FloatArray:
        """Return poses (T, nq) changed by (T, nv)."""
        result = np.array(qpos, dtype=np.float64)
        for pose, step in zip(result, change, strict=True):
            mujoco.mj_integratePos(self.model, pose, step, 1.0)
        return result

    def differences(self, start: FloatArray, end: FloatArray) -> FloatArray:
        """Return the changes (T, nv) that lead from poses (T, nq) to others."""
        result = np.zeros((len(start), self.model.nv))
        for row, first, last in zip(result, start, end, strict=True):
            mujoco.mj_differentiatePos(self.model, row, 1.0, first, last)
        return result

    def set_anchors(self, anchors: FloatArray) -> None:
        """Set other lengths (L, 3) for the same body."""
        self.model.body_pos[self.body[1:]] = anchors[1:]


def add_body(spec: mujoco.MjSpec, body: JointedBody) -> None:
    """Add a jointed body to a specification of a model."""
    made: list[mujoco.MjsBody] = []
    for link in body.links:
        parent = spec.worldbody if link.parent == NO_PARENT else made[link.parent]
        centre = link.joint.centre
        part = parent.add_body(name=link.name, pos=link.anchor, quat=centre)
        part.explicitinertial = True
        part.mass = link.mass
        part.inertia = np.full(3, link.mass * GYRATION_RADIUS**2)
        _add_joints(part, link)
        made.append(part)


def _add_joints(part: mujoco.MjsBody, link: Link) -> None:
    joint = link.joint
    if joint.kind is LinkJointKind.FREE:
        part.add_freejoint(name=link.name)
        return
    if joint.kind is LinkJointKind.BALL:
        made = part.add_joint(name=link.name, type=mujoco.mjtJoint.mjJNT_BALL, limited=True)
        made.range = [0.0, joint.cone]
        _set_spring(made, link)
        return
    for k, axis in enumerate(joint.axes):
        made = part.add_joint(name=f"{link.name}/{k}", type=mujoco.mjtJoint.mjJNT_HINGE, limited=True)
        made.axis, made.range = axis, [joint.low[k], joint.high[k]]
        _set_spring(made, link)


def _set_spring(made: mujoco.MjsJoint, link: Link) -> None:
    made.armature = ARMATURE
    # As stiff as the constraints of points, so that a limit is also met in one step.
    made.solref_limit = [-LIMIT_IMPEDANCE / STEP_S**2, -1e-6]
    made.solimp_limit = [LIMIT_IMPEDANCE, LIMIT_IMPEDANCE, 0.001, 0.5, 2.0]
    made.stiffness = [link.stiffness, 0.0, 0.0]


def _configure(spec: mujoco.MjSpec) -> None:
    option = spec.option
    option.timestep = STEP_S
    option.gravity = [0.0, 0.0, 0.0]
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.iterations, option.ls_iterations, option.tolerance = 4, 8, 1e-6
    flags = mujoco.mjtDisableBit
    option.disableflags |= int(flags.mjDSBL_CONTACT) | int(flags.mjDSBL_GRAVITY) | int(flags.mjDSBL_SENSOR)
    spec.compiler.degree = False
    spec.compiler.autolimits = False
