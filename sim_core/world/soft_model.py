"""Soft parts as MuJoCo bodies on ball joints.

The engine takes damping into account at the end of a step, but springs at its start. So each joint is damped
by what its spring gains during a step h in addition, h k: then spring and damper together are those of the
backward Euler method, which no stiffness and no step makes unstable. The same term is in the stable
proportional-derivative control of Tan, Liu and Turk (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..character.soft_body import SoftBody
from ..character.soft_motion import SoftMotion
from ..character.spec import SegmentCapsule
from .character_collision import SegmentPair, character_bit
from .character_model import GROUND_BIT, SPIN_AND_ROLL, add_contact_sensor, set_shape

PREFIX = "soft/"
"""Prefix of the names of soft links, so that none equals the name of a segment."""
WIDEST = np.radians(170.0)
"""Largest bend of a joint from its rest: after half a turn a spring would pull the other way round [rad]."""
FRICTION = 0.4
"""Friction coefficient of hair, fur and cloth."""
SOLREF = (0.02, 1.0)
"""Time constant [s] and damping ratio of contacts of soft links, as of flesh."""


@dataclass(frozen=True, eq=False)
class WorldSoft:
    """The soft parts of a character in a world.

    motion: as they are animated, at the control ticks from the start of the simulation on
    excluded_pairs: pairs of a link and a segment that pass through each other
    """

    body: SoftBody
    motion: SoftMotion
    excluded_pairs: tuple[SegmentPair, ...] = ()


def _none(*shape: int) -> IntArray:
    return np.zeros(shape, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SoftIndex:
    """Ids and addresses of n soft links in a compiled model.

    body (n); segment (n): index of the segment that carries each link
    qpos (n, 4), dof (n, 3): addresses; geom: ids of all their geoms
    mass (n) [kg]; segment_mass (S): of the segments without them [kg]
    """

    body: IntArray = field(default_factory=lambda: _none(0))
    segment: IntArray = field(default_factory=lambda: _none(0))
    qpos: IntArray = field(default_factory=lambda: _none(0, 4))
    dof: IntArray = field(default_factory=lambda: _none(0, 3))
    geom: IntArray = field(default_factory=lambda: _none(0))
    mass: FloatArray = field(default_factory=lambda: np.zeros(0))
    segment_mass: FloatArray = field(default_factory=lambda: np.zeros(0))

    def centres(self, data: mujoco.MjData, segments: IntArray) -> FloatArray:
        """Return the centres of mass of segments (S) together with what hangs on them (S, 3) [m]."""
        if len(self.body) == 0:
            return np.asarray(data.xipos[segments])
        moment = self.segment_mass[:, None] * data.xipos[segments]
        np.add.at(moment, self.segment, self.mass[:, None] * data.xipos[self.body])
        total = self.segment_mass + np.bincount(self.segment, self.mass, len(segments))
        return np.asarray(moment / total[:, None])


NO_SOFT = SoftIndex()


def add_soft_links(world: mujoco.MjSpec, soft: SoftBody, prefix: str, character: int) -> None:
    """Add soft links to the bodies of a character; character: its number.

    One geom touches the ground and objects, and a copy the shapes by which bodies touch each other, so that
    forces from outside are read apart from those between a link and its own body.
    """
    names = soft.core.names
    step = float(world.option.timestep)
    for link in soft.links:
        above = names[link.segment] if link.parent < 0 else PREFIX + soft.links[link.parent].name
        body = world.body(prefix + above).add_body(name=prefix + PREFIX + link.name)
        body.pos, body.quat = link.anchor, link.rest
        body.explicitinertial = True
        body.mass, body.ipos, body.iquat, body.inertia = link.mass, link.com, link.axes, link.inertia
        joint = body.add_joint(name=prefix + PREFIX + link.name, type=mujoco.mjtJoint.mjJNT_BALL)
        joint.limited, joint.range = True, [0.0, WIDEST]
        joint.stiffness = np.full_like(joint.stiffness, 0.0)
        joint.stiffness[0] = link.stiffness
        joint.damping = np.full_like(joint.damping, 0.0)
        joint.damping[0] = link.damping + step * link.stiffness
        if link.collides:
            outside, own = _geom_names(prefix, link.name)
            _add_geom(body, outside, link.shape, GROUND_BIT)
            _add_geom(body, own, link.shape, character_bit(character))
            add_contact_sensor(world, outside)


def exclude_contacts(world: mujoco.MjSpec, prefix: str, pairs: Sequence[SegmentPair]) -> None:
    """Let pairs of a link and a segment pass through each other, as they do in the animation."""
    for link, segment in pairs:
        world.add_exclude(bodyname1=prefix + PREFIX + link, bodyname2=prefix + segment)


def _add_geom(body: mujoco.MjsBody, name: str, shape: SegmentCapsule, touches: int) -> None:
    geom = body.add_geom(name=name, contype=0, conaffinity=touches)
    set_shape(geom, shape)
    geom.condim, geom.friction, geom.solref = 3, [FRICTION, *SPIN_AND_ROLL], SOLREF


def _geom_names(prefix: str, link: str) -> tuple[str, str]:
    return f"{prefix}{PREFIX}{link}/0", f"{prefix}{PREFIX}{link}/collision0"


def index_soft(model: mujoco.MjModel, soft: SoftBody, prefix: str) -> SoftIndex:
    """Find soft links in a compiled model by their names."""
    joints = [model.joint(prefix + PREFIX + link.name) for link in soft.links]
    colliding = [link.name for link in soft.links if link.collides]
    geoms = [model.geom(name).id for link in colliding for name in _geom_names(prefix, link)]
    return SoftIndex(
        body=np.array([model.body(prefix + PREFIX + link.name).id for link in soft.links]),
        segment=np.array([link.segment for link in soft.links]),
        qpos=np.array([np.arange(4) + joint.qposadr[0] for joint in joints]),
        dof=np.array([np.arange(3) + joint.dofadr[0] for joint in joints]),
        geom=np.array(geoms, dtype=np.int64),
        mass=np.array([link.mass for link in soft.links]),
        segment_mass=np.array([segment.mass for segment in soft.core]),
    )
