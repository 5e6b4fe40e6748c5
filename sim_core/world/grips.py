"""Hands that hold on to something: a spring of bounded force between each palm and where it has closed.

Fingers about a bar push on all of its sides, and rub on it along its length. So a grip is a force in any
direction that keeps the palm where it has closed, up to the strength of the hand. It acts between hand and
bar as a contact force does; nothing else holds the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from ..base.conventions import GRAVITY, FloatArray, IntArray
from ..character.spec import CharacterSpec, SegmentCapsule
from .character_model import HOLD_BIT

STRENGTH = 0.65
"""Largest force of one hand, over body weight. A hand is torn from a vertical cylinder by 435 N and from a
horizontal one by 668 N (Young et al. 2009), which is 0.6 and 0.9 of the weight of an adult of 75 kg."""
STIFFNESS, DAMPING = 5e4, 1500.0
"""Of a grip [N/m], [Ns/m]: a hand gives way by 1 cm before it slips, and does not swing on its fingers."""
HAND = "hand."
"""Start of the names of segments that can hold."""
_ORIGIN = "grips"


@dataclass(frozen=True, eq=False)
class Grips:
    """Hands (H) that can hold, in a compiled model.

    segment (H): their indices; site (H): ids of the points that are held; actuator (H, 3): ids by world axis
    hand (H): ids of their geoms; bar: ids of the geoms that they can hold on to
    limit: largest force of one hand [N]
    """

    segment: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    site: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    actuator: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    hand: tuple[IntArray, ...] = ()
    bar: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    limit: float = 0.0

    def distance(self, model: mujoco.MjModel, data: mujoco.MjData, furthest: float) -> FloatArray:
        """Return how far each hand (H) is from the nearest thing to hold on to [m], up to the furthest."""
        return np.array(
            [
                min(
                    mujoco.mj_geomDistance(model, data, int(geom), int(bar), furthest, None)
                    for geom in hand
                    for bar in self.bar
                )
                for hand in self.hand
            ]
        )


NO_GRIPS = Grips()


def grip_strength(spec: CharacterSpec) -> float:
    """Return the largest force of one hand [N]."""
    return STRENGTH * spec.mass * GRAVITY


def grip_points(spec: CharacterSpec) -> tuple[IntArray, FloatArray]:
    """Return the segments (H) that can hold, and the middle of their palms in their frames (H, 3) [m]."""
    hands = [index for index, segment in enumerate(spec) if segment.name.startswith(HAND)]
    middles = []
    for index in hands:
        shapes = spec.segments[index].shapes
        ends = [
            0.5 * (own.start + own.end) if isinstance(own, SegmentCapsule) else own.centre for own in shapes
        ]
        middles.append(np.mean(ends, axis=0))
    return np.array(hands, dtype=np.int64), np.array(middles).reshape(-1, 3)


def add_grips(world: mujoco.MjSpec, spec: CharacterSpec, prefix: str) -> None:
    """Add the grips of a character's hands; all other parts of it touch what can be held."""
    if world.site(_ORIGIN) is None:
        world.worldbody.add_site(name=_ORIGIN)
    segments, points = grip_points(spec)
    for index, segment in enumerate(spec):
        if index not in segments:
            for geom in world.body(prefix + segment.name).geoms:
                geom.conaffinity |= HOLD_BIT
    limit = grip_strength(spec)
    for index, point in zip(segments.tolist(), points, strict=True):
        name = _site_name(spec, index, prefix)
        world.body(prefix + spec.names[index]).add_site(name=name, pos=point)
        for axis in range(3):
            actuator = world.add_actuator(name=f"{name}/{'xyz'[axis]}")
            actuator.trntype, actuator.target, actuator.refsite = mujoco.mjtTrn.mjTRN_SITE, name, _ORIGIN
            actuator.gear = np.eye(6)[axis]
            actuator.gaintype, actuator.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
            actuator.gainprm = np.eye(1, len(actuator.gainprm))[0]
            actuator.biasprm = np.zeros(len(actuator.biasprm))
            actuator.forcelimited, actuator.forcerange = True, [-limit, limit]


def index_grips(model: mujoco.MjModel, spec: CharacterSpec, prefix: str) -> Grips:
    """Find a character's grips in a compiled model."""
    segments, _ = grip_points(spec)
    names = [_site_name(spec, index, prefix) for index in segments.tolist()]
    geoms = [f"{prefix}{spec.names[index]}/" for index in segments.tolist()]
    return Grips(
        segment=segments,
        site=np.array([model.site(name).id for name in names], dtype=np.int64),
        actuator=np.array(
            [[model.actuator(f"{name}/{axis}").id for axis in "xyz"] for name in names], dtype=np.int64
        ).reshape(-1, 3),
        hand=tuple(
            np.array([model.geom(f"{own}{k}").id for k in range(len(spec.segments[index].shapes))])
            for own, index in zip(geoms, segments.tolist(), strict=True)
        ),
        bar=np.flatnonzero(model.geom_contype == HOLD_BIT),
        limit=grip_strength(spec),
    )


def _site_name(spec: CharacterSpec, index: int, prefix: str) -> str:
    return f"{prefix}{spec.names[index]}/grip"
