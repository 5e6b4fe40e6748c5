"""Frames of a running character in a file that both processes map: the latest one only, in a fixed layout.

The file begins with a head (its format, its length, the lengths of what follows) and a JSON object that names
bones and props. Behind it is one frame, which the simulation overwrites at each control interval: a counter,
a check sum, numbers, and the poses of bones and props as 32-bit floats. A reader that finds a check sum that
does not fit has met the writer at work, and looks again later. Neither side ever waits for the other.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..base.bounded_json import parse_json
from ..base.conventions import FloatArray
from ..base.errors import SimulationError
from ..base.json_files import to_json

MAGIC, VERSION = b"HEFTLIVE", 2
HEAD = struct.Struct("<8sIIII")  # magic, version, bytes of the names, bones, props
COUNT = struct.Struct("<QI")  # number of the frame, check sum
BODY = struct.Struct("<Qddddddi")
SUFFIX = ".frames"
STATES = ("follows its motion", "takes a step", "fell")
"""What a character does, by its number in a frame."""
Poses = NDArray[np.float32]


@dataclass(frozen=True)
class FrameNumbers:
    """Figures of a frame.

    tick: control intervals so far; sent_s: when it was written, on the system's clock [s]
    time_s: simulated time [s]; speed: simulated over real time; late_share: of the intervals, over 20 ms late
    assist_n: outside force at the hips [N]; pull_n: of the spring that pulls [N]; state: index into STATES
    """

    tick: int
    sent_s: float
    time_s: float
    speed: float
    late_share: float
    assist_n: float
    pull_n: float
    state: int


@dataclass(frozen=True)
class FrameNames:
    """What the poses of a frame belong to.

    segments: of each bone, the part of the body that carries it
    free: whether a bone has a place of its own, because no other mapped bone is above it
    radii [m]: of props that are balls, else zero, at the rig's own size
    """

    bones: tuple[str, ...]
    segments: tuple[str, ...]
    free: tuple[bool, ...]
    props: tuple[str, ...]
    radii: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Frame:
    """Figures, and poses (N, 7) of bones and props in the rig's world: position [m], quaternion.

    segments (M, 7): poses of the parts of the body that carry the bones
    source (M, 7): where the source has the bones: the motion as it was before forces, such as a performer's
    """

    numbers: FrameNumbers
    bones: Poses
    segments: Poses
    source: Poses
    props: Poses


class FrameWriter:
    """Writes frames into a new file."""

    def __init__(self, path: Path, names: FrameNames) -> None:
        text = to_json([list(own) for own in astuple(names)]).encode("utf-8")
        head = HEAD.pack(MAGIC, VERSION, len(text), len(names.bones), len(names.props))
        floats = 7 * (3 * len(names.bones) + len(names.props))
        self._begin = len(head) + len(text)
        size = self._begin + COUNT.size + BODY.size + 4 * floats
        part = path.with_suffix(".part")
        part.write_bytes((head + text).ljust(size, b"\0"))
        part.replace(path)  # whole or absent
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._count = 0

    def write(self, frame: Frame) -> None:
        """Put a frame in the place of the one before."""
        numbers = BODY.pack(*astuple(frame.numbers))
        rows = [frame.bones, frame.segments, frame.source, frame.props]
        poses = np.concatenate(rows).astype("<f4").tobytes()
        body, self._count = numbers + poses, self._count + 1
        at = self._begin
        self._map[at : at + COUNT.size] = COUNT.pack(self._count, zlib.crc32(body))
        self._map[at + COUNT.size : at + COUNT.size + len(body)] = body


class FrameReader:
    """Reads the frames of another process."""

    def __init__(self, path: Path) -> None:
        """Open a file of frames; it must be there."""
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, length, self._bones, props = HEAD.unpack_from(self._map)
        if magic != MAGIC or version != VERSION:
            raise SimulationError("The live simulation writes frames of another Heft; restart Blender.")
        text = self._map[HEAD.size : HEAD.size + length].decode("utf-8", "replace")
        bones, segments, free, named, radii = _lists(parse_json(text, "The file of frames"))
        self.names = FrameNames(
            tuple(map(str, bones)),
            tuple(map(str, segments)),
            tuple(map(bool, free)),
            tuple(map(str, named)),
            tuple(float(str(own)) for own in radii),
        )
        self._begin = HEAD.size + length
        self._floats = 7 * (3 * self._bones + props)
        self._read = 0

    def latest(self) -> Frame | None:
        """Return the newest frame; None if there is none since the last call, or one is being written."""
        count, check = COUNT.unpack_from(self._map, self._begin)
        if count == self._read:
            return None
        at = self._begin + COUNT.size
        body = self._map[at : at + BODY.size + 4 * self._floats]
        if zlib.crc32(body) != check:
            return None
        self._read = count
        poses = np.frombuffer(body, "<f4", offset=BODY.size).reshape(-1, 7)
        parts = np.split(poses, self._bones * np.arange(1, 4))
        return Frame(FrameNumbers(*BODY.unpack_from(body)), *parts)

    def close(self) -> None:
        """Let go of the file."""
        self._map.close()


def _lists(value: object) -> list[list[object]]:
    """Return the five lists of the names."""
    if not isinstance(value, list) or [type(own) for own in value] != [list] * 5:
        raise SimulationError("The live simulation's file of frames is broken; play again.")
    return value


def pose_rows(position: FloatArray, quaternion: FloatArray) -> Poses:
    """Return poses as rows (N, 7)."""
    return np.concatenate([position, quaternion], axis=1).astype(np.float32)
