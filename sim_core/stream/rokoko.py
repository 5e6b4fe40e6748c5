"""Rokoko Studio's stream: one JSON object in each UDP packet ("Custom Streaming", JSON v3, not compressed).

The fields that are read are those of Rokoko's page on custom streaming (support.rokoko.com, article
4410416376977) and of its receiver for Unity (github.com/Rokoko/rokoko-studio-live-unity): `version`,
`scene.timestamp` [s], and of the first of `scene.actors` its `body`, with position [m] and rotation of each
bone in the world and in Unity's axes. The suit's own bones point elsewhere than Unity's in the T-pose; that
receiver lists where.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..base import rotations
from ..base.bounded_json import parse_json
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..base.errors import InputError
from .performer import (
    BONE_INDEX,
    BONES,
    LARGEST_PACKET,
    PARENTS,
    BadPacketError,
    PerformerFrame,
    checked_poses,
    local_turns,
    quaternion_from_unity,
)

PORT = 14043
"""Port that Rokoko Studio suggests."""
VERSION = 3
HALF = np.sqrt(0.5)
_LEG, _FOOT, _ARM = (0.0, HALF, 0.0, HALF), (0.0, HALF, -HALF, 0.0), (-0.5, -0.5, 0.5, -0.5)
_TRUNK, _SHOULDER = (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, HALF, -HALF)
_SIDED = {
    "Shoulder": ("Shoulder", _SHOULDER),
    "UpperArm": ("UpperArm", _ARM),
    "LowerArm": ("LowerArm", _ARM),
    "Hand": ("Hand", _ARM),
    "UpperLeg": ("UpLeg", _LEG),
    "LowerLeg": ("Leg", _LEG),
    "Foot": ("Foot", _FOOT),
    "Toes": ("Toe", _FOOT),
}
"""Unity's name without its side -> Rokoko's, and the rotation (x, y, z, w) of the left one in the T-pose."""


def _mirrored(xyzw: tuple[float, ...]) -> tuple[float, ...]:
    """Return the rotation of the right side; X points to the right, so turns about Y and Z are reversed."""
    x, y, z, w = xyzw
    return -x, y, z, -w


def _bones() -> dict[str, tuple[int, FloatArray]]:
    """Return Rokoko's name -> bone, and its rotation in the T-pose, in Heft's axes (4)."""
    found = {"hip": (BONE_INDEX["Hips"], IDENTITY_QUATERNION)}
    trunk = quaternion_from_unity(np.array(_TRUNK))
    found |= {name: (BONE_INDEX[name.title()], trunk) for name in ("spine", "chest", "neck", "head")}
    for bone, (own, left) in _SIDED.items():
        right = quaternion_from_unity(np.array(_mirrored(left)))
        found[f"left{own}"] = BONE_INDEX[f"Left{bone}"], quaternion_from_unity(np.array(left))
        found[f"right{own}"] = BONE_INDEX[f"Right{bone}"], right
    return found


NAMES = _bones()


class RokokoReader:
    """Reads frames; each packet has a whole one."""

    def read(self, packet: bytes, arrival_s: float) -> list[PerformerFrame]:
        """Return the frame of a packet; one that is no JSON v3 raises BadPacketError."""
        if len(packet) > LARGEST_PACKET:
            raise BadPacketError("too long")
        try:
            content = parse_json(packet.decode("utf-8"), "The packet")
        except (InputError, UnicodeDecodeError):
            raise BadPacketError("no JSON; choose JSON v3 without compression in Rokoko Studio") from None
        scene = _part(content, "scene")
        version, time_s = _number(content, "version"), _number(scene, "timestamp")
        if int(version) < VERSION:
            raise BadPacketError("an older format; choose JSON v3 in Rokoko Studio")
        actors = scene.get("actors")
        if not isinstance(actors, list) or not actors or not isinstance(actors[0], Mapping):
            return []
        poses = _poses(_part(actors[0], "body"))
        return [_frame(poses, time_s)] if "hip" in poses else []


def _poses(body: Mapping[str, object]) -> dict[str, FloatArray]:
    """Return position and rotation (7) in the world of the bones that a body has."""
    known = [name for name in NAMES if name in body]
    return dict(zip(known, checked_poses([_numbers(_part(body, name)) for name in known]), strict=True))


def _numbers(bone: Mapping[str, object]) -> list[float]:
    place, turn = _part(bone, "position"), _part(bone, "rotation")
    return [_number(place, axis) for axis in "xyz"] + [_number(turn, axis) for axis in "xyzw"]


def _frame(poses: Mapping[str, FloatArray], time_s: float) -> PerformerFrame:
    """Return the frame; bones that the body lacks keep to their parents."""
    world: FloatArray = np.full((len(BONES), 4), np.nan)
    for name, pose in poses.items():
        bone, at_rest = NAMES[name]
        world[bone] = rotations.multiply(pose[3:], rotations.conjugate(at_rest))
    for bone in range(1, len(BONES)):
        if np.isnan(world[bone, 0]):
            world[bone] = world[PARENTS[bone]]
    legs = [_leg(poses, side) for side in ("left", "right")]
    return PerformerFrame(time_s, local_turns(world[None])[0], poses["hip"][:3], float(np.mean(legs)))


def _leg(poses: Mapping[str, FloatArray], side: str) -> float:
    """Return the length of thigh and shin [m]; not a number where a joint is missing."""
    joints = [poses.get(f"{side}{name}") for name in ("UpLeg", "Leg", "Foot")]
    known = [joint[:3] for joint in joints if joint is not None]
    if len(known) < len(joints):
        return float("nan")
    return float(np.linalg.norm(np.diff(known, axis=0), axis=1).sum())


def _part(content: object, name: str) -> Mapping[str, object]:
    part = content.get(name) if isinstance(content, Mapping) else None
    if not isinstance(part, Mapping):
        raise BadPacketError(f"no '{name}'")
    return part


def _number(content: object, name: str) -> float:
    number = content.get(name) if isinstance(content, Mapping) else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise BadPacketError(f"no number '{name}'")
    return float(number)
