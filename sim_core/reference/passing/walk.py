"""A walk for which ways past objects are planned, as far as it is planned already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...scene.scene import Passing, Role, SceneObject
from ...world.world import World
from ..contacts import REFERENCE_LEG_LENGTH
from ..footsteps import SourceStep
from ..object_prediction import predict_objects
from ..walked_path import ChangedPath, Detour, Strides, WalkedPath, change_path, walk_along, walked_path
from .body_distance import BodyDistance
from .ducking import Duck, ducked
from .pace import Slowdown

STRIDE = 4
"""Samples between two at which distances are measured."""
WALKING = 0.3
"""Speed below which a body is not walking past an object but stays with it: a chair, a table [m/s]."""
SOLE_MARGIN = 0.05
"""Distance that soles keep from an object that they do not stand on [m]."""
PROFILE_LENGTH, PROFILE_STEP = 1.5, 0.02
"""How far before and behind its middle an object is looked at, and at which distances [m]."""
HIGHEST = 3.0
"""Height above the floor from which objects are looked at [m]."""
SOLE_STEP, SOLE_LINES = 0.03, 4
"""Distance of the points along a sole at which it is looked at [m], and the number of their lines."""
STEP_LENGTH = 1.0
"""Objects that are further from a sole than this are not under it [m]."""


@dataclass(frozen=True)
class Meeting:
    """An object that is in the way from a first to a last sample."""

    object: int
    first: int
    last: int

    @property
    def middle(self) -> int:
        """Return the sample half way."""
        return (self.first + self.last) // 2


@dataclass(frozen=True, eq=False)
class Plan:
    """A way of passing an object, what it takes, and how far it displaces the walk [m].

    side: left or right; qpos (T, nq): the whole motion, where it comes to a stand
    start_s, end_s: from when on and until when it stands; None to the end [s]
    """

    way: Passing
    detours: tuple[Detour, ...] = ()
    strides: Strides = field(default_factory=dict)
    slowdown: Slowdown | None = None
    duck: Duck | None = None
    side: str = ""
    shift_m: float = 0.0
    qpos: FloatArray | None = None
    start_s: float = 0.0
    end_s: float | None = None


class Walk:
    """A motion (T, nq) with its steps, dt [s] apart, and what is planned for it so far.

    clearance: distance that a walk around an object should keep from it, for a body of usual size [m]
    """

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
        solid = [k for k, own in enumerate(world.scene.objects) if not own.role.is_free]
        self.ground_index = {own: k for k, own in enumerate(solid)}
        """Indices of objects among those that a motion can be planned on, by their index in the scene."""
        self.qpos, self.steps, self.dt = qpos, steps, dt
        self.size, self.leg_length = leg_length / REFERENCE_LEG_LENGTH, leg_length
        self.clearance = clearance * self.size
        self.path: WalkedPath = walked_path(qpos, dt)
        self.states = predict_objects(world, qpos, list(steps), dt)
        self.body = BodyDistance(world)
        self.detours: list[Detour] = []
        self.strides: Strides = {}
        self.slowdowns: list[Slowdown] = []
        self.ducks: list[Duck] = []
        self.avoided: set[int] = set()
        """Objects that no detour may come near to."""

    def object(self, met: Meeting) -> SceneObject:
        """Return the object that is met."""
        return self.world.scene.objects[met.object]

    def take(self, plan: Plan) -> None:
        """Add a plan to what is planned."""
        self.detours += plan.detours
        self.strides |= plan.strides
        self.slowdowns += [] if plan.slowdown is None else [plan.slowdown]
        self.ducks += [] if plan.duck is None else [plan.duck]

    def changed(self, *more: Detour, strides: Strides | None = None) -> ChangedPath:
        """Return the path as planned, with more detours and displaced steps."""
        return change_path(self.path, [*self.detours, *more], self.strides | (strides or {}))

    def planned(self) -> FloatArray | None:
        """Return the poses (T, nq) as planned; None if they are those of the source."""
        if not (self.detours or self.strides or self.ducks):
            return None
        return walk_along(self.world, self.qpos, self.steps, self.changed(), self.size, self._ducked)

    def _ducked(self, poses: FloatArray, samples: IntArray) -> FloatArray:
        return ducked(self.world, poses, samples, self.ducks)

    def near(self, obj: int, changed: ChangedPath, *ducks: Duck) -> Iterator[int]:
        """Yield the samples at which the body, carried along a path, is too near to an object."""
        samples = np.arange(0, len(self.qpos), STRIDE)
        poses = changed.poses(samples, self.qpos[samples])
        poses = ducked(self.world, poses, samples, [*self.ducks, *ducks])
        for t, pose in zip(samples.tolist(), poses, strict=True):
            if self.body.distance(pose, self.states[t], obj, self.clearance) < self.clearance:
                yield t

    def is_clear(self, qpos: FloatArray, obj: int, least: float) -> bool:
        """Return whether poses (T, nq) keep a distance from an object [m]."""
        return all(
            self.body.distance(qpos[t], self.states[t], obj, least) >= least
            for t in range(0, len(qpos), STRIDE)
        )

    def meeting(self, obj: int) -> Meeting | None:
        """Return when the walk would come too near to an object; None if it does not, or stays there."""
        near = list(self.near(obj, self.changed()))
        if not near:
            return None
        walked = self.path.length[near[-1]] - self.path.length[near[0]]
        slow = walked < WALKING * self.size * (near[-1] - near[0]) * self.dt
        return None if slow else Meeting(obj, near[0], near[-1])

    def stands_on(self, obj: int, changed: ChangedPath, room: FloatArray) -> bool:
        """Return whether a sole, with room (2) behind its heel and before its toes, is over an object."""
        for index, step in enumerate(self.steps):
            middle = step.middle(len(self.qpos))
            points = changed.stepped(index, middle, _sole_points(step, room))
            reach = STEP_LENGTH * self.size
            is_near = step.stands and self.body.within(self.states[middle], obj, points[0], reach)
            if is_near and self.over_object(obj, points, middle).any():
                return True
        return False

    def heights(self, met: Meeting) -> FloatArray:
        """Return the heights of an object along the path through its middle [m]; -inf beside it."""
        ahead = self.path.direction(met.middle)
        along = np.arange(-PROFILE_LENGTH, PROFILE_LENGTH, PROFILE_STEP)
        points = np.zeros((len(along), 3))
        points[:, :2] = self.centre(met) + along[:, None] * ahead
        points[:, 2] = self.world.ground_height
        found = self.ground.below(points, self.states[met.middle], HIGHEST)
        return np.where(found.object == self.ground_index[met.object], found.height, -np.inf)

    def over_object(self, obj: int, points: FloatArray, sample: int) -> BoolArray:
        """Return which points (N, 3) are over an object, where it is at a sample."""
        found = self.ground.below(points, self.states[sample], HIGHEST).object
        return np.asarray(found == self.ground_index[obj])

    def centre(self, met: Meeting) -> FloatArray:
        """Return the middle of an object (2) on the floor."""
        obj = self.object(met)
        if obj.role in (Role.GROUND, Role.OBSTACLE):
            return np.asarray(obj.position[:2])
        return np.asarray(self.ground.pose(self.ground_index[met.object], self.states[met.middle])[0][:2])


def _sole_points(step: SourceStep, room: FloatArray) -> FloatArray:
    """Return points of a step's sole (N, 3), longer by room (2) behind the heel and before the toes [m]."""
    aside = np.array([-step.ahead[1], step.ahead[0], 0.0])
    local = (step.corners - step.centre) @ np.stack([step.ahead, aside], axis=1)
    low, high = local.min(axis=0) - [room[0], SOLE_MARGIN], local.max(axis=0) + [room[1], SOLE_MARGIN]
    lines = np.arange(low[0], high[0] + SOLE_STEP, SOLE_STEP)
    along, across = np.meshgrid(lines, np.linspace(low[1], high[1], SOLE_LINES))
    return np.asarray(step.centre + along.reshape(-1, 1) * step.ahead + across.reshape(-1, 1) * aside)
