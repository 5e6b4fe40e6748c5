"""Obstacles in the way of a walk: which there are, and how the walk passes them.

Low and narrow ones are stepped over, low and deep ones are stepped onto (which the projection onto the
ground does), under high bars the body ducks, and all others are walked around; where there is no room for
any of this, the walk ends in a stand. Distances are those between the shapes of the body and of the object,
so that a bar at the height of the chest is in the way as a box on the floor is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from ..result.records import ObstaclePassing
from ..scene.scene import Passing, Role, SceneObject
from ..scene.shapes import Capsule, HeightField, Plane, Sphere
from ..world.world import World
from .contacts import ContactSchedule
from .ground_projection import find_steps
from .passing.around import around
from .passing.over import over
from .passing.pace import Pace
from .passing.stop import stop
from .passing.under import under
from .passing.walk import PROFILE_STEP, Meeting, Plan, Walk

CLEARANCES = (0.06, 0.1, 0.15)
"""Distances that a walk around an object may keep from it, tried until the legs that follow keep some [m]."""
LEAST_CLEARANCE = 0.04
"""Distance that the walk around an object has at the least [m]."""
STEPPABLE = 0.25
"""Height of what is stepped over or onto, as a share of the leg's length."""
ROOM_SHARES = (1.0, 0.6, 0.3)
"""Shares of the room before and behind an object that are tried, where it is to be stepped over."""
SMALL_SHIFT = 0.25
"""Displacement of the steps up to which a low object is rather stepped over than walked around [m]."""
SMALL_BEND = 0.1
"""Lowering of the body up to which it rather ducks than walks around, as a share of the leg's length."""
DEEP = 2.0
"""Depth of a low object, in lengths of a sole, from which on it is stepped onto."""


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
    if obj.role is Role.MOVING and obj.passing is Passing.AUTO:
        return isinstance(obj.shape, (Sphere, Capsule))  # nobody stands on a ball
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
        walk = Walk(world, qpos, steps, dt, leg_length, clearance)
        passed = _pass_all(walk, wary)
        if passed.qpos is None or _keeps_clear(walk, passed.qpos):
            break
    return _at_pace(walk, passed)


def _at_pace(walk: Walk, passed: PassedObstacles) -> PassedObstacles:
    """Return the motion at the pace that is planned."""
    if not walk.slowdowns:
        return passed
    source, pace = walk.qpos if passed.qpos is None else passed.qpos, Pace(len(walk.qpos), walk.slowdowns)
    told = [
        replace(
            own,
            start_s=pace.later(own.start_s, walk.dt),
            end_s=None if own.end_s is None else pace.later(own.end_s, walk.dt),
        )
        for own in passed.passings
    ]
    return PassedObstacles(pace.slowed(walk.world.model, source), tuple(told))


def _pass_all(walk: Walk, wary: Sequence[int]) -> PassedObstacles:
    """Plan for one object after the other, in the order in which the walk comes to them."""
    met = sorted((own for own in map(walk.meeting, wary) if own is not None), key=lambda own: own.first)
    walk.avoided = set(wary).difference(own.object for own in met)
    passings, halts = list[ObstaclePassing](), list[Meeting]()
    for own in met:
        if next(walk.near(own.object, walk.changed()), None) is None:
            continue  # what was planned for another one has taken the walk away from it
        plan = _plan(walk, own)
        walk.take(plan)
        if plan.way in (Passing.AROUND, Passing.UNDER):
            walk.avoided.add(own.object)
        halts += [own] if plan.way is Passing.STOP else []
        passings.append(_passing(walk, own, plan))
        if plan.way is Passing.STOP and walk.object(own).keys is None:
            break
    return _halted(walk, halts[0], passings) if halts else PassedObstacles(walk.planned(), tuple(passings))


def _halted(walk: Walk, met: Meeting, passings: Sequence[ObstaclePassing]) -> PassedObstacles:
    """Let the walk that is planned come to a stand before an object, if it can."""
    name, plan = walk.object(met).name, stop(walk, met)
    kept = Plan(Passing.IGNORE) if plan is None else plan
    told = tuple(_passing(walk, met, kept) if own.name == name else own for own in passings)
    return PassedObstacles(walk.planned() if plan is None else plan.qpos, told)


def _keeps_clear(walk: Walk, qpos: FloatArray) -> bool:
    """Return whether poses (T, nq), with legs that follow, keep clear of all that is not to be touched."""
    return all(walk.is_clear(qpos, obj, LEAST_CLEARANCE * walk.size) for obj in walk.avoided)


def _passing(walk: Walk, met: Meeting, plan: Plan) -> ObstaclePassing:
    """Return what is told of a plan."""
    times = (met.first * walk.dt, met.last * walk.dt) if plan.qpos is None else (plan.start_s, plan.end_s)
    slow = 0.0 if plan.slowdown is None else Pace(len(walk.qpos), [plan.slowdown]).delay * walk.dt
    return ObstaclePassing(walk.object(met).name, plan.way.value, *times, plan.side, plan.shift_m, slow)


def _plan(walk: Walk, met: Meeting) -> Plan:
    """Return how an object is passed: as the user has chosen, or as suits its size."""
    wanted = walk.object(met).passing
    plans = _by_size(walk, met) if wanted is Passing.AUTO else _as_wanted(walk, met, wanted)
    return next((own for own in plans if own is not None), Plan(Passing.STOP))


def _as_wanted(walk: Walk, met: Meeting, way: Passing) -> Iterator[Plan | None]:
    """Yield plans for the way that the user has chosen; feet may then pass close to the object."""
    if way is Passing.OVER:
        yield from (over(walk, met, share) for share in ROOM_SHARES)
    elif way is Passing.AROUND:
        yield around(walk, met)
    elif way is Passing.UNDER:
        yield under(walk, met)
    else:
        yield Plan(way)


def _by_size(walk: Walk, met: Meeting) -> Iterator[Plan | None]:
    """Yield the ways of passing an object that suit its size, as a person would choose them."""
    heights = walk.heights(met)
    low = heights.max(initial=-np.inf) - walk.world.ground_height <= STEPPABLE * walk.leg_length
    deep = PROFILE_STEP * np.isfinite(heights).sum() > DEEP * _sole_length(walk)
    if low and deep:
        yield Plan(Passing.ONTO)
    across = over(walk, met) if low else None
    # A step so high that it slows the walk down touches what it crosses more often than a way around.
    if across is not None and across.slowdown is None and across.shift_m <= SMALL_SHIFT * walk.size:
        yield across
    below = None if low else under(walk, met)
    if below is not None and below.shift_m <= SMALL_BEND * walk.leg_length:
        yield below
    yield around(walk, met)
    yield across
    yield below


def _sole_length(walk: Walk) -> float:
    step = walk.steps[0]
    return float(np.ptp((step.corners - step.centre) @ step.ahead))
