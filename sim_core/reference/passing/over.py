"""Over a low object: steps are shifted along the path, and the one across it is made longer.

The foot before the object and the one behind it are displaced against each other while the body keeps its
path, so that a step before and one after become shorter, as people do who cross something.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from ...base.conventions import FloatArray
from ...scene.scene import Passing
from ..footsteps import SourceStep
from ..walked_path import ChangedPath, Detour, Strides
from .around import MIN_RAMP, RAMP, STEEPEST
from .pace import Pace, Slowdown
from .walk import PROFILE_LENGTH, PROFILE_STEP, SOLE_MARGIN, Meeting, Plan, Walk

SHIFTS = np.linspace(-0.4, 0.4, 33)
"""Displacements of the walk, along its path, that are tried [m]."""
ROOM_BEFORE, ROOM_BEHIND = 0.5, 0.5
"""How much more room than SOLE_MARGIN toes and heels have, as shares of the object's height: a foot rises
before it, and comes down steeply only when it is past."""
LONGEST_STEP = 1.1
"""Length of the step across, from sole to sole, in lengths of the leg."""
LENGTHENINGS = np.linspace(0.0, 0.3, 4)
"""By how much longer the step across a low object may be [m]."""
LOW_ROOM = (1.0, 0.6)
"""Shares of a low object's height that heels keep behind it and toes before it, besides SOLE_MARGIN."""
LOW, SLOWER, SLOWEST = 0.13, 1.5, 0.6
"""Height up to which an object is low, so that the pace stays as it is, in lengths of the leg; how much
slower it becomes for each length of the leg above that; and the slowest pace, as a share of the usual one."""
PACE_RAMP_S = 0.3
"""Time in which the pace changes [s]."""
BAND_LINES = 4
"""Number of lines along a sole on which an object is looked for."""


def over(walk: Walk, met: Meeting, share: float = 1.0) -> Plan | None:
    """Plan a step across an object with the least displacement of the walk and of single steps.

    share: of the room that feet should have to rise before it and to come down behind it
    """
    height = max(float(walk.heights(met).max()) - walk.world.ground_height, 0.0)
    if height <= LOW * walk.leg_length:
        return _over_low(walk, met, SOLE_MARGIN * walk.size + share * height * np.array(LOW_ROOM))
    room = SOLE_MARGIN * walk.size + share * height * np.array([ROOM_BEFORE, ROOM_BEHIND])
    least, best = np.inf, None
    for shift in SHIFTS * walk.size:
        detours = _shifted(walk, met, float(shift))
        crossing = None if detours is None else _crossing(walk, met, walk.changed(*detours), room)
        if crossing is None or detours is None:
            continue
        cost = abs(shift) + 2.0 * sum(crossing.needed) + abs(crossing.needed[0] - crossing.needed[1])
        strides = crossing.strides(walk.path.direction(met.middle))
        changed = walk.changed(*detours, strides=strides)
        if cost < least and not walk.stands_on(
            met.object, changed, 0.5 * np.full(2, SOLE_MARGIN * walk.size)
        ):
            least, moved = cost, float(abs(shift) + sum(crossing.needed))
            slowdown = _slowdown(walk, crossing, height)
            best = Plan(Passing.OVER, detours, strides, slowdown, shift_m=moved)
    return best


def _over_low(walk: Walk, met: Meeting, room: FloatArray) -> Plan | None:
    """Shift the whole walk along its path, and lengthen the step across, over what is low.

    room (2): of heels behind the object and of toes before it [m]
    """
    ahead, near, far = walk.path.direction(met.middle), *walk.path.length[[met.first, met.last]]
    candidates = product(SHIFTS[::2] * walk.size, LENGTHENINGS * walk.size)
    for shift, longer in sorted(candidates, key=lambda own: abs(own[0]) + 2.0 * own[1]):
        detours = _shifted(walk, met, float(shift))
        if detours is None:
            continue
        across = Detour(longer * ahead, float(far), float(far), float(far - near), np.inf)
        detours = (*detours, across) if longer > 0.0 else detours
        if not walk.stands_on(met.object, walk.changed(*detours), room):
            return Plan(Passing.OVER, detours, shift_m=float(abs(shift) + longer))
    return None


def _slowdown(walk: Walk, crossing: _Crossing, height: float) -> Slowdown | None:
    """Return the slower pace at which feet are lifted over an object; None over what is low."""
    pace = 1.0 - SLOWER * (height - LOW * walk.leg_length) / walk.leg_length
    first = walk.steps[crossing.before]
    after = [own.start for own in walk.steps[crossing.behind :] if own.foot == first.foot and own.stands]
    if pace >= 1.0 or not after:
        return None
    slower = Slowdown(max(pace, SLOWEST), first.start, after[0], round(PACE_RAMP_S / walk.dt))
    is_across = Pace(len(walk.qpos), [slower]).time[after[0]] < len(walk.qpos)
    return slower if is_across else None  # else the motion would end in the middle of it


def _shifted(walk: Walk, met: Meeting, shift: float) -> tuple[Detour, ...] | None:
    """Return the detour of a walk that is shifted along its path; None without room for it."""
    near = float(walk.path.length[met.first])
    rise = min(max(RAMP * abs(shift), MIN_RAMP * walk.size), near)
    if rise < STEEPEST * abs(shift):
        return None
    shifted = Detour(shift * walk.path.direction(met.middle), near, near, rise, np.inf)
    return (shifted,) if shift != 0.0 else ()


@dataclass(frozen=True)
class _Crossing:
    """The steps before and behind an object, and how far they have to be moved away from it [m]."""

    before: int
    behind: int
    needed: tuple[float, float]

    def strides(self, ahead: FloatArray) -> Strides:
        """Return the displacements of both steps, for a path in a direction (2)."""
        moved = {self.before: -self.needed[0] * ahead, self.behind: self.needed[1] * ahead}
        return {step: own for step, own in moved.items() if own.any()}


def _crossing(walk: Walk, met: Meeting, changed: ChangedPath, room: FloatArray) -> _Crossing | None:
    """Return the crossing of a changed path; None where the step across would be too long."""
    ahead, centre = walk.path.direction(met.middle), walk.centre(met)
    soles = [_sole(walk, changed, k, own, ahead, centre) for k, own in enumerate(walk.steps)]
    standing = [k for k, own in enumerate(walk.steps) if own.stands]
    behind = next((k for k in standing if soles[k].middle > 0.0), None)
    before = next((k for k in reversed(standing) if behind is not None and k < behind), None)
    if before is None or behind is None or soles[before].middle > 0.0:
        return None
    near, far = (_edges(walk, met, ahead, centre, soles[k]) for k in (before, behind))
    needed = (
        max(soles[before].high + room[0] - near[0], 0.0),
        max(far[1] + room[1] - soles[behind].low, 0.0),
    )
    length = soles[behind].middle - soles[before].middle + sum(needed)
    return _Crossing(before, behind, needed) if length < LONGEST_STEP * walk.leg_length else None


@dataclass(frozen=True)
class _Sole:
    """Extent of a sole along a path, from the middle of an object on, and across it [m]."""

    low: float
    high: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)


def _sole(
    walk: Walk, changed: ChangedPath, index: int, step: SourceStep, ahead: FloatArray, centre: FloatArray
) -> _Sole:
    """Return where the sole of a step comes to on a changed path."""
    corners = changed.stepped(index, step.middle(len(walk.qpos)), step.corners)[:, :2] - centre
    along, across = corners @ ahead, corners @ np.array([-ahead[1], ahead[0]])
    return _Sole(float(along.min()), float(along.max()), float(across.min()), float(across.max()))


def _edges(
    walk: Walk, met: Meeting, ahead: FloatArray, centre: FloatArray, sole: _Sole
) -> tuple[float, float]:
    """Return where an object begins and ends along the path before and behind a sole [m]."""
    lines = np.arange(-PROFILE_LENGTH, PROFILE_LENGTH, PROFILE_STEP)
    margin = SOLE_MARGIN * walk.size
    along, across = np.meshgrid(lines, np.linspace(sole.right - margin, sole.left + margin, BAND_LINES))
    points = np.zeros((along.size, 3))
    points[:, :2] = centre + along.reshape(-1, 1) * ahead
    points[:, :2] += across.reshape(-1, 1) * np.array([-ahead[1], ahead[0]])
    points[:, 2] = walk.world.ground_height
    over_it = along.reshape(-1)[walk.over_object(met.object, points, met.middle)]
    return (float(over_it.min()), float(over_it.max())) if len(over_it) else (np.inf, -np.inf)
