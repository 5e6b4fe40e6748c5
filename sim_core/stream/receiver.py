"""Listens to a stream: a UDP socket on this machine, read without waiting and in bounded portions.

This is the only module that opens a port. It listens on this machine's own address unless another one is
given, sends nothing, and takes packets of one sender at a time.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import Protocol

from ..base.errors import InputError
from .performer import LARGEST_PACKET, THIS_MACHINE, BadPacketError, PerformerFrame
from .pose_buffer import PoseBuffer, StreamCounts
from .rokoko import PORT as ROKOKO_PORT
from .rokoko import RokokoReader
from .vmc import PORT as VMC_PORT
from .vmc import VmcReader

LAST_PORT = 65535
"""The largest number of a port."""
MOST_PACKETS = 500
"""Packets that are read at once; what comes beyond that waits, or is dropped by the system."""
SILENT_S = 2.0
"""After this time without a packet of the sender, another one may take its place [s]."""
KERNEL_BYTES = 1 << 20
"""Bytes of packets that the system keeps for this socket until they are read."""


class FrameReader(Protocol):
    """Turns packets of a protocol into frames."""

    def read(self, packet: bytes, arrival_s: float) -> list[PerformerFrame]:
        """Return the frames that a packet completes; a malformed one raises BadPacketError."""
        ...


PROTOCOLS: dict[str, tuple[Callable[[], FrameReader], int]] = {
    "vmc": (VmcReader, VMC_PORT),
    "rokoko": (RokokoReader, ROKOKO_PORT),
}
"""Name -> reader and usual port."""


class Receiver:
    """A port that is listened to, and the frames that came.

    counts: what happened to the packets; buffer: the frames of the last seconds
    """

    def __init__(self, protocol: str, address: str = THIS_MACHINE, port: int | None = None) -> None:
        """Open the port; None is the protocol's usual one, and 0 any that is free."""
        reader, usual = PROTOCOLS[protocol]
        self.counts = StreamCounts()
        self.buffer = PoseBuffer(self.counts)
        self._new_reader, self._reader = reader, reader()
        self._sender: tuple[str, int] | None = None
        self._heard_s = 0.0
        self._socket = _open(checked_address(address), usual if port is None else port)

    @property
    def port(self) -> int:
        """The port that is listened to."""
        return int(self._socket.getsockname()[1])

    @property
    def heard_s(self) -> float:
        """When the sender was last heard, on the clock of `poll` [s]."""
        return self._heard_s

    def poll(self, now_s: float) -> list[PerformerFrame]:
        """Read the packets that have come, and return the frames in them.

        now_s: the time, on any clock that only goes forward [s]
        """
        frames: list[PerformerFrame] = []
        for _ in range(MOST_PACKETS):
            try:
                packet, sender = self._socket.recvfrom(LARGEST_PACKET)
            except BlockingIOError:
                break
            except OSError:  # such as a message that is longer than any that is read
                self.counts.packets += 1
                self.counts.dropped += 1
                continue
            frames += self.take(packet, sender, now_s)
        return frames

    def take(self, packet: bytes, sender: tuple[str, int], now_s: float) -> list[PerformerFrame]:
        """Read one packet, and return the frames that it completes."""
        counts = self.counts
        counts.packets += 1
        known = self._sender in (None, sender)
        if not known and now_s - self._heard_s < SILENT_S:
            counts.others += 1
            return []
        try:
            reader = self._reader if known else self._new_reader()
            frames = reader.read(packet, now_s)
        except BadPacketError as fault:
            counts.dropped += 1
            counts.last_fault = str(fault)
            return []
        self._reader, self._sender, self._heard_s = reader, sender, now_s
        for frame in frames:
            self.buffer.add(frame, now_s)
        return frames

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


def checked_address(address: str) -> str:
    """Return an address of this machine in numbers; names are not looked up, since that asks the network."""
    try:
        return str(ipaddress.IPv4Address("127.0.0.1" if address == "localhost" else address))
    except ValueError:
        raise InputError(
            f"'{address}' is no address; give four numbers: {THIS_MACHINE} is this machine alone, 0.0.0.0 "
            "all networks that it is in."
        ) from None


def _open(address: str, port: int) -> socket.socket:
    if not 0 <= port <= LAST_PORT:
        raise InputError(f"The port {port} does not exist; choose one from 1024 to {LAST_PORT}.")
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BYTES)
        opened.setblocking(False)
        opened.bind((address, port))
    except OSError as problem:
        opened.close()
        reason = problem.strerror or str(problem)
        raise InputError(
            f"Port {port} of {address} cannot be listened to ({reason}); close the program that uses it, or "
            "choose another port."
        ) from None
    return opened
