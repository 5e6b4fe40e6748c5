"""Queries for the surface below a point, on which a foot would stand there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import mujoco
import numpy as np

from ..base.conventions import Z_UP, FloatArray, IntArray, frozen
from ..scene.scene import DEFAULT_FRICTION, Role, Scene
from ..scene.shapes import Plane
from .scene_model import add_objects, index_objects

FLOOR, NOTHING = -1, -2
"""Stand-ins for an object's index: the flat floor; no surface at all."""
HEADROOM = 0.3
"""How far above a point the search starts, because the point may be inside an object [m]."""
_DOWN = -Z_UP
_FLOOR_NAME = "floor"
_LAYERS = 8
"""Largest number of back faces that a ray passes before the search ends."""
_FEW = 64
"""The floor below so many points is kept: a controller asks for that below two soles at every tick."""


@dataclass(frozen=True, eq=False)
class ObjectState:
    """Joint coordinates of a scene's objects: qpos (7 M + H + 7 P), qvel (6 M + H + 6 P).

    Moving objects (M) come first, then hinged ones (H), then props (P), which may be left out where only
    the ground matters.
    """

    qpos: FloatArray = field(default_factory=lambda: np.zeros(0))
    qvel: FloatArray = field(default_factory=lambda: np.zeros(0))


NO_OBJECTS = ObjectState()


@dataclass(frozen=True, eq=False)
class Surface:
    """The surface below each of N points.

    height (N) [m]: minus infinity where there is nothing; normal (N, 3)
    velocity (N, 3): velocity of the surface where a point would touch it [m/s]
    object (N): index of the object in the scene, or FLOOR or NOTHING
    friction_scale (N): friction as a share of the usual one, at most 1, because more is not relied on
    """

    height: FloatArray
    normal: FloatArray
    velocity: FloatArray
    object: IntArray
    friction_scale: FloatArray


class Ground(Protocol):
    """What a character can stand on."""

    def below(
        self, points: FloatArray, state: ObjectState = NO_OBJECTS, headroom: float = HEADROOM
    ) -> Surface:
        """Find the first surface straight below each point (N, 3), starting `headroom` above it [m]."""
        ...

    def pose(self, object_index: int, state: ObjectState) -> tuple[FloatArray, FloatArray]:
        """Return position (3) and rotation matrix (3, 3) of an object; the floor's frame is the world's."""
        ...


def _floor_below(level: float, count: int) -> Surface:
    """Return the floor below some points; the arrays are shared, and cannot be written to."""
    return Surface(
        frozen(np.full(count, level)),
        frozen(np.tile(Z_UP, (count, 1))),
        frozen(np.zeros((count, 3))),
        frozen(np.full(count, FLOOR), np.int64),
        frozen(np.ones(count)),
    )


_kept_floor_below = lru_cache(maxsize=2 * _FEW)(_floor_below)


class FlatGround:
    """A floor at one level, found also from points below it."""

    def __init__(self, level: float) -> None:
        self.level = level

    def below(
        self, points: FloatArray, state: ObjectState = NO_OBJECTS, headroom: float = HEADROOM
    ) -> Surface:
        """Return the floor below each point (N, 3)."""
        find = _kept_floor_below if len(points) <= _FEW else _floor_below
        return find(self.level, len(points))

    def pose(self, object_index: int, state: ObjectState) -> tuple[FloatArray, FloatArray]:
        """Return position (3) and rotation matrix (3, 3) of the floor."""
        return np.zeros(3), np.eye(3)


class SceneGround:
    """The objects of a scene without props, and the floor if it has one, found by the engine's ray casts."""

    def __init__(self, scene: Scene, floor_level: float) -> None:
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        self.floor = floor_level if has_floor(scene, floor_level) else None
        if self.floor is not None:
            floor = spec.worldbody.add_geom(name=_FLOOR_NAME, type=mujoco.mjtGeom.mjGEOM_PLANE)
            floor.size, floor.pos = [0.0, 0.0, 1.0], [0.0, 0.0, floor_level]
        add_objects(spec, scene)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._floor_geom = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_GEOM, _FLOOR_NAME)
        self.index = index_objects(self.model, scene)
        self.object_of_geom = np.full(self.model.ngeom, FLOOR)
        self.object_of_geom[self.index.geom] = self.index.owner
        frictions = [obj.friction / DEFAULT_FRICTION for obj in scene.objects]
        self.friction_scale = np.minimum([*frictions, 1.0, 1.0], 1.0)  # the last two are NOTHING and FLOOR
        self._state: ObjectState | None = None

    def below(
        self, points: FloatArray, state: ObjectState = NO_OBJECTS, headroom: float = HEADROOM
    ) -> Surface:
        """Find the first surface straight below each point (N, 3), starting `headroom` above it [m]."""
        self._set_state(state)
        count = len(points)
        height, normal = np.full(count, -np.inf), np.tile(Z_UP, (count, 1))
        found, velocity = np.full(count, NOTHING), np.zeros((count, 3))
        for i, start in enumerate(points + headroom * Z_UP):
            geom, height[i], normal[i] = self._ray(start)
            if geom >= 0:
                found[i] = self.object_of_geom[geom]
                velocity[i] = self._velocity(geom, np.array([start[0], start[1], height[i]]))
        return Surface(height, normal, velocity, found, self.friction_scale[found])

    def pose(self, object_index: int, state: ObjectState) -> tuple[FloatArray, FloatArray]:
        """Return position (3) and rotation matrix (3, 3) of an object or of the floor."""
        self._set_state(state)
        body = 0 if object_index < 0 else int(self.index.body[object_index])
        return self.data.xpos[body].copy(), self.data.xmat[body].reshape(3, 3).copy()

    def _set_state(self, state: ObjectState) -> None:
        if self._state is state:
            return
        self.data.qpos[self.index.qpos] = state.qpos[: len(self.index.qpos)]
        self.data.qvel[self.index.dof] = state.qvel[: len(self.index.dof)]
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        self._state = state

    def _ray(self, start: FloatArray) -> tuple[int, float, FloatArray]:
        """Return geom, height and normal of the first surface that faces up; geom -1 if there is none."""
        geom, normal, at = np.zeros(1, dtype=np.int32), np.zeros(3), np.array(start, dtype=np.float64)
        for _ in range(_LAYERS):
            distance = mujoco.mj_ray(self.model, self.data, at, _DOWN, None, True, -1, geom, normal)
            if distance < 0.0:
                break
            at[2] -= distance
            if normal[2] > 0.0:
                return int(geom[0]), float(at[2]), normal
            at[2] -= 1e-6  # a back face: search on below it
        if self.floor is not None and start[2] > self.floor:  # under an object that stands on it
            return self._floor_geom, self.floor, Z_UP
        return -1, -np.inf, Z_UP

    def _velocity(self, geom: int, point: FloatArray) -> FloatArray:
        body = int(self.model.geom_bodyid[geom])
        if body == 0 or self.model.nv == 0:
            return np.zeros(3)
        jacobian = np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, jacobian, None, point, body)
        return np.asarray(jacobian @ self.data.qvel)


def heights_below(ground: Ground, points: FloatArray, headroom: float) -> FloatArray:
    """Return the height of the ground (T, K) below points (T, K, 3) [m]; far below where there is none."""
    if isinstance(ground, FlatGround):
        return np.full(points.shape[:2], ground.level)
    found = ground.below(points.reshape(-1, 3), NO_OBJECTS, headroom).height
    return np.asarray(np.maximum(found, points[..., 2].min() - FAR_BELOW).reshape(points.shape[:2]))


FAR_BELOW = 1.0
"""How far below the lowest point ground is taken to be where there is none [m]."""
SINKS = 0.02
"""How far below the floor ground must be to be covered by it [m]."""
COVERED_SHARE = 0.1
"""Share of the ground below the floor above which the floor is left out: a slope downwards, a valley."""
_RAYS = 21


def has_floor(scene: Scene, floor_level: float) -> bool:
    """Return whether there is a flat floor at a level [m] besides the objects of a scene."""
    if scene.floor is not None:
        return scene.floor
    ground = tuple(obj for obj in scene.objects if obj.role is Role.GROUND)
    if not ground:
        return True
    if any(isinstance(obj.shape, Plane) for obj in ground):
        return False  # it has no end, so that no floor is missing
    return _share_below(Scene(ground, floor=False), floor_level - SINKS) <= COVERED_SHARE


def _share_below(scene: Scene, level: float) -> float:
    """Return the share of a scene's surface, as seen from above, that is below a level [m]."""
    seen = SceneGround(scene, 0.0)
    seen.below(np.zeros((1, 3)))  # places the geoms
    centre, radius = seen.data.geom_xpos, seen.model.geom_rbound[:, None]
    low, high = (centre - radius).min(axis=0), (centre + radius).max(axis=0)
    x, y = np.meshgrid(*(np.linspace(low[axis], high[axis], _RAYS) for axis in (0, 1)))
    above = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, high[2] + 1.0)])
    height = seen.below(above).height
    found = height[np.isfinite(height)]
    return float((found < level).mean()) if len(found) else 0.0


def make_ground(scene: Scene, floor_level: float) -> Ground:
    """Return a flat ground, or one with the objects of the scene that a character can stand on."""
    underfoot = scene.underfoot
    return SceneGround(underfoot, floor_level) if underfoot.objects else FlatGround(floor_level)
