"""Obstacles in the way of a walk: which there are, and how the walk passes them.

Low and narrow ones are stepped over, low and deep ones are stepped onto (which the projection onto the
ground does), and all others are walked around. Distances are those between the shapes of the body and of
the object, so that a bar at the height of the chest is in the way as a box on the floor is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..result.records import ObstaclePassing
from ..scene.scene import Passing, Role, SceneObject
from ..scene.shapes import HeightField, Plane
from ..world.ground import ObjectState
from ..world.world import World, initial_object_state
from .contacts import REFERENCE_LEG_LENGTH, ContactSchedule
from .footsteps import SourceStep
from .ground_projection import find_steps
from .object_prediction import predict_objects
from .walked_path import ChangedPath, Detour, WalkedPath, change_path, walk_along, walked_path

STRIDE = 4
"""Samples between two at which distances are measured."""
CLEARANCES = (0.06, 0.1, 0.15)
"""Distances that a walk around an object may keep from it, tried until the legs that follow keep some [m]."""
LEAST_CLEARANCE = 0.02
"""Distance that the walk around an object has at the least [m]."""
OTHER_SIDE = 1.5
"""A walk that is on one side of its path changes over to the other where that saves more than a third."""
WALKING = 0.3
"""Speed below which a body is not walking past an object but stays with it: a chair, a table [m/s]."""
STEPPABLE = 0.25
"""Height of what is stepped over or onto, as a share of the leg's length."""
SOLE_MARGIN = 0.05
"""Distance that soles keep from an object that is stepped over [m]."""
BEHIND_HEEL, BEFORE_TOES = 1.0, 0.6
"""How much more room heel and toes need, as shares of the object's height: a foot comes down steeply only
when it is past, and rises before."""
ROOM_SHARES = (1.0, 0.6, 0.3)
"""Shares of that room that are tried, one after the other, where an object is to be stepped over."""
LENGTHENINGS = np.linspace(0.0, 0.3, 4)
"""By how much longer the step across an object may be [m]."""
SHIFTS = np.linspace(0.05, 1.5, 30)
"""Displacements of the path that are tried for a walk around an object, smallest first [m]."""
STEP_SHIFTS = np.linspace(-0.4, 0.4, 17)
"""Displacements of steps, along the path, that are tried for stepping over an object [m]."""
RAMP, STEEPEST, MIN_RAMP = 2.4, 1.6, 1.0
"""Ramps of a detour are RAMP times as long as the displacement, at least MIN_RAMP [m]; where there is less
room, STEEPEST times."""
OVERLAPS = (1.0, 0.5, 0.0)
"""Shares of the way past an object on which the ramps may still rise and fall, gentlest first."""
SMALL_SHIFT = 0.25
"""Displacement of the steps up to which a low object is rather stepped over than walked around [m]."""
DEEP = 2.0
"""Depth of a low object, in lengths of a sole, from which on it is stepped onto."""
PROFILE_LENGTH, PROFILE_STEP = 1.5, 0.02
"""How far before and behind its middle an object is looked at, and at which distances [m]."""
HIGHEST = 3.0
"""Height above the floor from which objects are looked at [m]."""
SOLE_STEP, SOLE_LINES = 0.03, 4
"""Distance of the points along a sole at which it is looked at [m], and the number of their lines."""
STEP_LENGTH = 1.0
"""Objects that are further from a sole than this are not under it [m]."""


@dataclass(frozen=True, eq=False)
class PassedObstacles:
    """How a motion passes the obstacles in its way.

    qpos (T, nq): the motion along its changed path; None where the path is its own
    passings: what was done for each obstacle
    """

    qpos: FloatArray | None = None
    passings: tuple[ObstaclePassing, ...] = ()


NOTHING_PASSED = PassedObstacles()


def may_be_in_the_way(obj: SceneObject) -> bool:
    """Return whether a walk must look out for an object.

    Ground, platforms and props are met as they are, and so is what the motion was captured on.
    """
    if obj.passing is Passing.IGNORE or obj.captured or isinstance(obj.shape, (Plane, HeightField)):
        return False
    return obj.role is Role.OBSTACLE or (obj.passing is not Passing.AUTO and not obj.role.is_free)


def pass_obstacles(
    world: World, qpos: FloatArray, schedule: ContactSchedule, dt: float, leg_length: float
) -> PassedObstacles:
    """Return the motion (T, nq) on a path on which the obstacles of the scene are not in its way."""
    wary = [index for index, obj in enumerate(world.scene.objects) if may_be_in_the_way(obj)]
    steps = find_steps(world, qpos, schedule, dt) if wary else []
    if not steps:
        return NOTHING_PASSED
    for clearance in CLEARANCES:
        planner = _Planner(world, qpos, steps, dt, leg_length, clearance)
        passed = planner.run(wary)
        if passed.qpos is None or planner.keeps_clear(passed.qpos):
            break
    return passed


class _Planner:
    """Plans detours one after the other, in the order in which the walk comes to the obstacles."""

    def __init__(
        self,
        world: World,
        qpos: FloatArray,
        steps: Sequence[SourceStep],
        dt: float,
        leg_length: float,
        clearance: float,
    ) -> None:
        self.world, self.ground = world, world.ground
        self.qpos, self.steps, self.dt = qpos, steps, dt
        self.size, self.leg_length = leg_length / REFERENCE_LEG_LENGTH, leg_length
        self.clearance = clearance * self.size
        self.path: WalkedPath = walked_path(qpos, dt)
        self.states = predict_objects(world, qpos, list(steps), dt)
        self.body = _BodyDistance(world)
        self.detours: list[Detour] = []
        self.avoided: set[int] = set()
        """Objects that no detour may come near to."""

    def run(self, wary: Sequence[int]) -> PassedObstacles:
        """Plan for all objects that may be in the way."""
        met = sorted((own for own in map(self._meeting, wary) if own is not None), key=lambda own: own.first)
        self.avoided = set(wary).difference(own.object for own in met)
        passings = tuple(passing for own in met if (passing := self._pass(own)) is not None)
        if not self.detours:
            return PassedObstacles(None, passings)
        changed = change_path(self.path, self.detours)
        return PassedObstacles(walk_along(self.world, self.qpos, self.steps, changed), passings)

    def keeps_clear(self, qpos: FloatArray) -> bool:
        """Return whether poses (T, nq), with legs that follow, keep clear of all that is walked around."""
        least = LEAST_CLEARANCE * self.size
        return all(
            self.body.distance(qpos[t], self.states[t], obj, least) >= least
            for obj in self.avoided
            for t in range(0, len(qpos), STRIDE)
        )

    def _changed(self, *more: Detour) -> ChangedPath:
        return change_path(self.path, [*self.detours, *more])

    def _near(self, obj: int, changed: ChangedPath) -> Iterator[int]:
        """Yield the samples at which the body, carried along a path, is too near to an object."""
        samples = np.arange(0, len(self.qpos), STRIDE)
        for t, pose in zip(samples.tolist(), changed.poses(samples, self.qpos[samples]), strict=True):
            if self.body.distance(pose, self.states[t], obj, self.clearance) < self.clearance:
                yield t

    def _meeting(self, obj: int) -> _Meeting | None:
        """Return when the walk would come too near to an object; None if it does not, or stays there."""
        near = list(self._near(obj, self._changed()))
        if not near:
            return None
        walked = self.path.length[near[-1]] - self.path.length[near[0]]
        slow = walked < WALKING * self.size * (near[-1] - near[0]) * self.dt
        return None if slow else _Meeting(obj, near[0], near[-1])

    def _pass(self, met: _Meeting) -> ObstaclePassing | None:
        """Plan how one object is passed; None where it is no longer in the way."""
        if self.detours and next(self._near(met.object, self._changed()), None) is None:
            return None
        wanted = self.world.scene.objects[met.object].passing
        plans = self._by_size(met) if wanted is Passing.AUTO else self._as_wanted(wanted, met)
        plan = next((own for own in plans if own is not None), _Plan(Passing.IGNORE))
        self.detours += plan.detours
        if plan.way is Passing.AROUND:
            self.avoided.add(met.object)
        start, end = met.first * self.dt, met.last * self.dt
        name = self.world.scene.objects[met.object].name
        return ObstaclePassing(name, plan.way.value, start, end, plan.side, plan.shift_m)

    def _as_wanted(self, way: Passing, met: _Meeting) -> Iterator[_Plan | None]:
        """Yield plans for the way that the user has chosen; feet may then pass close to the object."""
        if way is not Passing.OVER:
            yield self._around(met) if way is Passing.AROUND else _Plan(way)
            return
        for share in ROOM_SHARES:
            yield self._over(met, share)

    def _by_size(self, met: _Meeting) -> Iterator[_Plan | None]:
        """Yield the ways of passing an object that suit its size, as a person would choose them."""
        heights = self._heights(met)
        low = heights.max(initial=-np.inf) - self.world.ground_height <= STEPPABLE * self.leg_length
        deep = PROFILE_STEP * np.isfinite(heights).sum() > DEEP * self._sole_length()
        if low and deep:
            yield _Plan(Passing.ONTO)
        over = self._over(met) if low else None
        if over is not None and over.shift_m <= SMALL_SHIFT * self.size:
            yield over
        yield self._around(met)
        yield over

    def _around(self, met: _Meeting) -> _Plan | None:
        """Displace the path to the side on which less is needed."""
        ahead = self.path.direction((met.first + met.last) // 2)
        left = np.array([-ahead[1], ahead[0]])
        here = float(self._changed().displacement[met.first] @ left)
        candidates = product(SHIFTS * self.size, (1.0, -1.0))
        for shift, side in sorted(
            candidates, key=lambda own: own[0] * (OTHER_SIDE if own[1] * here < 0.0 else 1.0)
        ):
            for overlap in OVERLAPS:
                detour = self._detour(met, side * shift * left, overlap)
                if detour is not None and self._is_clear(met.object, self._changed(detour)):
                    name = "left" if side > 0.0 else "right"
                    return _Plan(Passing.AROUND, (detour,), name, float(shift))
        return None

    def _is_clear(self, obj: int, changed: ChangedPath) -> bool:
        """Return whether a path is clear of an object, and of all that are not to be touched."""
        kept = (obj, *self.avoided)
        if any(next(self._near(own, changed), None) is not None for own in kept):
            return False
        # Feet that stand do not turn with the body, so that they are looked at by themselves.
        return not any(self._stands_on(own, changed, np.full(2, SOLE_MARGIN * self.size)) for own in kept)

    def _detour(self, met: _Meeting, displacement: FloatArray, overlap: float) -> Detour | None:
        """Return a detour about an object; None where there is no room for it."""
        length, shift = self.path.length, float(np.linalg.norm(displacement))
        near, far = float(length[met.first]), float(length[met.last])
        first, last = near + 0.5 * overlap * (far - near), far - 0.5 * overlap * (far - near)
        ramp, room = max(RAMP * shift, MIN_RAMP * self.size), float(length[-1]) - last
        rise = min(ramp, first)
        if rise < STEEPEST * shift:
            return None
        comes_back = self.world.scene.objects[met.object].comes_back and room > STEEPEST * shift
        return Detour(displacement, first, last, rise, min(ramp, room) if comes_back else np.inf)

    def _over(self, met: _Meeting, share: float = 1.0) -> _Plan | None:
        """Shift the steps along the path, and lengthen the one across, so that none is on the object.

        share: of the room that feet should have to rise before it and to come down behind it
        """
        height = max(float(self._heights(met).max()) - self.world.ground_height, 0.0)
        room = SOLE_MARGIN * self.size + share * height * np.array([BEHIND_HEEL, BEFORE_TOES])
        candidates = product(STEP_SHIFTS * self.size, LENGTHENINGS * self.size)
        for shift, longer in sorted(candidates, key=lambda own: abs(own[0]) + 2.0 * own[1]):
            detours = self._crossing(met, shift, longer)
            if detours is not None and not self._stands_on(met.object, self._changed(*detours), room):
                return _Plan(Passing.OVER, detours, shift_m=float(abs(shift) + longer))
        return None

    def _crossing(self, met: _Meeting, shift: float, longer: float) -> tuple[Detour, ...] | None:
        """Return the detours of shifted steps and of a longer step across; None without room for them."""
        ahead = self.path.direction((met.first + met.last) // 2)
        near, far = (float(self.path.length[sample]) for sample in (met.first, met.last))
        rise = min(max(RAMP * abs(shift), MIN_RAMP * self.size), near)
        if rise < STEEPEST * abs(shift):
            return None
        shifted = Detour(shift * ahead, near, near, rise, np.inf)
        across = Detour(longer * ahead, far, far, far - near, np.inf)
        return tuple(own for own, size in ((shifted, shift), (across, longer)) if size != 0.0)

    def _stands_on(self, obj: int, changed: ChangedPath, room: FloatArray) -> bool:
        """Return whether a sole, with room (2) behind its heel and before its toes, is over an object."""
        for step in self.steps:
            middle = min((step.start + step.end) // 2, len(self.qpos) - 1)
            points = changed.moved(middle, _sole_points(step, room))
            if self._reach(obj, middle, points[0]) and step.stands:
                found = self.ground.below(points, self.states[middle], HIGHEST)
                if (found.object == obj).any():
                    return True
        return False

    def _reach(self, obj: int, sample: int, point: FloatArray) -> bool:
        """Return whether an object may be within a step of a point."""
        model, data = self.body.model, self.body.data
        self.body.place(self.states[sample])
        geoms = self.world.engine.objects.geoms_of(obj)
        apart = np.linalg.norm(data.geom_xpos[geoms, :2] - point[:2], axis=1)
        return bool((apart < model.geom_rbound[geoms] + STEP_LENGTH * self.size).any())

    def _heights(self, met: _Meeting) -> FloatArray:
        """Return the heights of an object along the path through its middle [m]; -inf beside it."""
        middle = (met.first + met.last) // 2
        ahead, pose = self.path.direction(middle), self.ground.pose(met.object, self.states[middle])
        centre = _centre(self.world.scene.objects[met.object], pose)
        along = np.arange(-PROFILE_LENGTH, PROFILE_LENGTH, PROFILE_STEP)
        points = np.zeros((len(along), 3))
        points[:, :2] = centre + along[:, None] * ahead
        points[:, 2] = self.world.ground_height
        found = self.ground.below(points, self.states[middle], HIGHEST)
        return np.where(found.object == met.object, found.height, -np.inf)

    def _sole_length(self) -> float:
        step = self.steps[0]
        return float(np.ptp((step.corners - step.centre) @ step.ahead))


@dataclass(frozen=True)
class _Meeting:
    """An object that is in the way from a first to a last sample."""

    object: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class _Plan:
    """A way of passing an object, the detours it takes, and how far it displaces the walk [m]."""

    way: Passing
    detours: tuple[Detour, ...] = ()
    side: str = ""
    shift_m: float = 0.0


class _BodyDistance:
    """Distances between a pose of the body and objects of the scene, by the engine."""

    def __init__(self, world: World) -> None:
        self.world, self.engine = world, world.engine
        self.model, self.data = world.engine.model, mujoco.MjData(world.engine.model)
        own = np.isin(self.model.geom_bodyid, world.engine.index.body)
        self.geoms = np.flatnonzero(own & ((self.model.geom_contype | self.model.geom_conaffinity) != 0))
        start = initial_object_state(world)
        self.data.qpos[self.engine.objects.qpos] = start.qpos

    def distance(self, pose: FloatArray, state: ObjectState, obj: int, most: float) -> float:
        """Return the distance of an object, at most `most` [m]; below zero inside of it."""
        self.data.qpos[self.engine.index.qpos] = pose
        self.place(state)
        return min(self._distances(obj, most), default=most)

    def place(self, state: ObjectState) -> None:
        """Put the objects where they are in a state."""
        self.data.qpos[self.engine.objects.qpos[: len(state.qpos)]] = state.qpos
        mujoco.mj_kinematics(self.model, self.data)

    def _distances(self, obj: int, most: float) -> Iterator[float]:
        position, bound = self.data.geom_xpos, self.model.geom_rbound
        for other in self.engine.objects.geoms_of(obj):
            apart = np.linalg.norm(position[self.geoms] - position[other], axis=1)
            for geom in self.geoms[apart - bound[self.geoms] - bound[other] < most]:
                yield mujoco.mj_geomDistance(self.model, self.data, int(geom), int(other), most, None)


def _centre(obj: SceneObject, pose: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the middle of an object (2) on the floor."""
    still = obj.role in (Role.GROUND, Role.OBSTACLE)
    return np.asarray(obj.position[:2] if still else pose[0][:2])


def _sole_points(step: SourceStep, room: FloatArray) -> FloatArray:
    """Return points of a step's sole (N, 3), longer by room (2) behind the heel and before the toes [m]."""
    aside = np.array([-step.ahead[1], step.ahead[0], 0.0])
    local = (step.corners - step.centre) @ np.stack([step.ahead, aside], axis=1)
    low, high = local.min(axis=0) - [room[0], SOLE_MARGIN], local.max(axis=0) + [room[1], SOLE_MARGIN]
    lines = np.arange(low[0], high[0] + SOLE_STEP, SOLE_STEP)
    along, across = np.meshgrid(lines, np.linspace(low[1], high[1], SOLE_LINES))
    return np.asarray(step.centre + along.reshape(-1, 1) * step.ahead + across.reshape(-1, 1) * aside)
