"""The VMC protocol (Virtual Motion Capture, https://protocol.vmc.info/english): OSC messages over UDP.

A sender (a "performer") tells for each frame, in one packet or in several:

/VMC/Ext/OK        whether there is a pose, and since version 2.5 the state of its calibration
/VMC/Ext/T         its own time [s]
/VMC/Ext/Root/Pos  "root", position and rotation of the whole figure
/VMC/Ext/Bone/Pos  name of a bone, its position and rotation against its parent

Positions are in metres; in the T-pose all rotations are the identity (VRM's rule for humanoids).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from .osc_packets import OscValue, read_messages
from .performer import BONE_INDEX, BONES, BadPacketError, PerformerFrame, checked_poses

PORT = 39539
"""Port on which motion is usually received (the protocol's "marionette")."""
PREFIX = b"/VMC/Ext/"
BONE, ROOT, TIME, STATE = (f"/VMC/Ext/{name}" for name in ("Bone/Pos", "Root/Pos", "T", "OK"))
LEG_BONES = tuple(BONE_INDEX[f"{side}{bone}"] for side in ("Left", "Right") for bone in ("LowerLeg", "Foot"))


class VmcReader:
    """Puts frames together from the packets of one sender.

    A frame is whole when every bone of the frame before it has come. Where packets were lost it ends when a
    bone comes for the second time, or with the next time that the sender states.
    """

    def __init__(self) -> None:
        self._expected: frozenset[int] = frozenset()
        self._seen: set[int] = set()
        self._pose: FloatArray = np.zeros(0)
        self._root: FloatArray = np.zeros(0)
        self._stated: float | None = None
        self._began = 0.0
        self._start()

    def read(self, packet: bytes, arrival_s: float) -> list[PerformerFrame]:
        """Return the frames that a packet completes; one that is no VMC raises BadPacketError."""
        messages = read_messages(packet, PREFIX)
        if not messages:
            raise BadPacketError("nothing of a body")
        named = [(name, _named(values)) for name, values in messages if name in (BONE, ROOT)]
        poses = checked_poses([numbers for _, (_, numbers) in named])
        stated = [_number(values) for name, values in messages if name == TIME]
        bones, root = list[tuple[int, FloatArray]](), list[FloatArray]()
        for (name, (bone, _)), pose in zip(named, poses, strict=True):
            if name == ROOT:
                root.append(pose)
            elif bone in BONE_INDEX:
                bones.append((BONE_INDEX[bone], pose))
        return self._add(bones, root, stated, arrival_s)

    def _add(
        self,
        bones: Sequence[tuple[int, FloatArray]],
        root: Sequence[FloatArray],
        stated: Sequence[float],
        arrival_s: float,
    ) -> list[PerformerFrame]:
        done = []
        repeats = any(bone in self._seen for bone, _ in bones)
        if self._seen and (repeats or (stated and self._stated not in (None, stated[-1]))):
            done.append(self._finish())
        if not self._seen and bones:
            self._began = arrival_s
        if stated:
            self._stated = stated[-1]
        if root:
            self._root = root[-1]
        for bone, pose in bones:
            self._seen.add(bone)
            self._pose[bone] = pose
        if self._seen and self._expected and self._expected <= self._seen:
            done.append(self._finish())
        return done

    def _start(self) -> None:
        self._seen = set()
        self._pose = np.full((len(BONES), 7), np.nan)
        self._root = np.concatenate([np.zeros(3), IDENTITY_QUATERNION])

    def _finish(self) -> PerformerFrame:
        """Return the frame as far as it has come, and start the next one."""
        turn = self._pose[:, 3:].copy()
        never = [bone for bone in range(len(BONES)) if bone not in self._seen | self._expected]
        turn[never] = IDENTITY_QUATERNION
        place, facing = self._root[:3], self._root[3:]
        hips = place + rotations.rotate(facing, self._pose[0, :3])
        turn[0] = rotations.multiply(facing, turn[0])
        legs = np.linalg.norm(self._pose[LEG_BONES, :3], axis=1)
        leg_m = float(legs.sum() / 2.0) if np.all(legs > 0.0) else float("nan")
        time_s = self._began if self._stated is None else self._stated
        self._expected = frozenset(self._seen) if len(self._seen) >= len(self._expected) else self._expected
        self._start()
        return PerformerFrame(time_s, turn, hips, leg_m)


def _named(values: Sequence[OscValue]) -> tuple[str, list[float]]:
    """Return the name in a message, and the numbers of its position and rotation (7)."""
    numbers = [value for value in values[1:8] if isinstance(value, float)]
    if len(numbers) < 7 or not isinstance(values[0], str):
        raise BadPacketError("a pose without its name and seven numbers")
    return values[0], numbers


def _number(values: Sequence[OscValue]) -> float:
    if not values or not isinstance(values[0], float) or not np.isfinite(values[0]):
        raise BadPacketError("a time that is not a number")
    return float(values[0])
