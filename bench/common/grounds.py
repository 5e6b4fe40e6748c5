"""Ground to walk over, laid out along the way of a clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion
from sim_core.recognition.mapping import BoneMapping
from sim_core.scene.scene import Hinge, Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, HeightField, Plane

STEP, TREAD, FIRST_EDGE = 0.05, 0.8, 0.7
"""Height of the steps, way from one to the next, and way to the first; half of a shorter way [m]."""
ROUGHNESS, CELL = 0.02, 0.1
"""Highest bump over lowest hollow, and the distance of random heights [m]."""
PLATFORM_HZ = 0.5
BOARD_HALF, BOARD_PIVOT, BOARD_THICKNESS = 1.2, 0.1, 0.04
"""A board's half length, the height of its axis, and how thick it is [m]."""
BOARD_KG, BOARD_DAMPING = 30.0, 150.0
"""Its mass, and what keeps it from slamming down [Nms/rad]."""
WIDE = 15.0


@dataclass(frozen=True, eq=False)
class Way:
    """start (3): on the floor under the hips at first [m]; turn (4): X to where they go; length [m]."""

    start: FloatArray
    turn: FloatArray
    length: float

    def at(self, ahead: float, above: float = 0.0, left: float = 0.0) -> FloatArray:
        """A place along the way, or to the left of it."""
        return np.asarray(self.start + rotations.rotate(self.turn, np.array([ahead, left, above])))


def way_of(motion: Motion, mapping: BoneMapping, floor: float) -> Way:
    hips = motion.position_world[:, motion.skeleton.index[mapping.first("hips")]]
    ahead = (hips[-1] - hips[0])[:2]
    turn = rotations.from_vector(np.array([0.0, 0.0, np.arctan2(ahead[1], ahead[0])]))
    return Way(np.array([*hips[0, :2], floor]), turn, float(np.linalg.norm(ahead)))


def slope(way: Way, degrees: float) -> Scene:
    turn = rotations.multiply(way.turn, rotations.from_vector(np.array([0.0, -np.radians(degrees), 0.0])))
    return Scene((SceneObject("slope", Role.GROUND, Plane(), way.start, turn),))


def stairs(way: Way, rise: float) -> Scene:
    """Steps of one height all along the way, each a block that the next ones stand on or lie behind."""
    count = max(int((way.length - FIRST_EDGE) / TREAD), 1)
    first = min(FIRST_EDGE, max(0.5 * way.length, 0.1))
    blocks = []
    for i in range(count + 1):
        top, edge = rise * i, first + TREAD * (i - 1)
        start, end = (edge, WIDE) if rise > 0.0 else (-WIDE, edge + TREAD)
        if i == 0 and rise > 0.0:
            start = -WIDE
        if i == count and rise < 0.0:
            end = WIDE
        half = np.array([0.5 * (end - start), WIDE, 0.5])
        place = way.at(0.5 * (start + end), top - 0.5)
        blocks.append(SceneObject(f"step {i}", Role.GROUND, Box(half), place, way.turn))
    return Scene(tuple(blocks))


def platform(way: Way, amplitude: float, aside: bool) -> Scene:
    """Ground that goes to and fro along the way or across it."""
    time = np.arange(0.0, 30.0, 1.0 / 24.0)
    direction = rotations.rotate(way.turn, np.eye(3)[1 if aside else 0])
    swing = np.outer(amplitude * np.sin(2.0 * np.pi * PLATFORM_HZ * time), direction)
    keys = Keys(time, way.at(0.0, -0.5 + 0.01) + swing, np.tile(way.turn, (len(time), 1)))
    return Scene((SceneObject("platform", Role.MOVING, Box(np.array([WIDE, WIDE, 0.5])), keys=keys),))


def roughness(way: Way) -> Scene:
    cells = 2 * int((way.length + 3.0) / CELL)
    heights = np.random.default_rng(0).uniform(0.0, ROUGHNESS, size=(cells + 1, cells + 1))
    half = 0.5 * cells * CELL
    return Scene(
        (SceneObject("bumps", Role.GROUND, HeightField(np.array([half, half]), heights), way.start),)
    )


def see_saw(way: Way) -> Scene:
    """A board across the middle of the way, the near end down."""
    thick = 0.5 * BOARD_THICKNESS
    angle = float(np.arcsin((BOARD_PIVOT - thick) / BOARD_HALF))
    hinge = Hinge(np.array([0.0, 1.0, 0.0]), -angle, angle, BOARD_DAMPING, -angle)
    shape, place = Box(np.array([BOARD_HALF, 0.6, thick])), way.at(0.5 * way.length, BOARD_PIVOT)
    return Scene((SceneObject("board", Role.HINGE, shape, place, way.turn, mass=BOARD_KG, hinge=hinge),))


GROUNDS: dict[str, Callable[[Way], Scene]] = {
    "flat": lambda way: Scene(),
    "up 5 deg": lambda way: slope(way, 5.0),
    "down 10 deg": lambda way: slope(way, -10.0),
    "5 cm steps up": lambda way: stairs(way, STEP),
    "5 cm steps down": lambda way: stairs(way, -STEP),
    "platform along, 10 cm": lambda way: platform(way, 0.05, False),
    "platform across, 10 cm": lambda way: platform(way, 0.05, True),
    "platform along, +-10 cm": lambda way: platform(way, 0.1, False),
    "see-saw": see_saw,
    "2 cm roughness": roughness,
}
"""The bars of the issue; the flat floor is there to compare with."""
