"""Cyclic motions: a motion whose end continues at its start, and the closing of a simulated cycle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..base.intervals import smooth_step
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, local_from_world, world_from_local
from ..result.metrics import local_rotations

WIDEST_DEG = 10.0
"""Largest mean difference of joints between the ends of a loop [deg]."""
BEND_SECONDS = 0.2
"""Speeds are made to match over this time before the end [s]; a longer one would carry a joint far away."""
LEAD_SECONDS = 1.0
"""The simulation settles for this time, or one cycle if that is longer, before the cycle that is kept [s]."""


@dataclass(frozen=True, eq=False)
class Cycle:
    """One cycle of a motion.

    turn (4), travel (3) [m]: from the first frame to the last, about the vertical and over the ground
    lead: number of cycles before the one that is kept
    """

    motion: Motion
    turn: FloatArray
    travel: FloatArray
    lead: int

    @staticmethod
    def of(motion: Motion, carrier: int = 0, lead_s: float = LEAD_SECONDS) -> Cycle:
        """Return a motion as a cycle whose ends match; raise InputError if they differ too much.

        carrier: the bone that carries the body over the ground, such as the hips
        lead_s: for which a simulation settles at least before the cycle that is kept [s]
        """
        ends = motion.quaternion_world[[0, -1]]
        local = local_rotations(ends, motion.skeleton.parents)[:, 1:]
        apart = float(np.degrees(rotations.angle_between(local[0], local[1])).mean())
        if apart > WIDEST_DEG:
            raise InputError(
                f"The motion is no loop: its first and last frames differ by {apart:.0f} deg a joint; "
                "choose a range that begins and ends in the same pose."
            )
        turned = rotations.multiply(ends[1, carrier], rotations.conjugate(ends[0, carrier]))
        turn = rotations.about_vertical(rotations.heading(turned))
        travel = _travel(motion.position_world[:, carrier], turn)
        lead = max(1, int(np.ceil(lead_s / motion.duration)))
        return Cycle(motion, turn, travel, lead)._with_matching_ends(carrier)

    def _with_matching_ends(self, carrier: int) -> Cycle:
        """Return the cycle with the gap between its poses spread over it; speeds stay as they are."""
        motion, parents = self.motion, self.motion.skeleton.parents.copy()
        parents[carrier] = NO_PARENT  # It goes with the travel, whatever the bones above it do.
        ends = close_cycle(
            motion.time, motion.position_world, motion.quaternion_world, parents, self, match_speed=False
        )
        return replace(self, motion=Motion(motion.skeleton, motion.time, ends.position, ends.quaternion))

    def travelled(self, root: FloatArray) -> FloatArray:
        """Return the displacement (3) [m] of a root (T, 3) over the ground in a cycle with this turn."""
        return _travel(root, self.turn)

    @property
    def frames(self) -> int:
        """Number of frames from the first to the last."""
        return len(self.motion.time) - 1

    def unrolled(self) -> Motion:
        """Return the cycle with those before it and one after it, at its own time and position."""
        ahead = [self.motion]
        for _ in range(2):
            ahead.append(self._next(ahead[-1]))
        behind = [self.motion]
        for _ in range(self.lead):
            behind.append(self._previous(behind[-1]))
        # The last frame of one cycle is the first one of the next.
        parts = [*reversed(behind[1:]), *ahead[:2]]
        cut = [slice(0, -1)] * (len(parts) - 1) + [slice(None)]
        return Motion(
            self.motion.skeleton,
            np.concatenate([part.time[own] for part, own in zip(parts, cut, strict=True)]),
            np.concatenate([part.position_world[own] for part, own in zip(parts, cut, strict=True)]),
            np.concatenate([part.quaternion_world[own] for part, own in zip(parts, cut, strict=True)]),
        )

    def _next(self, motion: Motion) -> Motion:
        """Return the motion one cycle later."""
        moved = motion.moved(self.travel, self.turn)
        return replace(moved, time=motion.time + self.motion.duration)

    def _previous(self, motion: Motion) -> Motion:
        """Return the motion one cycle earlier."""
        back = rotations.conjugate(self.turn)
        moved = motion.moved(-rotations.rotate(back, self.travel), back)
        return replace(moved, time=motion.time - self.motion.duration)


def _travel(root: FloatArray, turn: FloatArray) -> FloatArray:
    return np.asarray((root[-1] - rotations.rotate(turn, root[0])) * np.array([1.0, 1.0, 0.0]))


@dataclass(frozen=True, eq=False)
class ClosedCycle:
    """Poses of a cycle whose ends match: (F, M, 3), (F, M, 4).

    gap_deg, gap_mm: largest gap between the ends that was closed, of the joints and of the root
    """

    position: FloatArray
    quaternion: FloatArray
    gap_deg: float
    gap_mm: float


def close_cycle(
    time: FloatArray,
    position: FloatArray,
    quaternion: FloatArray,
    parents: IntArray,
    cycle: Cycle,
    match_speed: bool = True,
) -> ClosedCycle:
    """Bend joint rotations and the paths of bones so that the last frame is the first one of the next cycle.

    time (F), position (F, M, 3), quaternion (F, M, 4), parents (M): parents first
    match_speed: whether speeds become those of the first frame, too
    """
    offset, own = local_from_world(position, quaternion, parents)
    # A step that closes the gap, and a bend that changes only the velocity at the end.
    step = smooth_step((time - time[0]) / (time[-1] - time[0]))
    bend = _bend(time) if match_speed else np.zeros(len(time))
    roots = parents == NO_PARENT
    first_turn, first_position = own[0].copy(), offset[0].copy()
    first_turn[roots] = rotations.multiply(cycle.turn, own[0, roots])
    first_position[roots] = rotations.rotate(cycle.turn, offset[0, roots]) + cycle.travel
    gap = rotations.to_vector(rotations.multiply(first_turn, rotations.conjugate(own[-1])))
    early, late = _speed(own[:2], time[:2]), _speed(own[-2:], time[-2:])
    early[roots] = rotations.rotate(cycle.turn, early[roots])
    turn = step[:, None, None] * gap + bend[:, None, None] * (early - late)
    new = rotations.multiply(rotations.from_vector(turn), own)
    # Not only of the root: bones that are keyed apart, or whose heads lie beside their joints, shift, too.
    away = first_position - offset[-1]
    start_speed = (offset[1] - offset[0]) / (time[1] - time[0])
    start_speed[roots] = rotations.rotate(cycle.turn, start_speed[roots])
    end_speed = (offset[-1] - offset[-2]) / (time[-1] - time[-2])
    path = offset + step[:, None, None] * away + bend[:, None, None] * (start_speed - end_speed)
    world_position, world_quaternion = world_from_local(path, new, parents)
    return ClosedCycle(
        world_position,
        world_quaternion,
        float(np.degrees(np.linalg.norm(gap, axis=-1).max())),
        1000.0 * float(np.linalg.norm(away[roots], axis=-1).max()),
    )


def _bend(time: FloatArray) -> FloatArray:
    """Return a curve (F) that ends at zero with a slope of one, and is zero but for its last part."""
    seconds = min(BEND_SECONDS, float(time[-1] - time[0]))
    share = np.clip(1.0 - (time[-1] - time) / seconds, 0.0, 1.0)
    return np.asarray((share**3 - share**2) * seconds)


def _speed(pair: FloatArray, time: FloatArray) -> FloatArray:
    """Return angular velocities (M, 3) between two samples of rotations (2, M, 4) [rad/s]."""
    turned = rotations.to_vector(rotations.multiply(pair[1], rotations.conjugate(pair[0])))
    return np.asarray(turned / (time[1] - time[0]))
