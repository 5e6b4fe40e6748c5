"""Messages of OSC packets, read so that no packet can do harm.

python-osc reads single messages. Bundles are taken apart here, because its own reader goes round in circles
where a bundle's element has a negative size, and nests as deep as the packet wants. Types of values that
nobody sends are refused before, because it writes a warning for each of them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from pythonosc.osc_message import OscMessage, ParseError

from .performer import LARGEST_PACKET, BadPacketError

LARGEST_MESSAGE = 512
"""Bytes of a message; the longest that is read, a root with scale and offset, has 96."""
MOST_MESSAGES = 512
"""Messages in one packet; a whole body with fingers and face has fewer than 200."""
DEEPEST = 4
"""Bundles within bundles."""
BUNDLE, BUNDLE_HEAD = b"#bundle\0", 16
TYPES = re.compile(rb",[ifdsTF]*\0")

OscValue = str | int | float | bool


def read_messages(packet: bytes, prefix: bytes) -> list[tuple[str, list[OscValue]]]:
    """Return address and values of the messages in a packet whose addresses begin with a prefix."""
    if len(packet) > LARGEST_PACKET:
        raise BadPacketError("too long")
    found = []
    for count, message in enumerate(_messages(packet), start=1):
        if count > MOST_MESSAGES:
            raise BadPacketError("too many messages")
        if message.startswith(prefix):
            found.append(_read_message(message))
    return found


def _messages(packet: bytes) -> Iterator[bytes]:
    """Yield the single messages of a packet, however they are bundled."""
    waiting = [(packet, 0)]
    while waiting:
        element, depth = waiting.pop()
        if not element.startswith(BUNDLE):
            yield element
            continue
        if depth == DEEPEST:
            raise BadPacketError("bundles too deep")
        waiting.extend((part, depth + 1) for part in reversed(_elements(element)))
        if len(waiting) > MOST_MESSAGES:
            raise BadPacketError("too many messages")


def _elements(bundle: bytes) -> list[bytes]:
    elements, at = [], BUNDLE_HEAD
    while at < len(bundle):
        if at + 4 > len(bundle):
            raise BadPacketError("a bundle that is cut off")
        (size,) = struct.unpack_from(">i", bundle, at)
        if size <= 0 or size % 4 or at + 4 + size > len(bundle):
            raise BadPacketError("an element of impossible size")
        elements.append(bundle[at + 4 : at + 4 + size])
        at += 4 + size
    return elements


def _read_message(message: bytes) -> tuple[str, list[OscValue]]:
    if len(message) > LARGEST_MESSAGE:
        raise BadPacketError("a message that is too long")
    address, _, rest = message.partition(b"\0")
    if not TYPES.match(rest.lstrip(b"\0")):
        raise BadPacketError("values of unknown types")
    try:
        read = OscMessage(message)
    except (ParseError, ValueError, struct.error, IndexError) as problem:
        raise BadPacketError(str(problem)) from None
    if len(address) == len(message):
        raise BadPacketError("an address without an end")
    return read.address, list(read.params)
