"""The ground that a plan counts on, under each sole point at each sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import Z_UP, FloatArray


@dataclass(frozen=True, eq=False)
class Footing:
    """T samples, K sole points.

    base (T, K, 3) [m]: a place on the ground that goes where the ground goes. A resting point keeps its
    horizontal distance from its base; under a swinging point only the base's height counts
    normal (T, K, 3): of the ground about the base
    acceleration (T, K, 3) [m/s^2]: of the ground under resting points
    grip (T, K): share of the usual friction
    """

    base: FloatArray
    normal: FloatArray
    acceleration: FloatArray
    friction_scale: FloatArray

    def height(self, offset: FloatArray) -> FloatArray:
        """Of the ground (T, K), at horizontal offsets (T, K, 2) from the base [m]."""
        rise = -(self.normal[..., :2] * offset).sum(axis=-1) / self.normal[..., 2]
        return self.base[..., 2] + rise


def flat_footing(samples: int, points: int, level: float) -> Footing:
    everywhere = (samples, points, 3)
    return Footing(
        np.broadcast_to(level * Z_UP, everywhere),
        np.broadcast_to(Z_UP, everywhere),
        np.zeros(everywhere),
        np.ones((samples, points)),
    )
