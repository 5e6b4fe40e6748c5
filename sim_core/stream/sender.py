"""Sends a motion as VMC, so that a stream can be tried without a suit.

Packets are those of python-osc, one bundle for each frame. A bad network can be tried, too: packets that are
lost, that come in another order, and pauses.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from pythonosc.osc_bundle import OscBundle
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message import OscMessage
from pythonosc.osc_message_builder import ArgValue, OscMessageBuilder
from pythonosc.udp_client import UDPClient

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..base.errors import InputError
from .performer import BONES, PARENTS, PerformerFrame, quaternion_to_unity, vector_to_unity
from .performer_rig import PerformerRig
from .receiver import LAST_PORT, checked_address
from .vmc import BONE, ROOT, STATE, TIME

TimedPacket = tuple[float, OscBundle]
"""When a packet is due [s], and the packet."""
CALIBRATED = 3
"""State of calibration of a sender that is ready (VMC 2.5)."""
BONES_A_PACKET = 12
"""Bones whose messages fit into 1400 bytes."""
REORDERED_BY = 3
"""A packet that comes late is sent after this many others."""


@dataclass(frozen=True)
class BadNetwork:
    """What is done to packets on purpose.

    lost, reordered: shares of the packets; gap_s: length of pauses [s], once in every gap_every_s [s]
    seed: of the random choice
    """

    lost: float = 0.0
    reordered: float = 0.0
    gap_s: float = 0.0
    gap_every_s: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("lost", self.lost), ("reordered", self.reordered)):
            if not 0.0 <= value < 1.0:
                raise InputError(f"{name} is {value:g}; give a share of the packets, from 0 to below 1.")
        if not 0.0 <= self.gap_s < self.gap_every_s:
            raise InputError(f"A pause is {self.gap_s:g} s; give 0 to below {self.gap_every_s:g} s.")


def vmc_packets(rig: PerformerRig, frames: Iterable[PerformerFrame]) -> Iterator[TimedPacket]:
    """Yield time [s] and packets of each frame of a performer with the proportions of a rig.

    A frame is split so that no packet is longer than an Ethernet frame; every part states its time.
    """
    offsets = _offsets(rig)
    for frame in frames:
        for first in range(0, len(BONES), BONES_A_PACKET):
            bundle = OscBundleBuilder(IMMEDIATELY)
            bundle.add_content(_message(STATE, 1, CALIBRATED, 0, 1))
            bundle.add_content(_message(TIME, float(frame.time_s)))
            bundle.add_content(_message(ROOT, "root", *_numbers(np.zeros(3), IDENTITY_QUATERNION)))
            for bone in range(first, min(first + BONES_A_PACKET, len(BONES))):
                place = frame.hips if bone == 0 else offsets[bone]
                bundle.add_content(_message(BONE, BONES[bone], *_numbers(place, frame.turn[bone])))
            yield frame.time_s, bundle.build()


def disturbed(packets: Iterable[TimedPacket], network: BadNetwork) -> Iterator[TimedPacket]:
    """Yield what a bad network delivers, in the order in which it comes: time [s] and packet."""
    choice, waiting, at = random.Random(network.seed), list[tuple[int, OscBundle]](), 0.0
    for number, (at, packet) in enumerate(packets):
        yield from ((at, late) for due, late in waiting if due <= number)
        waiting = [late for late in waiting if late[0] > number]
        paused = network.gap_s > 0.0 and at % network.gap_every_s >= network.gap_every_s - network.gap_s
        if paused or choice.random() < network.lost:
            continue
        if choice.random() < network.reordered:
            waiting.append((number + REORDERED_BY, packet))
        else:
            yield at, packet
    yield from ((at, late) for _, late in waiting)


def send(packets: Iterable[TimedPacket], address: str, port: int, pace: float) -> int:
    """Send packets at their times, `pace` times as fast as they were made; return how many were sent."""
    if not 0.01 <= pace <= 100.0:
        raise InputError(f"The pace is {pace:g}; choose 0.01 to 100.")
    if not 0 < port <= LAST_PORT:
        raise InputError(f"The port {port} does not exist; choose one from 1 to {LAST_PORT}.")
    began, sent = time.monotonic(), 0
    with UDPClient(checked_address(address), port) as client:
        for at, packet in packets:
            time.sleep(max(began + at / pace - time.monotonic(), 0.0))
            try:
                client.send(packet)
            except OSError as problem:
                raise InputError(
                    f"Nothing can be sent to {address}, port {port} ({problem.strerror}); check the address "
                    "and the network."
                ) from problem
            sent += 1
    return sent


def _offsets(rig: PerformerRig) -> FloatArray:
    """Return the positions of the performer's bones against their parents in the T-pose (B, 3) [m]."""
    heads: FloatArray = np.full((len(BONES), 3), np.nan)
    binding = rig.binding
    turn = rotations.multiply(rig.t_pose, rotations.conjugate(binding.rest_quaternion_world))
    for segment, bone in enumerate(rig.bone.tolist()):
        heads[bone] = binding.skeleton.rest_position_world[binding.joint[segment]]
    offsets: FloatArray = np.zeros((len(BONES), 3))
    segment_of = {bone: segment for segment, bone in enumerate(rig.bone.tolist())}
    for bone in range(1, len(BONES)):
        above = int(PARENTS[bone])
        while above not in segment_of:
            above = int(PARENTS[above])
        if bone in segment_of:
            offsets[bone] = rotations.rotate(turn[segment_of[above]], heads[bone] - heads[above])
    return offsets


def _numbers(place: FloatArray, turn: FloatArray) -> list[float]:
    return [float(value) for value in (*vector_to_unity(place), *quaternion_to_unity(turn))]


def _message(address: str, *values: ArgValue) -> OscMessage:
    builder = OscMessageBuilder(address)
    for value in values:
        builder.add_arg(value)
    return builder.build()
