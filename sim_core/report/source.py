"""The untouched motion of a bake, measured for the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import metrics
from ..character.posing import centre_of_mass
from ..character.take import Take
from ..conventions import FloatArray, IntArray
from ..dynamics.analysis import Analysis
from ..dynamics.clip import LEAST_SAMPLES, DynamicsSettings, analyse_take
from ..simulation.world import World
from .soles import Soles, captured_soles, sole_points


@dataclass(frozen=True, eq=False)
class SourceMeasures:
    """The source's com (T, 3) [m] and soles, dt apart [s]; forces: None where it is too short for any."""

    com: FloatArray
    soles: Soles
    dt: float
    forces: Analysis | None

    def arrays(self) -> dict[str, Any]:
        """For the result file."""
        arrays = {
            "source_com": self.com,
            "source_foot_slip": self.soles.slip(self.dt),
            "source_foot_depth": self.soles.depth,
        }
        if self.forces is None:
            return arrays
        samples = len(self.com)
        return arrays | {
            "source_foot_force": self.forces.foot_force[:samples],
            "source_torque": self.forces.torque[:samples],
            "source_residual": self.forces.residual[:samples],
        }

    def figures(self, quaternion_world: FloatArray, parent: IntArray) -> dict[str, Any]:
        """Measures under the names of metrics.Metrics; joints' rotations (T, J, 4), their parents (J)."""
        seconds = (len(self.com) - 1) * self.dt
        deepest, depth = metrics.penetration_mm(self.soles.height)
        return {
            "seconds": seconds,
            "up_s": seconds,
            "full": True,
            "skate_cm_s": metrics.skate_cm_s(self.soles.points, self.soles.loaded, self.dt),
            "penetration_max_mm": deepest,
            "penetration_mean_mm": depth,
            "jitter_deg": metrics.jitter_deg(quaternion_world, parent, self.dt),
        }


def measure_source(
    take: Take, world: World, poses: tuple[FloatArray, FloatArray], dt: float
) -> SourceMeasures:
    """poses: of segments, (T, S, 3) and (T, S, 4)."""
    com = centre_of_mass(take.spec, *poses)
    soles = captured_soles(world, sole_points(world, *poses), com, dt, take.leg_length)
    forces = analyse_take(take, DynamicsSettings()) if len(com) >= LEAST_SAMPLES else None
    return SourceMeasures(com, soles, dt, forces)


def foot_names(world: World) -> np.ndarray:
    """Bodies whose soles are meant, as in Soles.foot."""
    return np.array([world.spec.names[int(np.searchsorted(world.index.body, b))] for b in world.index.feet])
