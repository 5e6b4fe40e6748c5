"""A marker file for the installed extension: eight markers of a person who walks."""

from __future__ import annotations

import math
from pathlib import Path

RATE_HZ = 50.0
FRAMES = 40
PLACES_MM = {
    "LFHD": (90, 70, 1700),
    "RFHD": (90, -70, 1700),
    "LASI": (100, 120, 1000),
    "RASI": (100, -120, 1000),
    "LANK": (0, 90, 80),
    "RANK": (0, -90, 80),
    "LTOE": (150, 100, 40),
    "RTOE": (150, -100, 40),
}


def write_walk(path: Path) -> Path:
    """Write a TRC file, and return its path."""
    rate = f"{RATE_HZ}\t{RATE_HZ}\t{FRAMES}\t{len(PLACES_MM)}\tmm\t{RATE_HZ}\t1\t{FRAMES}"
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        rate,
        "Frame#\tTime\t" + "\t\t\t".join(PLACES_MM) + "\t\t\t",
        "\t\t" + "\t".join(f"{axis}{n + 1}" for n in range(len(PLACES_MM)) for axis in "XYZ"),
        "",
    ]
    for frame in range(FRAMES):
        forward, up = 20.0 * frame, 10.0 * math.sin(0.3 * frame)
        cells = [f"{x + forward}\t{y}\t{z + up}" for x, y, z in PLACES_MM.values()]
        lines.append("\t".join([str(frame + 1), f"{frame / RATE_HZ}", *cells]))
    path.write_text("\n".join(lines) + "\n")
    return path
