"""Grounds to walk over, laid out along the path of a clip."""

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
"""Height of the steps, distance from one to the next, and to the first one; half of a shorter path [m]."""
ROUGHNESS, CELL = 0.02, 0.1
"""Largest difference of heights, and the distance of random heights [m]."""
PLATFORM_HZ = 0.5
BOARD_HALF, BOARD_PIVOT, BOARD_THICKNESS = 1.2, 0.1, 0.04
"""A board's half length, the height of its axis, and its thickness [m]."""
BOARD_KG, BOARD_DAMPING = 30.0, 150.0
"""The mass of a board [kg], and the damping of its hinge [Nms/rad]."""
WIDE = 15.0


@dataclass(frozen=True, eq=False)
class WalkingPath:
    """The straight line from the first to the last position of the hips.

    start (3): on the floor below the hips at the first sample [m]; turn (4): turns X into the direction
    of walking
    length [m]
    """

    start: FloatArray
    turn: FloatArray
    length: float

    def at(self, ahead: float, above: float = 0.0, left: float = 0.0) -> FloatArray:
        """Return a position (3) ahead on the path, above it and to the left of it [m]."""
        return np.asarray(self.start + rotations.rotate(self.turn, np.array([ahead, left, above])))


def walking_path(motion: Motion, mapping: BoneMapping, floor: float) -> WalkingPath:
    """Return the path of a motion on a floor at this height [m]."""
    hips = motion.position_world[:, motion.skeleton.index[mapping.first("hips")]]
    ahead = (hips[-1] - hips[0])[:2]
    turn = rotations.from_vector(np.array([0.0, 0.0, np.arctan2(ahead[1], ahead[0])]))
    return WalkingPath(np.array([*hips[0, :2], floor]), turn, float(np.linalg.norm(ahead)))


def slope(path: WalkingPath, degrees: float) -> Scene:
    """Return a plane that rises along the path by this angle [deg]."""
    turn = rotations.multiply(path.turn, rotations.from_vector(np.array([0.0, -np.radians(degrees), 0.0])))
    return Scene((SceneObject("slope", Role.GROUND, Plane(), path.start, turn),))


def stairs(path: WalkingPath, rise: float) -> Scene:
    """Return steps of one height along the path, each a block that the next ones stand on or lie behind."""
    count = max(int((path.length - FIRST_EDGE) / TREAD), 1)
    first = min(FIRST_EDGE, max(0.5 * path.length, 0.1))
    blocks = []
    for i in range(count + 1):
        top, edge = rise * i, first + TREAD * (i - 1)
        start, end = (edge, WIDE) if rise > 0.0 else (-WIDE, edge + TREAD)
        if i == 0 and rise > 0.0:
            start = -WIDE
        if i == count and rise < 0.0:
            end = WIDE
        half = np.array([0.5 * (end - start), WIDE, 0.5])
        position = path.at(0.5 * (start + end), top - 0.5)
        blocks.append(SceneObject(f"step {i}", Role.GROUND, Box(half), position, path.turn))
    return Scene(tuple(blocks))


def platform(path: WalkingPath, amplitude: float, aside: bool) -> Scene:
    """Return ground that swings along the path, or across it, with this amplitude [m]."""
    time = np.arange(0.0, 30.0, 1.0 / 24.0)
    direction = rotations.rotate(path.turn, np.eye(3)[1 if aside else 0])
    swing = np.outer(amplitude * np.sin(2.0 * np.pi * PLATFORM_HZ * time), direction)
    keys = Keys(time, path.at(0.0, -0.5 + 0.01) + swing, np.tile(path.turn, (len(time), 1)))
    return Scene((SceneObject("platform", Role.MOVING, Box(np.array([WIDE, WIDE, 0.5])), keys=keys),))


def roughness(path: WalkingPath) -> Scene:
    """Return a height field of random heights."""
    cells = 2 * int((path.length + 3.0) / CELL)
    heights = np.random.default_rng(0).uniform(0.0, ROUGHNESS, size=(cells + 1, cells + 1))
    half = 0.5 * cells * CELL
    return Scene(
        (SceneObject("bumps", Role.GROUND, HeightField(np.array([half, half]), heights), path.start),)
    )


def see_saw(path: WalkingPath) -> Scene:
    """Return a board across the middle of the path, its near end down."""
    thick = 0.5 * BOARD_THICKNESS
    angle = float(np.arcsin((BOARD_PIVOT - thick) / BOARD_HALF))
    hinge = Hinge(np.array([0.0, 1.0, 0.0]), -angle, angle, BOARD_DAMPING, -angle)
    shape, position = Box(np.array([BOARD_HALF, 0.6, thick])), path.at(0.5 * path.length, BOARD_PIVOT)
    return Scene((SceneObject("board", Role.HINGE, shape, position, path.turn, mass=BOARD_KG, hinge=hinge),))


GROUNDS: dict[str, Callable[[WalkingPath], Scene]] = {
    "flat": lambda path: Scene(),
    "up 5 deg": lambda path: slope(path, 5.0),
    "down 10 deg": lambda path: slope(path, -10.0),
    "5 cm steps up": lambda path: stairs(path, STEP),
    "5 cm steps down": lambda path: stairs(path, -STEP),
    "platform along, 10 cm": lambda path: platform(path, 0.05, False),
    "platform across, 10 cm": lambda path: platform(path, 0.05, True),
    "platform along, +-10 cm": lambda path: platform(path, 0.1, False),
    "see-saw": see_saw,
    "2 cm roughness": roughness,
}
"""Grounds by name; the flat floor is there to compare with."""
