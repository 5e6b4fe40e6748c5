"""Motions of objects with keys: smooth curves through them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from ..base.conventions import FloatArray
from .scene import Keys, Role, Scene


@dataclass(frozen=True, eq=False)
class ObjectMotion:
    """Joint states of M moving objects at T times: qpos (T, 7 M), qvel (T, 6 M), qacc (T, 6 M).

    As in the engine, linear velocities are in the world's axes and angular ones in the object's.
    """

    qpos: FloatArray
    qvel: FloatArray
    qacc: FloatArray


class Playback:
    """The motions of a scene's moving objects; start_s: start of the simulation on the keys' axis [s]."""

    def __init__(self, scene: Scene, start_s: float = 0.0) -> None:
        self.start_s = start_s
        moving = (o for o in scene.objects if o.role is Role.MOVING)
        self.curves = tuple(_Curve(o.keys) for o in moving if o.keys is not None)

    def at(self, time: FloatArray) -> ObjectMotion:
        """Return the states at times (T) since the start of the simulation [s]."""
        states = [curve.at(time + self.start_s) for curve in self.curves]
        empty = np.zeros((len(time), 0))
        return (
            ObjectMotion(*(np.hstack([empty, *parts]) for parts in zip(*states, strict=True)))
            if states
            else ObjectMotion(empty, empty, empty)
        )


def keyed_states(keys: Keys, time: FloatArray) -> ObjectMotion:
    """Return the states that an object with keys should have at times (T) on their axis [s]."""
    return ObjectMotion(*_Curve(keys).at(time))


class _Curve:
    """The motion of one object, which rests before its first key and after its last one."""

    def __init__(self, keys: Keys) -> None:
        self.first, self.last = float(keys.time[0]), float(keys.time[-1])
        self.position = CubicSpline(keys.time, keys.position)
        self.rotation = RotationSpline(keys.time, Rotation.from_quat(keys.quaternion, scalar_first=True))

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        inside = ((time >= self.first) & (time <= self.last))[:, None]
        held = np.clip(time, self.first, self.last)
        quaternion = self.rotation(held).as_quat(scalar_first=True)
        return (
            np.hstack([self.position(held), quaternion]),
            np.where(inside, np.hstack([self.position(held, 1), self.rotation(held, 1)]), 0.0),
            np.where(inside, np.hstack([self.position(held, 2), self.rotation(held, 2)]), 0.0),
        )
