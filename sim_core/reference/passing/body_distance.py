"""Distances between a pose of the body and objects of the scene, by the engine."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from ...base.conventions import FloatArray
from ...world.ground import ObjectState
from ...world.start_state import initial_object_state
from ...world.world import World


class BodyDistance:
    """Measures how far shapes of the body are from those of an object."""

    def __init__(self, world: World) -> None:
        self.engine = world.engine
        self.model, self.data = world.engine.model, mujoco.MjData(world.engine.model)
        own = np.isin(self.model.geom_bodyid, world.engine.index.body)
        self.geoms = np.flatnonzero(own & ((self.model.geom_contype | self.model.geom_conaffinity) != 0))
        self.data.qpos[self.engine.objects.qpos] = initial_object_state(world).qpos

    def distance(self, pose: FloatArray, state: ObjectState, obj: int, most: float) -> float:
        """Return the distance of an object, at most `most` [m]; below zero inside of it."""
        self.data.qpos[self.engine.index.qpos] = pose
        self.place(state)
        return min(self._distances(obj, most), default=most)

    def place(self, state: ObjectState) -> None:
        """Put the objects where they are in a state."""
        self.data.qpos[self.engine.objects.qpos[: len(state.qpos)]] = state.qpos
        mujoco.mj_kinematics(self.model, self.data)

    def within(self, state: ObjectState, obj: int, point: FloatArray, reach: float) -> bool:
        """Return whether an object may be within a distance of a point on the floor [m]."""
        self.place(state)
        geoms = self.engine.objects.geoms_of(obj)
        apart = np.linalg.norm(self.data.geom_xpos[geoms, :2] - point[:2], axis=1)
        return bool((apart < self.model.geom_rbound[geoms] + reach).any())

    def _distances(self, obj: int, most: float) -> Iterator[float]:
        position, bound = self.data.geom_xpos, self.model.geom_rbound
        for other in self.engine.objects.geoms_of(obj):
            apart = np.linalg.norm(position[self.geoms] - position[other], axis=1)
            for geom in self.geoms[apart - bound[self.geoms] - bound[other] < most]:
                yield mujoco.mj_geomDistance(self.model, self.data, int(geom), int(other), most, None)
