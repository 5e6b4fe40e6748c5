"""Objects that take part in a live simulation: shown where they fly, and moved there by the user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Object

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray
from ...sim_core.live.commands import MoveObject
from ...sim_core.live.frames import Frame, FrameNames
from ..blender.matrices import from_blender, to_blender, transform, turned, unscaled
from .live_pose import channels_of, put_back

MOVED_M, MOVED = 1e-4, 1e-4
"""A change of place [units] or of the axes from which on the user has moved an object."""


@dataclass(eq=False)
class LiveProp:
    """An object with the channels and the matrix (4, 4) that it had, and its first pose (7) in a frame.

    shown (4, 4): where it was put last
    """

    name: str
    row: int
    channels: dict[str, tuple[float, ...]]
    start: FloatArray
    first: FloatArray
    shown: FloatArray


class LiveProps:
    """The objects of a scene that the character can push."""

    def __init__(self, names: FrameNames, frame: Frame, metres: float) -> None:
        """Keep where the objects are; metres: of a unit of the scene."""
        self.metres = metres
        self.props = [
            LiveProp(name, row, channels_of(obj), *_placed(obj, frame, row))
            for row, name in enumerate(names.props)
            if (obj := _found(name)) is not None
        ]

    def moved_by_user(self) -> Iterator[MoveObject]:
        """Yield the objects that are not where they were put last."""
        for prop in self.props:
            obj = _found(prop.name)
            if obj is None:
                continue
            now = from_blender(obj.matrix_world)
            if (
                np.abs(now[:3, 3] - prop.shown[:3, 3]).max() < MOVED_M
                and np.abs(now[:3, :3] - prop.shown[:3, :3]).max() < MOVED
            ):
                continue
            prop.shown = now
            turn = unscaled(now[:3, :3]) @ unscaled(prop.start[:3, :3]).T
            place = now[:3, 3] - turned(turn, prop.start[:3, 3] - prop.first[:3] / self.metres)
            quaternion = rotations.multiply(rotations.from_matrix(turn), prop.first[3:])
            x, y, z = (self.metres * place).tolist()
            yield MoveObject(prop.name, (x, y, z), tuple(quaternion.tolist()))

    def apply(self, frame: Frame) -> None:
        """Put the objects where a frame has them."""
        for prop in self.props:
            obj = _found(prop.name)
            if obj is None:
                continue
            pose = frame.props[prop.row].astype(np.float64)
            turn = rotations.to_matrix(rotations.multiply(pose[3:], rotations.conjugate(prop.first[3:])))
            offset = turned(turn, prop.start[:3, 3] - prop.first[:3] / self.metres)
            matrix = transform(turn @ prop.start[:3, :3], pose[:3] / self.metres + offset)
            obj.matrix_world = to_blender(matrix)
            prop.shown = from_blender(obj.matrix_world)

    def restore(self) -> None:
        """Put the objects back to where they were."""
        for prop in self.props:
            obj = _found(prop.name)
            if obj is not None:
                put_back(obj, prop.channels)


def _found(name: str) -> Object | None:
    obj: Object | None = bpy.data.objects.get(name)
    return obj


def _placed(obj: Object, frame: Frame, row: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    start = from_blender(obj.matrix_world)
    return start, frame.props[row].astype(np.float64), start
