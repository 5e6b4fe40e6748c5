"""Measures of a motion that was not simulated: the source, or one that was made plausible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..analysis.analysis import Analysis
from ..analysis.clip_dynamics import LEAST_SAMPLES, DynamicsSettings, analyse_scenario
from ..base.conventions import FloatArray, IntArray
from ..character.posing import centre_of_mass
from ..motion.motion import Motion
from ..result import metrics
from ..scenario.scenario import Scenario
from ..world.world import World
from .soles import Soles, captured_soles, floor_level, ground_level, sole_points

Poses = tuple[FloatArray, FloatArray]
Level = Callable[[World, FloatArray], FloatArray]
"""Returns heights (T, K) of the ground below points (T, K, 3) [m]."""


@dataclass(frozen=True, eq=False)
class MotionMeasures:
    """Centre of mass (T, 3) [m] and soles at an interval dt [s]; forces: None if the motion is too short."""

    com: FloatArray
    soles: Soles
    dt: float
    forces: Analysis | None

    def source_arrays(self) -> dict[str, Any]:
        """Return the arrays of a source for the result file."""
        return {
            "source_com": self.com,
            "source_foot_slip": self.soles.slip(self.dt),
            "source_foot_depth": self.soles.depth,
            **self.force_arrays("source"),
        }

    def force_arrays(self, prefix: str) -> dict[str, Any]:
        """Return the forces for the result file; empty if no forces are known."""
        if self.forces is None:
            return {}
        samples = len(self.com)
        return {
            f"{prefix}_foot_force": self.forces.foot_force[:samples],
            f"{prefix}_torque": self.forces.torque[:samples],
            f"{prefix}_residual": self.forces.residual[:samples],
        }

    def figures(self, quaternion_world: FloatArray, parent: IntArray) -> metrics.MotionMetrics:
        """Return the measures; quaternion_world (T, J, 4): of the joints, parent (J): index of the parent."""
        deepest, depth = metrics.penetration_mm(self.soles.height)
        return metrics.MotionMetrics(
            seconds=(len(self.com) - 1) * self.dt,
            full=True,
            skate_cm_s=metrics.skate_cm_s(self.soles.points, self.soles.loaded, self.dt),
            penetration_max_mm=deepest,
            penetration_mean_mm=depth,
            jitter_deg=metrics.jitter_deg(quaternion_world, parent, self.dt),
        )


def measure_source(scenario: Scenario, world: World, poses: Poses, dt: float) -> MotionMeasures:
    """Measure a source on the flat floor that it was made for.

    poses: of segments, (T, S, 3) and (T, S, 4)
    """
    return _measure(scenario, world, poses, floor_level, dt)


def measure_plausible(
    scenario: Scenario, world: World, poses: Poses, motion: Motion, dt: float
) -> MotionMeasures:
    """Measure a motion on the scene's ground.

    motion: of the bones, poses: of segments, (T, S, 3), (T, S, 4)
    """
    return _measure(replace(scenario, repaired=motion), world, poses, ground_level, dt)


def _measure(scenario: Scenario, world: World, poses: Poses, level: Level, dt: float) -> MotionMeasures:
    com = centre_of_mass(scenario.spec, *poses)
    points = sole_points(world, *poses)
    soles = captured_soles(world, points, level(world, points), com, dt, scenario.leg_length)
    forces = (
        analyse_scenario(scenario, DynamicsSettings(), world=world) if len(com) >= LEAST_SAMPLES else None
    )
    return MotionMeasures(com, soles, dt, forces)


def foot_names(world: World) -> np.ndarray:
    """Return the names of the bodies that Soles.foot refers to."""
    return np.array(world.spec.names)[world.index.foot_segments]
