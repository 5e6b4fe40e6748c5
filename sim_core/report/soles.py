"""Contact of sole points with the ground: sliding and penetration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray, IntArray
from ..reference.contacts import REFERENCE_LEG_LENGTH, detect_contacts
from ..result import metrics
from ..world.ground import ObjectState
from ..world.start_state import initial_object_state
from ..world.world import World

FEET = (0, 1)
DEEPEST = 1.0
"""Ground that is further below a point is ignored [m]."""


@dataclass(frozen=True, eq=False)
class Soles:
    """K sole points over time.

    points (T, K, 3) [m]; loaded (T, K): whether they carry weight; foot (K): 0 or 1
    ground_height (T, K) [m], ground_velocity (T, K, 3) [m/s]: of the surface below them
    """

    points: FloatArray
    loaded: BoolArray
    foot: IntArray
    ground_height: FloatArray
    ground_velocity: FloatArray

    @property
    def height(self) -> FloatArray:
        """Height above the ground (T, K) [m]."""
        return self.points[..., 2] - self.ground_height

    def slip(self, dt: float) -> FloatArray:
        """Return the speeds of feet relative to the surface below (T, 2), 0 in the air [m/s].

        The speed of a foot is that of its slowest loaded point: a foot that only rolls or turns has one at
        rest.
        """
        speed = 0.01 * metrics.slip_cm_s(self.points, dt, self.ground_velocity)
        slowest = [
            np.where(self.loaded, speed, np.inf)[:, self.foot == f].min(axis=1, initial=np.inf) for f in FEET
        ]
        slip = np.stack(slowest, axis=1)
        return np.where(np.isfinite(slip), slip, 0.0)

    @property
    def depth(self) -> FloatArray:
        """Depth of each foot's deepest point below the ground (T, 2), 0 above it [m]."""
        sunk = np.maximum(-self.height, 0.0)
        return np.stack([sunk[:, self.foot == f].max(axis=1, initial=0.0) for f in FEET], axis=1)


def sole_points(world: World, positions: FloatArray, quaternions: FloatArray) -> FloatArray:
    """Return sole points in the world (T, K, 3) from segment poses (T, S, 3) and (T, S, 4)."""
    index = world.index
    segment = index.segment_of(index.support_body[: index.soles])
    return positions[:, segment] + rotations.rotate(
        quaternions[:, segment], index.support_point[: index.soles]
    )


def simulated_soles(
    world: World, points: FloatArray, contact_force: FloatArray, objects: Iterable[ObjectState]
) -> Soles:
    """Return sole points (T, K, 3) of a simulation with their contact forces (T, >=K, 3)."""
    found = [world.ground.below(*seen) for seen in zip(points, objects, strict=True)]
    height = np.maximum([surface.height for surface in found], points[..., 2] - DEEPEST)
    loaded = np.linalg.norm(contact_force[:, : points.shape[1]], axis=-1) > metrics.LOADED_N
    velocity = np.array([surface.velocity for surface in found])
    return Soles(points, loaded, _feet(world), height, velocity)


def floor_level(world: World, points: FloatArray) -> FloatArray:
    """Return the height (T, K) [m] of the flat floor that a clip was made for, at points (T, K, 3)."""
    return np.full(points.shape[:2], world.ground_height)


def ground_level(world: World, points: FloatArray) -> FloatArray:
    """Return the height (T, K) [m] of the ground below points (T, K, 3), with the objects at their start."""
    objects = initial_object_state(world)
    found = np.array([world.ground.below(seen, objects).height for seen in points])
    return np.maximum(found, points[..., 2] - DEEPEST)


def captured_soles(
    world: World, points: FloatArray, level: FloatArray, com: FloatArray, dt: float, leg_length: float
) -> Soles:
    """Return sole points (T, K, 3) of a motion that was not simulated, on ground at levels (T, K).

    com (T, 3)
    """
    above = points - level[..., None] * Z_UP
    com_above = com - level.mean() * Z_UP
    loaded = detect_contacts(above, com_above, _feet(world), dt, leg_length / REFERENCE_LEG_LENGTH)
    return Soles(points, loaded, _feet(world), level, np.zeros(points.shape))


def _feet(world: World) -> IntArray:
    return world.index.foot_of_support[: world.index.soles]
