"""Where moving objects are: smooth curves through their keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from ..base.conventions import FloatArray
from .scene import Keys, Scene


@dataclass(frozen=True, eq=False)
class Played:
    """Joint states of all moving objects at T times: qpos (T, 7 M), qvel (T, 6 M), qacc (T, 6 M).

    As the engine has them: linear velocity in the world, angular velocity in the object's frame.
    """

    qpos: FloatArray
    qvel: FloatArray
    qacc: FloatArray


class Playback:
    """start_s: the time on the keys' axis at which the simulation starts."""

    def __init__(self, scene: Scene, start_s: float = 0.0) -> None:
        self.start_s = start_s
        self.curves = tuple(_Curve(o.keys) for o in scene.objects if o.keys is not None)

    def at(self, time: FloatArray) -> Played:
        """At times (T) since the start of the simulation [s]."""
        states = [curve.at(time + self.start_s) for curve in self.curves]
        empty = np.zeros((len(time), 0))
        return (
            Played(*(np.hstack([empty, *parts]) for parts in zip(*states, strict=True)))
            if states
            else Played(empty, empty, empty)
        )


class _Curve:
    """Holds still before the first key and after the last one."""

    def __init__(self, keys: Keys) -> None:
        self.first, self.last = float(keys.time[0]), float(keys.time[-1])
        self.position = CubicSpline(keys.time, keys.position)
        self.turn = RotationSpline(keys.time, Rotation.from_quat(keys.quaternion, scalar_first=True))

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        inside = ((time >= self.first) & (time <= self.last))[:, None]
        held = np.clip(time, self.first, self.last)
        quaternion = self.turn(held).as_quat(scalar_first=True)
        return (
            np.hstack([self.position(held), quaternion]),
            np.where(inside, np.hstack([self.position(held, 1), self.turn(held, 1)]), 0.0),
            np.where(inside, np.hstack([self.position(held, 2), self.turn(held, 2)]), 0.0),
        )
