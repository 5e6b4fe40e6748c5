"""Tracking error over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray, IntArray
from sim_core.result import metrics


@dataclass(frozen=True, eq=False)
class Poses:
    """root (T, 3) [m]; quaternion_world (T, J, 4)."""

    root: FloatArray
    quaternion_world: FloatArray


def squared_error(new: Poses, reference: Poses, parent: IntArray) -> FloatArray:
    """Squared distance of the poses (T): angles of all joints [rad] and the root's distance [m].

    Figures 3 to 6 of da Silva et al. 2008 show such an error, without saying its units.
    """
    local = metrics.local_rotations(new.quaternion_world, parent)
    wanted = metrics.local_rotations(reference.quaternion_world, parent)
    angle = rotations.angle_between(local, wanted)
    distance = np.linalg.norm(new.root - reference.root, axis=1)
    return (angle**2).sum(axis=1) + distance**2
