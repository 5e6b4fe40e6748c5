"""Jobs that read C3D files with libraries that a damaged file can crash; the limits end them in time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..base.worker_process import EventWriter, limit_resources
from ..markers.c3d_libraries import read_with_libraries
from ..markers.raw_points_file import save_points

CPU_S, BYTES_A_SECOND = 4.0, 2e6
"""Processor time that a file may take: for the start [s], and for its size."""
MEMORY, TIMES_THE_FILE = 1500 * 2**20, 30
"""Memory that reading may take: for the start [bytes], and as a multiple of the file's size."""


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Read each file."""
    size = sum(path.stat().st_size for path in job_paths)
    limit_resources(CPU_S + size / BYTES_A_SECOND, MEMORY + TIMES_THE_FILE * size)
    for path, result_path in zip(job_paths, result_paths, strict=True):
        save_points(read_with_libraries(path), result_path)
