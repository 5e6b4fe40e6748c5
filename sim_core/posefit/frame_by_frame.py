"""A whole take, frame by frame: each pose starts where the one before leads."""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from ..base.progress import FractionCallback, ignore_progress
from .engine_solver import EngineSolver, Pull

STEPS = 3
"""Gauss-Newton steps for each frame."""
FIRST_STEPS = 40
"""For the first frame, which starts from afar."""


def track(
    solver: EngineSolver,
    target: FloatArray,
    start: FloatArray,
    first: int,
    scale: float,
    steps: int = STEPS,
    report_fraction: FractionCallback = ignore_progress,
) -> FloatArray:
    """Poses (T, nq) for targets (T, M, 3): from frame `first` with pose `start` to both ends."""
    poses = np.zeros((len(target), len(start)))
    poses[first] = solver.solve(start, Pull(target[first], scale=scale), FIRST_STEPS)
    onwards, back = range(first + 1, len(target)), range(first - 1, -1, -1)
    done = 0
    for frames, before in ((onwards, -1), (back, 1)):
        for t in frames:
            poses[t] = solver.solve(poses[t + before], Pull(target[t], scale=scale), steps)
            done += 1
            if done % 100 == 0:
                report_fraction(done / len(target))
    return poses


def mean_pose(solver: EngineSolver, poses: FloatArray) -> FloatArray:
    """The pose in the middle of poses (T, nq); the root's place is the first pose's."""
    engine = solver.engine
    middle = poses[0]
    for _ in range(3):
        away = engine.differences(np.tile(middle, (len(poses), 1)), poses).mean(axis=0)
        middle = engine.moved(middle[None], away[None])[0]
    middle[:7] = poses[0, :7]
    return middle
