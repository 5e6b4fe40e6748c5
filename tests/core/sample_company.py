"""People who touch each other, and things: a handshake, a punch, a dance, a box in two hands, a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import Z_UP, FloatArray, IntArray
from sim_core.base.intervals import smooth_step
from sim_core.motion.motion import Motion
from sim_core.retarget.arms import palms, reaching
from sim_core.retarget.body_surface import moving_parts
from sim_core.retarget.props import Prop, ShapeSurface
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from sim_core.retarget.style import posed
from sim_core.scene.shapes import Box, Capsule, Shape
from tests.core.sample_people import MAPPING, person, standing

SECONDS, RATE = 2.0, 60.0
HELD = (0.7, 1.3)
"""Hands are in place from one time to the other [s]."""
PALM = 0.02
"""Gap of a palm, which is the middle of a hand, to what it touches [m]."""


@dataclass(frozen=True, eq=False)
class Company:
    """People with their motions, and props; held (T): when hands are in place."""

    people: tuple[tuple[RetargetRig, Motion], ...]
    props: tuple[Prop, ...] = ()

    @property
    def held(self) -> IntArray:
        """The frames in which hands are in place."""
        time = self.people[0][1].time
        return np.flatnonzero((time > HELD[0]) & (time < HELD[1]))


def share(time: FloatArray, held: tuple[float, float] = HELD) -> FloatArray:
    """How far hands are at their places (T)."""
    last = time[-1] - 0.1
    return smooth_step((time - 0.1) / (held[0] - 0.1)) * smooth_step((last - time) / (last - held[1]))


def reacher(
    goals: Mapping[str, FloatArray],
    x: float = 0.0,
    yaw: float = 0.0,
    seconds: float = SECONDS,
    held: tuple[float, float] = HELD,
) -> tuple[RetargetRig, Motion]:
    """Somebody who stands at x [m], turned by yaw [rad], and moves palms to goals (3) or (T, 3) and back.

    held: hands are in place from one time to the other [s]
    """
    still = person(standing(seconds, RATE))
    still = still.moved(np.array([x, 0.0, 0.0]), rotations.from_vector(yaw * Z_UP))
    rig = make_retarget_rig(still.skeleton, MAPPING, still)
    paths = {}
    for side, goal in goals.items():
        start = palms(rig, still, side)
        paths[side] = start + share(still.time, held)[:, None] * (goal - start)
    turned = {bone: still.quaternion_world[:, bone] for bone in rig.part_bones}
    turned |= reaching(rig, still, paths)
    return rig, posed(rig, turned, still.position_world[:, rig.bone("hips")], still.time)


def _time() -> FloatArray:
    return np.arange(round(SECONDS * RATE) + 1) / RATE


def handshake() -> Company:
    """Two people 0.9 m apart who shake their right hands."""
    time = _time()
    shake = 0.03 * np.sin(2.0 * np.pi * 3.0 * time)[:, None] * Z_UP
    middle = np.array([0.45, 0.0, 1.1]) + shake
    return Company(
        (
            reacher({"R": middle + [0.0, PALM, 0.0]}),
            reacher({"R": middle - [0.0, PALM, 0.0]}, 0.9, np.pi),
        )
    )


def dancers() -> Company:
    """Two people 0.8 m apart who hold both hands and swing them in circles."""
    time = _time()
    circle = 0.06 * np.stack(
        [np.zeros_like(time), np.cos(2.0 * np.pi * time), np.sin(2.0 * np.pi * time)], axis=1
    )
    hands = {side: np.array([0.4, sign * 0.25, 1.15]) + circle for side, sign in (("L", 1.0), ("R", -1.0))}
    other = {"L": hands["R"], "R": hands["L"]}
    return Company(
        (
            reacher({side: at - [PALM, 0.0, 0.0] for side, at in hands.items()}),
            reacher({side: at + [PALM, 0.0, 0.0] for side, at in other.items()}, 0.8, np.pi),
        )
    )


def punch() -> Company:
    """Somebody who puts a fist on the chest of another one, 0.65 m away."""
    other, still = reacher({}, 0.65, np.pi)
    chest = moving_parts(other.character, other.surfaces, still)["chest"]
    local = other.surfaces["chest"].point(0.3, 0.0, PALM)
    goal = chest.world(np.tile(local, (len(still.time), 1)))
    return Company((reacher({"R": goal}), (other, still)))


def _box_pose(time: FloatArray) -> FloatArray:
    """Where the box is (T, 3): on a shelf at 0.9 m, then lifted, and put down again [m]."""
    lifted = smooth_step((time - HELD[0]) / 0.25) * smooth_step((HELD[1] - time) / 0.25)
    return np.array([0.38, 0.0, 0.95]) + 0.2 * lifted[:, None] * Z_UP


def _prop(name: str, shape: Shape, position: FloatArray, is_held: bool) -> Prop:
    count = len(_time())
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    return Prop(name, ShapeSurface(shape), np.zeros((count, 3)) + position, upright, is_held)


def lifter(
    path: FloatArray, half_size: float, seconds: float = SECONDS, held: tuple[float, float] = HELD
) -> tuple[RetargetRig, Motion]:
    """Somebody who has both palms at the sides of a box on a path (T, 3) [m], from one time to the other."""
    aside = half_size + PALM
    goals = {side: path + [0.0, sign * aside, 0.0] for side, sign in (("L", 1.0), ("R", -1.0))}
    return reacher(goals, seconds=seconds, held=held)


def box() -> Company:
    """Somebody who takes a box of 30 cm with both hands, lifts it and puts it down."""
    at = _box_pose(_time())
    size = 0.15
    return Company((lifter(at, size),), (_prop("box", Box(np.full(3, size)), at, True),))


def table() -> Company:
    """Somebody who puts both hands on a table that stays."""
    goals = {side: np.array([0.4, sign * 0.2, 0.9 + PALM]) for side, sign in (("L", 1.0), ("R", -1.0))}
    shape = Box(np.array([0.3, 0.6, 0.02]))
    return Company((reacher(goals),), (_prop("table", shape, np.array([0.6, 0.0, 0.88]), False),))


def rail() -> Company:
    """Somebody who takes a rail that stays, to the left."""
    at = np.array([0.2, 0.35, 1.0])
    goals = {"L": at + [0.0, -0.02 - PALM, 0.0]}
    lying = rotations.from_vector(np.array([0.0, 0.5 * np.pi, 0.0]))
    found = _prop("rail", Capsule(0.02, 1.0), at, False)
    turned = Prop(found.name, found.surface, found.position, np.tile(lying, (len(_time()), 1)), False)
    return Company((reacher(goals),), (turned,))


COMPANIES: dict[str, Callable[[], Company]] = {
    "handshake": handshake,
    "dancers": dancers,
    "punch": punch,
    "box in two hands": box,
    "hands on a table": table,
    "hand on a rail": rail,
}
