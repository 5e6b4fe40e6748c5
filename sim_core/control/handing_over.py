"""One controller goes on where another one stops: where both plans meet, and how their frames differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray


@dataclass(frozen=True, eq=False)
class HandingOver:
    """Sample `earlier` of the plan that stops is sample `later` of the one that goes on.

    turn (4), shift (3) [m]: from the frame of the plan that stops to that of the other one
    """

    earlier: int
    later: int
    turn: FloatArray = field(default_factory=lambda: IDENTITY_QUATERNION)
    shift: FloatArray = field(default_factory=lambda: np.zeros(3))

    @property
    def moved(self) -> int:
        """Samples by which the later plan starts later than the other one."""
        return self.earlier - self.later

    def led(self, lead: int, left: int) -> HandingOver:
        """Return where plans meet that are ahead by some samples; left: samples that both of them have."""
        ahead = min(max(lead, -min(self.earlier, self.later)), left)
        return replace(self, earlier=self.earlier + ahead, later=self.later + ahead)

    def vectors(self, values: FloatArray) -> FloatArray:
        """Return directions (..., 3) in the later plan's frame."""
        return np.asarray(rotations.rotate(self.turn, values))

    def flat(self, values: FloatArray) -> FloatArray:
        """Return horizontal directions (..., 2) in the later plan's frame."""
        upright = np.zeros(values.shape[:-1] + (1,))
        return self.vectors(np.concatenate([values, upright], axis=-1))[..., :2]

    def points(self, values: FloatArray) -> FloatArray:
        """Return points (..., 3) in the later plan's frame [m]."""
        return self.vectors(values) + self.shift
