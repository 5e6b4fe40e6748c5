"""Walk jobs: actions of a character and a curve in, the result of the walk along it out, as of a bake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.files import refuse_unwritable, write_text_atomically
from ..base.json_files import read_json_file, to_json
from ..base.progress import Progress
from ..base.worker_process import EventWriter
from .live_job import LiveJob, graph_for, load_live, save_live

CURVE_SUFFIX = ".curve.json"


@dataclass(frozen=True, eq=False)
class WalkJob:
    """The actions of a graph, and the points (N, 2 or 3) of the curve that is walked along [m]."""

    actions: LiveJob
    points: FloatArray


def save_walk(walk: WalkJob, path: Path) -> None:
    """Write the files of a walk; the first job, for which the worker waits, comes last."""
    write_text_atomically(path.with_suffix(CURVE_SUFFIX), to_json({"points": walk.points.tolist()}))
    save_live(walk.actions, path)


def load_walk(path: Path) -> WalkJob:
    """Read the files of a walk."""
    data = read_json_file(path.with_suffix(CURVE_SUFFIX), "curve")
    return WalkJob(load_live(path), np.array(data["points"], dtype=np.float64))


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Plan a walk through the graph of the actions, simulate it, and write the result."""
    from ..actions.along import walk_along  # here, because Blender needs only the files
    from ..actions.curve import Curve
    from .made_motion import bake_made

    path, walk = result_paths[0], load_walk(job_paths[0])
    refuse_unwritable(path)
    curve, first = Curve.through(walk.points), walk.actions.jobs[0]
    events.progress(Progress("Planning the walk", 0.0))
    found = walk_along(graph_for(walk.actions), curve)
    bake_made(first, found.motion, (found.note,), path, events)
