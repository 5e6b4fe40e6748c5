"""A motion whose end goes over into its beginning, further on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..motion.motion import Motion
from ..result.metrics import local_rotations

WIDEST_DEG = 10.0
"""By which the joints of a loop's ends may differ on average."""
LEAD_SECONDS = 1.0
"""So long, or one cycle if that is longer, the simulation settles before the cycle that is taken."""


@dataclass(frozen=True, eq=False)
class Cycle:
    """One cycle of a motion.

    turn (4), travel (3) [m]: from the first frame to the last, about the vertical and over the ground
    lead: cycles before the one that is taken
    """

    motion: Motion
    turn: FloatArray
    travel: FloatArray
    lead: int

    @staticmethod
    def of(motion: Motion) -> Cycle:
        ends = motion.quaternion_world[[0, -1]]
        local = local_rotations(ends, motion.skeleton.parents)[:, 1:]
        apart = float(np.degrees(rotations.angle_between(local[0], local[1])).mean())
        if apart > WIDEST_DEG:
            raise InputError(
                f"The motion is no loop: its first and last frames differ by {apart:.0f} deg a joint; "
                "choose a range that begins and ends in the same pose."
            )
        turned = rotations.multiply(ends[1, 0], rotations.conjugate(ends[0, 0]))
        turn = rotations.about_vertical(rotations.heading(turned))
        travel = _travel(motion.position_world[:, 0], turn)
        return Cycle(motion, turn, travel, max(1, int(np.ceil(LEAD_SECONDS / motion.duration))))

    def travelled(self, root: FloatArray) -> FloatArray:
        """How far a root (T, 3) goes over the ground in a cycle that turns as this one does (3) [m]."""
        return _travel(root, self.turn)

    @property
    def frames(self) -> int:
        """From the first frame to the last."""
        return len(self.motion.time) - 1

    def unrolled(self) -> Motion:
        """The cycle with those before it and one after it, on its own time and in its own place."""
        ahead = [self.motion]
        for _ in range(2):
            ahead.append(self._on(ahead[-1]))
        behind = [self.motion]
        for _ in range(self.lead):
            behind.append(self._back(behind[-1]))
        # The last frame of one cycle is the first one of the next.
        parts = [*reversed(behind[1:]), *ahead[:2]]
        cut = [slice(0, -1)] * (len(parts) - 1) + [slice(None)]
        return Motion(
            self.motion.skeleton,
            np.concatenate([part.time[own] for part, own in zip(parts, cut, strict=True)]),
            np.concatenate([part.position_world[own] for part, own in zip(parts, cut, strict=True)]),
            np.concatenate([part.quaternion_world[own] for part, own in zip(parts, cut, strict=True)]),
        )

    def _on(self, motion: Motion) -> Motion:
        """A cycle later."""
        moved = motion.moved(self.travel, self.turn)
        return replace(moved, time=motion.time + self.motion.duration)

    def _back(self, motion: Motion) -> Motion:
        """A cycle earlier."""
        back = rotations.conjugate(self.turn)
        moved = motion.moved(-rotations.rotate(back, self.travel), back)
        return replace(moved, time=motion.time - self.motion.duration)


def _travel(root: FloatArray, turn: FloatArray) -> FloatArray:
    return np.asarray((root[-1] - rotations.rotate(turn, root[0])) * np.array([1.0, 1.0, 0.0]))
