"""What the channels of a control can do: locks and drivers hold some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mathutils import Euler, Quaternion

from ...sim_core.base import rotations
from ...sim_core.base.conventions import BoolArray, FloatArray
from ..blender_types import ArmatureObject

Y_AXIS = 1


@dataclass(frozen=True, eq=False)
class Channels:
    """One bone's own channels.

    free_turn (3), free_move (3): which axes keys can change
    mode: the bone's rotation mode, which stays
    is_hidden: a part of the rig's works, with all locked and without a shape, that no user should unlock
    """

    bone: str
    mode: Any
    free_turn: BoolArray
    free_move: BoolArray
    is_hidden: bool

    @staticmethod
    def of(obj: ArmatureObject, name: str) -> Channels:
        bone = obj.pose.bones[name]
        driven = _driven(obj, bone)
        turn, move = ~np.array(bone.lock_rotation, dtype=bool), ~np.array(bone.lock_location, dtype=bool)
        if any("rotation" in path for path, _ in driven):
            turn &= False
        for path, index in driven:
            if path == "location":
                move[index] = False
        if bone.bone.use_connect and bone.parent is not None:
            move &= False
        locks = (*bone.lock_location, *bone.lock_rotation, *bone.lock_scale)
        return Channels(name, bone.rotation_mode, turn, move, all(locks) and bone.custom_shape is None)

    @property
    def turns_freely(self) -> bool:
        return bool(self.free_turn.all())

    @property
    def moves_freely(self) -> bool:
        return bool(self.free_move.all())

    @property
    def turns_as_a_hinge(self) -> bool:
        """Some axes turn, and it stays at its joint: not a tweak, which is pulled about."""
        return bool(self.free_turn.any()) and not self.free_move.any()

    def held(self, wanted: FloatArray, now: FloatArray) -> FloatArray:
        """Rotations (F, 4) with the locked axes as they are now."""
        if self.turns_freely:
            return wanted
        if not self.free_turn.any():
            return now
        order = self.mode if self.mode not in ("QUATERNION", "AXIS_ANGLE") else "XYZ"
        return np.array([self._held_once(order, *both) for both in zip(wanted, now, strict=True)])

    def _held_once(self, order: Any, wanted: FloatArray, now: FloatArray) -> FloatArray:
        old = Quaternion(now.tolist()).to_euler(order)
        new = Quaternion(wanted.tolist()).to_euler(order, old)
        mixed = [new[i] if self.free_turn[i] else old[i] for i in range(3)]
        return np.array(Euler(mixed, order).to_quaternion(), dtype=np.float64)


def _driven(obj: ArmatureObject, bone: Any) -> list[tuple[str, int]]:
    """Channels of a bone that drivers set: property and axis."""
    prefix = bone.path_from_id() + "."
    drivers = obj.animation_data.drivers if obj.animation_data is not None else ()
    return [
        (curve.data_path.removeprefix(prefix), curve.array_index)
        for curve in drivers
        if curve.data_path.startswith(prefix)
    ]


@dataclass(frozen=True, eq=False)
class ChannelValues:
    """Of one control over F frames: rotation (F, 4) as quaternions, location (F, 3)."""

    rotation: FloatArray
    location: FloatArray

    def at(self, frames: Any) -> ChannelValues:
        return ChannelValues(self.rotation[frames], self.location[frames])

    def put(self, frames: Any, values: ChannelValues) -> None:
        """Take over the values of some frames."""
        self.rotation[frames] = values.rotation
        self.location[frames] = values.location


def about_y(angle: FloatArray) -> FloatArray:
    """Turns (F, 4) about a bone's length [rad]."""
    vector = np.zeros((len(angle), 3))
    vector[:, Y_AXIS] = angle
    return rotations.from_vector(vector)
