"""The pose of a performer as streams send it: turns of Unity's humanoid bones, from a T-pose on.

Both protocols that Heft reads name the bones as Unity does (HumanBodyBones), and give rotations in its axes:
left-handed, X to the right, Y up, Z forward, quaternions (x, y, z, w). In the T-pose every turn is the
identity. Here they are in Heft's axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP_FROM_UNITY, FloatArray, IntArray

SIDED = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")
TRUNK = ("Hips", "Spine", "Chest", "UpperChest", "Neck", "Head")
BONES = TRUNK + tuple(f"{side}{bone}" for side in ("Left", "Right") for bone in SIDED)
"""The bones that are read, parents first; fingers, eyes and jaw are not simulated."""
BONE_INDEX = {name: i for i, name in enumerate(BONES)}
_ABOVE = {"Hips": "", "Spine": "Hips", "Chest": "Spine", "UpperChest": "Chest", "Neck": "UpperChest"}
_ABOVE |= {"Head": "Neck", "Shoulder": "UpperChest", "UpperArm": "Shoulder", "LowerArm": "UpperArm"}
_ABOVE |= {"Hand": "LowerArm", "UpperLeg": "Hips", "LowerLeg": "UpperLeg", "Foot": "LowerLeg", "Toes": "Foot"}

THIS_MACHINE = "127.0.0.1"
"""Address on which a stream is listened to, unless another one is given."""
LARGEST_PACKET = 65536
"""Bytes that a UDP packet can have at most."""
FURTHEST = 1000.0
"""Largest distance that is read [m]; beyond it a stream is broken."""
NOT_UNIT = 0.1
"""Difference of a quaternion's length from one, from which it is no rotation."""


class BadPacketError(Exception):
    """A packet that is no valid one of its protocol; it is counted and dropped."""


def _parent(bone: str) -> int:
    side = next((side for side in ("Left", "Right") if bone.startswith(side)), "")
    above = _ABOVE[bone.removeprefix(side)]
    return BONE_INDEX.get(side + above, BONE_INDEX.get(above, -1))


PARENTS: IntArray = np.array([_parent(bone) for bone in BONES])
"""The bone above each bone; -1 for the hips. A bone that a stream lacks does not turn against its parent."""


@dataclass(frozen=True, eq=False)
class PerformerFrame:
    """One pose of a performer; what was not sent, or lost on its way, is not a number.

    time_s: on the sender's clock, or the time of arrival where the sender states none [s]
    turn (B, 4): rotation of each bone against its parent, from the T-pose on; of the hips in the world
    hips (3): position in the world, from the floor up [m]
    leg_m: length of thigh and shin [m]; not a number where the stream does not tell
    """

    time_s: float
    turn: FloatArray
    hips: FloatArray
    leg_m: float = float("nan")


def vector_from_unity(vector: FloatArray) -> FloatArray:
    """Return vectors (..., 3) of Unity in Heft's axes."""
    return np.asarray(np.asarray(vector) @ Z_UP_FROM_UNITY.T)


def vector_to_unity(vector: FloatArray) -> FloatArray:
    """Return vectors (..., 3) in Unity's axes."""
    return np.asarray(np.asarray(vector) @ Z_UP_FROM_UNITY)


def quaternion_from_unity(xyzw: FloatArray) -> FloatArray:
    """Return rotations (..., 4) of Unity in Heft's axes and order; a mirrored axis turns the other way."""
    given = np.asarray(xyzw)
    return np.concatenate([given[..., 3:], -vector_from_unity(given[..., :3])], axis=-1)


def quaternion_to_unity(wxyz: FloatArray) -> FloatArray:
    """Return rotations (..., 4) in Unity's axes and order."""
    given = np.asarray(wxyz)
    return np.concatenate([-vector_to_unity(given[..., 1:]), given[..., :1]], axis=-1)


def checked_poses(numbers: Sequence[Sequence[float]]) -> FloatArray:
    """Return positions and rotations (N, 7) of bones from Unity's x, y, z and x, y, z, w."""
    poses = np.array(numbers, dtype=float).reshape(-1, 7)
    if not np.isfinite(poses).all() or (np.abs(poses[:, :3]) > FURTHEST).any():
        raise BadPacketError("a pose that is not a number, or too far away")
    if (np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0) > NOT_UNIT).any():
        raise BadPacketError("a rotation that is none")
    turns = rotations.normalise(quaternion_from_unity(poses[:, 3:]))
    return np.concatenate([vector_from_unity(poses[:, :3]), turns], axis=1)


def world_turns(turn: FloatArray) -> FloatArray:
    """Return the turns of all bones in the world (T, B, 4) from those against their parents."""
    world = np.array(turn)
    for bone, parent in enumerate(PARENTS.tolist()):
        if parent >= 0:
            world[:, bone] = rotations.multiply(world[:, parent], turn[:, bone])
    return world


def local_turns(world: FloatArray) -> FloatArray:
    """Return the turns of all bones against their parents (T, B, 4) from those in the world."""
    turn = np.array(world)
    child = np.flatnonzero(PARENTS >= 0)
    turn[:, child] = rotations.relative(world[:, PARENTS[child]], world[:, child])
    return turn
