"""How small errors of bones add up in the world."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..motion.skeleton import NO_PARENT


@dataclass(frozen=True, eq=False)
class Tree:
    """Bones (N), parents first, at F frames.

    parents (N): NO_PARENT for roots; position_world (F, N, 3) [m]
    turns_with_parent (N): False for bones that keep their direction when their parent turns
    """

    parents: IntArray
    position_world: FloatArray
    turns_with_parent: tuple[bool, ...]

    @cached_property
    def carried(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """For each bone, itself and all that it carries, and by which of them it swings each.

        That is the carried bone itself, or a bone above it that does not turn with its parent.
        """
        return tuple(self._carried(bone) for bone in range(len(self.parents)))

    def _carried(self, bone: int) -> tuple[IntArray, IntArray]:
        swung = {bone: bone}
        for own in range(bone + 1, len(self.parents)):
            above = int(self.parents[own])
            if above == NO_PARENT or above not in swung:
                continue
            stops = swung[above] != above or (above != bone and not self.turns_with_parent[above])
            swung[own] = swung[above] if stops else own
        return np.array(list(swung)), np.array(list(swung.values()))

    def turned(self, bone: int) -> IntArray:
        """Which of the bones that one carries, itself among them, turn with it."""
        bones, swung = self.carried[bone]
        own = np.array([b == bone or self.turns_with_parent[b] for b in bones])
        return bones[(bones == swung) & own]

    def reach(self, bone: int) -> FloatArray:
        """From a bone to what it swings (F, 3, len(carried)) [m]."""
        away = self.position_world[:, self.carried[bone][1]] - self.position_world[:, bone, None]
        return np.ascontiguousarray(np.swapaxes(away, 1, 2))


def swung(turn: FloatArray, reach: FloatArray) -> FloatArray:
    """How far small turns (F, 3) [rad] move what is so far away (F, 3, n) [m].

    To first order: of a turn of half a degree, 1 m away, the rest is 0.04 mm.
    """
    x, y, z = turn.T[:, :, None]
    a, b, c = reach[:, 0], reach[:, 1], reach[:, 2]
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=1)
