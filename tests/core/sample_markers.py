"""Small marker files, written byte by byte so that they can be wrong in any way."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from sim_core.base.conventions import FloatArray
from tools.installed_zip.markers import PLACES_MM

INTEL, MIPS = 84, 86
BLOCK = 512


def write_c3d(
    path: Path,
    labels: list[str],
    points: FloatArray,
    *,
    rate_hz: float = 100.0,
    unit: str = "mm",
    up: str = "+Z",
    processor: int = INTEL,
    first_frame: int = 1,
) -> Path:
    """A C3D file of points (T, M, 4): places in `unit` and residual; no analogue data."""
    end = "<" if processor == INTEL else ">"
    frames, count = points.shape[:2]
    parameters = _parameters(end, labels, frames, rate_hz, unit, up)
    blocks = -(-len(parameters) // BLOCK)
    header = bytearray(BLOCK)
    header[0:2] = bytes([2, 0x50])
    numbers = (count, 0, first_frame, first_frame + frames - 1, 0)
    header[2:12] = struct.pack(f"{end}5H", *numbers)
    header[12:16] = struct.pack(f"{end}f", -1.0)
    header[16:18] = struct.pack(f"{end}H", 2 + blocks)
    header[20:24] = struct.pack(f"{end}f", rate_hz)
    body = bytearray(parameters.ljust(BLOCK * blocks, b"\0"))
    body[0:4] = bytes([1, 0x50, blocks, processor])
    data = np.asarray(points).astype(f"{end}f4").tobytes()
    path.write_bytes(bytes(header) + bytes(body) + data.ljust(-(-len(data) // BLOCK) * BLOCK, b"\0"))
    return path


def _parameters(end: str, labels: list[str], frames: int, rate_hz: float, unit: str, up: str) -> bytes:
    width = max([4, *(len(label) for label in labels)])
    joined = "".join(label.ljust(width) for label in labels).encode("ascii")
    entries = [
        ("USED", 2, [], struct.pack(f"{end}h", len(labels))),
        ("FRAMES", 2, [], struct.pack(f"{end}h", frames)),
        ("DATA_START", 2, [], struct.pack(f"{end}h", 3)),
        ("SCALE", 4, [], struct.pack(f"{end}f", -1.0)),
        ("RATE", 4, [], struct.pack(f"{end}f", rate_hz)),
        ("UNITS", -1, [len(unit)], unit.encode()),
        ("Y_SCREEN", -1, [len(up)], up.encode()),
        ("LABELS", -1, [width, len(labels)], joined),
    ]
    text = b"\0\0\0\0" + _group(end, 1, "POINT")
    for name, kind, size, data in entries:
        text += _parameter(end, 1, name, kind, size, data)
    text += _group(end, 2, "ANALOG")
    text += _parameter(end, 2, "USED", 2, [], struct.pack(f"{end}h", 0))
    text += _parameter(end, 2, "RATE", 4, [], struct.pack(f"{end}f", 0.0))
    return text + b"\0\0"


def _group(end: str, number: int, name: str) -> bytes:
    return struct.pack("bb", len(name), -number) + name.encode() + struct.pack(f"{end}hB", 3, 0)


def _parameter(end: str, group: int, name: str, kind: int, size: list[int], data: bytes) -> bytes:
    body = struct.pack("bB", kind, len(size)) + bytes(size) + data + b"\0"
    return struct.pack("bb", len(name), group) + name.encode() + struct.pack(f"{end}h", 2 + len(body)) + body


def write_trc(
    path: Path,
    labels: list[str],
    points: FloatArray,
    *,
    rate: str = "100.0",
    unit: str = "mm",
    frames: int | None = None,
    numbers: list[int] | None = None,
) -> Path:
    """A TRC file of points (T, M, 3) in `unit`; NaN is written as an empty cell."""
    told = len(points) if frames is None else frames
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{told}\t{len(labels)}\t{unit}\t{rate}\t1\t{told}",
        "Frame#\tTime\t" + "\t\t\t".join(labels) + "\t\t\t",
        "\t\t" + "\t".join(f"{axis}{i + 1}" for i in range(len(labels)) for axis in "XYZ"),
        "",
    ]
    for i, frame in enumerate(points):
        number = i + 1 if numbers is None else numbers[i]
        cells = ["" if np.isnan(value) else f"{value:.6f}" for value in frame.reshape(-1)]
        lines.append("\t".join([str(number), f"{(number - 1) / 100.0:.6f}", *cells]))
    path.write_text("\n".join(lines) + "\n")
    return path


def standing_points(frames: int = 5) -> tuple[list[str], FloatArray]:
    """Eight markers of a person 1.7 m tall in millimetres, Z up, moving forward (T, 8, 3)."""
    points = np.tile(np.array(list(PLACES_MM.values()), dtype=np.float64), (frames, 1, 1))
    points[:, :, 0] += 10.0 * np.arange(frames)[:, None]
    return list(PLACES_MM), points
