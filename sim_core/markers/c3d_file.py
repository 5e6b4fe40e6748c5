"""Reader of C3D files: the layout is checked here, the rest is read in a child process with limits."""

from __future__ import annotations

from pathlib import Path

from ..base.reading_child import read_in_child
from .c3d_layout import c3d_bytes, refuse_broken_layout
from .c3d_libraries import found_libraries
from .raw_points import RawPoints
from .raw_points_file import load_points


def read_c3d(path: Path) -> RawPoints:
    """Read all points, force plates and outputs of a file."""
    refuse_broken_layout(c3d_bytes(path), path)
    return read_in_child(path, "c3d", ("numpy", *found_libraries()), load_points)
