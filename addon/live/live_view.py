"""The mouse in a live play: what is under it, the spring that pulls, and balls thrown from the view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Region, RegionView3D
from bpy_extras import view3d_utils
from mathutils import Vector

from ...sim_core.base import rotations
from ...sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from ...sim_core.live.balls import FASTEST, MASSES_KG
from ...sim_core.live.commands import Grab, Pull, Throw
from ...sim_core.live.commands import Vector as Point
from ...sim_core.live.frames import Frame, FrameNames

REACH_PIXELS = 45.0
"""How far beside a bone the mouse may be [pixels]."""
THROWN_FROM_M = 3.0
"""A ball starts at most this far from what it is thrown at [m]."""
SLOWEST = 2.0
"""Least speed of a ball [m/s]."""
FREE_M = 0.5
"""How far the character goes before the view goes along, which would move what the mouse aims at [m]."""


@dataclass(frozen=True, eq=False)
class View:
    """A 3D view, and the metres of a unit in it."""

    region: Region
    space: RegionView3D
    metres: float

    def pixel_of(self, point_m: FloatArray) -> FloatArray | None:
        """Return where a point (3) [m] is drawn [pixels]; None behind the view."""
        found = view3d_utils.location_3d_to_region_2d(
            self.region, self.space, Vector((point_m / self.metres).tolist())
        )
        return None if found is None else np.array(found)

    def beside(self, pixel: tuple[float, float], point_m: FloatArray) -> FloatArray:
        """Return the point (3) [m] under a pixel that is as far from the view as another point."""
        depth = Vector((point_m / self.metres).tolist())
        return self.metres * np.array(
            view3d_utils.region_2d_to_location_3d(self.region, self.space, pixel, depth)
        )

    def ray(self, pixel: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        """Return the start (3) [m] and the direction (3) of the ray under a pixel."""
        start = view3d_utils.region_2d_to_origin_3d(self.region, self.space, pixel)
        direction = view3d_utils.region_2d_to_vector_3d(self.region, self.space, pixel)
        return self.metres * np.array(start), np.array(direction)


class ViewAlong:
    """Moves a view along the ground with a character, as far as this leaves a circle around where it was."""

    def __init__(self, metres: float) -> None:
        self._metres = metres
        self._centre: FloatArray | None = None
        self._moved = np.zeros(2)  # [m]

    def follow(self, space: RegionView3D, frame: Frame) -> None:
        """Move the view after the character, if that has gone far enough."""
        middle = frame.bones[:, :2].astype(np.float64).mean(axis=0)
        if self._centre is None:
            self._centre = middle
        away = middle - self._centre
        distance = float(np.linalg.norm(away))
        if distance > FREE_M:
            step = away * (1.0 - FREE_M / distance)
            self._centre = self._centre + step
            self._move(space, step)

    def put_back(self, space: RegionView3D) -> None:
        """Take back all that the view was moved; what the user has turned and zoomed stays."""
        self._move(space, -self._moved)
        self._centre = None

    def _move(self, space: RegionView3D, step: FloatArray) -> None:
        self._moved = self._moved + step
        space.view_location += Vector((*(step / self._metres).tolist(), 0.0))


def bone_under(view: View, frame: Frame, pixel: tuple[float, float]) -> int | None:
    """Return the row of the mapped bone whose head is nearest to the mouse; None where none is near."""
    distance = np.full(len(frame.bones), np.inf)
    for row, pose in enumerate(frame.bones):
        drawn = view.pixel_of(pose[:3].astype(np.float64))
        if drawn is not None:
            distance[row] = np.linalg.norm(drawn - pixel)
    nearest = int(distance.argmin())
    return nearest if distance[nearest] <= REACH_PIXELS else None


def grab(names: FrameNames, frame: Frame, row: int, target_m: FloatArray) -> Grab:
    """Return the command that pulls a bone's head to a target (3) [m]."""
    segment = frame.segments[row].astype(np.float64)
    arm = frame.bones[row, :3].astype(np.float64) - segment[:3]
    point = rotations.rotate(rotations.conjugate(segment[3:]), arm)
    return Grab(names.segments[row], _point(point), _point(target_m))


def pull(view: View, frame: Frame, row: int, pixel: tuple[float, float]) -> Pull:
    """Return the command that pulls to where the mouse is now."""
    return Pull(_point(view.beside(pixel, frame.bones[row, :3].astype(np.float64))))


def throw(view: View, frame: Frame, pixel: tuple[float, float], mass: float, speed: float) -> Throw:
    """Return the throw from the view that meets what is under the mouse, or goes as far as the body is."""
    row = bone_under(view, frame, pixel)
    middle = frame.bones[:, :3].astype(np.float64).mean(axis=0)
    start, direction = view.ray(pixel)
    if row is not None:
        target = frame.bones[row, :3].astype(np.float64)
    else:
        target = start + direction * max(float(direction @ (middle - start)), 0.5)
    away = float(np.linalg.norm(target - start))
    start = target - direction * min(away, THROWN_FROM_M)
    seconds = float(np.linalg.norm(target - start)) / speed
    velocity = (target - start) / seconds + 0.5 * GRAVITY * seconds * Z_UP
    return Throw(mass, _point(start), _point(velocity))


def next_mass(mass: float, steps: int) -> float:
    """Return the mass of a ball that is some steps heavier or lighter [kg]."""
    number = MASSES_KG.index(mass) + steps
    return MASSES_KG[min(max(number, 0), len(MASSES_KG) - 1)]


def next_speed(speed: float, steps: int) -> float:
    """Return a speed that is some metres a second faster or slower [m/s]."""
    return min(max(speed + steps, SLOWEST), FASTEST - 1.0)


def _point(values: FloatArray) -> Point:
    x, y, z = values.tolist()
    return x, y, z
