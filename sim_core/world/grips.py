"""Hands that hold: a spring of bounded force between each palm and where it has closed.

Fingers about a bar push on all of its sides, and rub on it along its length. So a grip is a force in any
direction that keeps the palm where it has closed, up to the strength of the hand. It acts between hand and
bar, or between hand and the object that is carried, as a contact force does; nothing else holds either. A
palm on an object that is carried resists turning, too, because it is broad.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import mujoco
import numpy as np

from ..base.conventions import GRAVITY, FloatArray, IntArray
from ..character.spec import CharacterSpec, SegmentCapsule
from ..scene.scene import Role, Scene
from .character_model import GROUND_BIT, HOLD_BIT, PROP_BIT
from .scene_model import PREFIX, SceneIndex

STRENGTH = 0.65
"""Largest force of one hand, over body weight. A hand is torn from a vertical cylinder by 435 N and from a
horizontal one by 668 N (Young et al. 2009), which is 0.6 and 0.9 of the weight of an adult of 75 kg."""
STIFFNESS, DAMPING = 5e4, 1500.0
"""Of a grip [N/m], [Ns/m]: a hand gives way by 1 cm before it slips, and does not swing on its fingers."""
CARRY_STIFFNESS, CARRY_DAMPING = 1e4, 150.0
"""Of a grip on what is carried [N/m], [Ns/m]. The engine's implicit damping sees only one of two bodies that
move, and so slows each of them like a mass of damping times time step: 0.15 kg, which must stay small."""
TURN_STIFFNESS, TURN_DAMPING = 150.0, 2.0
"""Of a palm that lies on an object, against turning [Nm/rad], [Nms/rad]: a crate of some kilograms does not
swing between two hands."""
PALM_RADIUS = 0.04
"""Lever with which the force of a hand resists turning [m]."""
HAND, ARM = "hand.", ("hand.", "forearm.")
"""Start of the names of segments that can hold, and of those that lie on what is carried."""
_WORLD = "grips"


@dataclass(frozen=True, eq=False)
class Grips:
    """Pairs (K) of a hand and of what it can hold, in a compiled model: bars first, then carried objects.

    segment (K): the hands' indices; site (K): ids of the palms; body (K): ids of what is held, 0 for bars
    anchor (K): ids of the points of these bodies at which palms are held
    actuator (K, 3): ids of the springs, along the axes of the anchors; turn (C, 3): of those against turning,
    for the C pairs with carried objects
    hand, held (K): ids of the geoms of the hand and of what it holds; limit: largest force of one hand [N]
    """

    segment: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    site: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    body: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    anchor: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    actuator: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    turn: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    hand: tuple[IntArray, ...] = ()
    held: tuple[IntArray, ...] = ()
    limit: float = 0.0

    @property
    def bars(self) -> slice:
        """Return the pairs with bars, which cannot move."""
        return slice(0, len(self.site) - len(self.turn))

    @property
    def carried(self) -> slice:
        """Return the pairs with objects that are carried."""
        return slice(len(self.site) - len(self.turn), len(self.site))

    def distance(
        self, model: mujoco.MjModel, data: mujoco.MjData, furthest: float, pairs: slice = slice(None)
    ) -> FloatArray:
        """Return how far each hand is from what it can hold [m], up to the furthest."""
        return np.array(
            [
                min(
                    (
                        mujoco.mj_geomDistance(model, data, int(geom), int(other), furthest, None)
                        for geom in hand
                        for other in held
                    ),
                    default=furthest,
                )
                for hand, held in zip(self.hand[pairs], self.held[pairs], strict=True)
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


def add_grips(world: mujoco.MjSpec, spec: CharacterSpec, prefix: str, scene: Scene) -> None:
    """Add the grips of a character's hands to a world that has its objects.

    All other parts of the body touch what can be held, but forearms lie on what is carried. They touch it
    with the shapes that touch the world; those that touch bodies have no sensors.
    """
    segments, points = grip_points(spec)
    for segment in spec:
        if not segment.name.startswith(ARM if scene.carried else HAND):
            for geom in world.body(prefix + segment.name).geoms:
                if geom.conaffinity & (GROUND_BIT | PROP_BIT):
                    geom.conaffinity |= HOLD_BIT
    for index, point in zip(segments.tolist(), points, strict=True):
        name = prefix + spec.names[index]
        world.body(name).add_site(name=f"{name}/palm", pos=point)
        for what, body in _things(scene):
            _add_grip(world, spec, name, what, body)


def _things(scene: Scene) -> Iterator[tuple[str, str]]:
    """Yield what can be held: a name for the grips, and the name of the body; bars are parts of the world."""
    yield _WORLD, "world"
    for number in scene.carried:
        name = PREFIX + scene.objects[number].name
        yield name, name


def _add_grip(world: mujoco.MjSpec, spec: CharacterSpec, hand: str, what: str, body: str) -> None:
    name, limit = _grip_name(hand, what), grip_strength(spec)
    # The engine would not look at a pose that is changed later if it were that of the body now.
    turned = {} if body == "world" else {"quat": [0.8, 0.6, 0.0, 0.0]}
    world.body(body).add_site(name=name, pos=[0.0, 0.0, 0.123], **turned)
    for axis in range(3 if body == "world" else 6):
        actuator = world.add_actuator(name=f"{name}/{axis}")
        actuator.trntype, actuator.target = mujoco.mjtTrn.mjTRN_SITE, f"{hand}/palm"
        actuator.refsite, actuator.gear = name, np.eye(6)[axis]
        actuator.gaintype, actuator.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        actuator.gainprm = np.eye(1, len(actuator.gainprm))[0]
        actuator.biasprm = np.zeros(len(actuator.biasprm))
        most = limit if axis < 3 else PALM_RADIUS * limit
        actuator.forcelimited, actuator.forcerange = True, [-most, most]


def index_grips(
    model: mujoco.MjModel, spec: CharacterSpec, prefix: str, scene: Scene, objects: SceneIndex
) -> Grips:
    """Find a character's grips in a compiled model."""
    segments, _ = grip_points(spec)
    hands = [prefix + spec.names[index] for index in segments.tolist()]
    pairs = [(hand, what, body) for what, body in _things(scene) for hand in hands]
    names = [_grip_name(hand, what) for hand, what, _ in pairs]
    bars = objects.geoms_of([i for i, own in enumerate(scene.objects) if own.role is Role.HOLD])
    held = [bars, *(objects.geoms_of([number]) for number in scene.carried)]
    actuators = [
        [model.actuator(f"{name}/{axis}").id for axis in range(3 if body == "world" else 6)]
        for name, (_, _, body) in zip(names, pairs, strict=True)
    ]
    shapes = {
        hand: np.array([model.geom(f"{hand}/{k}").id for k in range(len(spec.segments[index].shapes))])
        for hand, index in zip(hands, segments.tolist(), strict=True)
    }
    return Grips(
        segment=np.tile(segments, len(held)),
        site=np.array([model.site(f"{hand}/palm").id for hand, _, _ in pairs], dtype=np.int64),
        body=np.array([model.body(body).id for _, _, body in pairs], dtype=np.int64),
        anchor=np.array([model.site(name).id for name in names], dtype=np.int64),
        actuator=np.array([own[:3] for own in actuators], dtype=np.int64).reshape(-1, 3),
        turn=np.array([own[3:] for own in actuators if len(own) > 3], dtype=np.int64).reshape(-1, 3),
        hand=tuple(shapes[hand] for hand, _, _ in pairs),
        held=tuple(geoms for geoms in held for _ in hands),
        limit=grip_strength(spec),
    )


def _grip_name(hand: str, what: str) -> str:
    return f"{hand}/{what}"
