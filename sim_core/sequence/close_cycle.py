"""Closing the gap between the end of a simulated cycle and its beginning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.intervals import smooth_step
from ..motion.local_poses import composed, seen_from_parents
from ..motion.skeleton import NO_PARENT
from .cycle import Cycle


@dataclass(frozen=True, eq=False)
class Closed:
    """Poses of a cycle whose ends match: (F, M, 3), (F, M, 4).

    gap_deg, gap_mm: how far the ends were apart, of the joint that was most, and of the root
    """

    position: FloatArray
    quaternion: FloatArray
    gap_deg: float
    gap_mm: float


def closed(
    time: FloatArray, position: FloatArray, quaternion: FloatArray, parents: IntArray, cycle: Cycle
) -> Closed:
    """Joints' own rotations and the root's path bent so that the last frame is the first one, a cycle on.

    time (F), position (F, M, 3), quaternion (F, M, 4), parents (M): parents first
    """
    offset, own = seen_from_parents(position, quaternion, parents)
    share = (time - time[0]) / (time[-1] - time[0])
    # A step to the gap, and a bend that changes only the speed at the end.
    step, bend = smooth_step(share), (share**3 - share**2) * (time[-1] - time[0])
    roots = parents == NO_PARENT
    first_turn, first_place = own[0].copy(), offset[0].copy()
    first_turn[roots] = rotations.multiply(cycle.turn, own[0, roots])
    first_place[roots] = rotations.rotate(cycle.turn, offset[0, roots]) + cycle.travel
    gap = rotations.to_vector(rotations.multiply(first_turn, rotations.conjugate(own[-1])))
    early, late = _speed(own[:2], time[:2]), _speed(own[-2:], time[-2:])
    early[roots] = rotations.rotate(cycle.turn, early[roots])
    turn = step[:, None, None] * gap + bend[:, None, None] * (early - late)
    new = rotations.multiply(rotations.from_vector(turn), own)
    away = (first_place - offset[-1]) * roots[:, None]
    begins = rotations.rotate(cycle.turn, (offset[1] - offset[0]) / (time[1] - time[0]))
    ends = (offset[-1] - offset[-2]) / (time[-1] - time[-2])
    path = offset + step[:, None, None] * away + bend[:, None, None] * (begins - ends) * roots[:, None]
    place, world = composed(path, new, parents)
    return Closed(
        place,
        world,
        float(np.degrees(np.linalg.norm(gap, axis=-1).max())),
        1000.0 * float(np.linalg.norm(away, axis=-1).max()),
    )


def _speed(pair: FloatArray, time: FloatArray) -> FloatArray:
    """Angular velocities (M, 3) between two samples of rotations (2, M, 4) [rad/s]."""
    turned = rotations.to_vector(rotations.multiply(pair[1], rotations.conjugate(pair[0])))
    return np.asarray(turned / (time[1] - time[0]))
