"""Where the feet of a motion on a flat floor stand on the ground that is there.

Each contact of a foot is one footstep: a rigid move of the floor under the sole onto the surface, which
then goes where that surface goes. Surfaces that carry the body shift the path of all later steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray, IntArray
from ..base.errors import InputError
from ..base.intervals import true_intervals
from ..world.ground import NOTHING, Ground, ObjectState, Surface

CLIMB = 0.5
"""No step leads further up than this [m]: what is higher hangs above."""
MARGIN = 0.04
"""Feet should keep this far from edges with heel and toes [m]: nobody steps exactly as planned."""
GRID = np.linspace(-0.5, 0.5, 5)
"""Where the ground under a sole is looked at, along its length and its width, in parts of them."""
SHIFTS = np.array([0.025 * n * sign for n in range(7) for sign in (1, -1)][1:])
"""How far a foot may be set forwards to stand better, nearest first [m]."""
EVEN = 0.008
"""Ground under a sole that departs less from a plane is as good as even [m]."""
SHOWN_S = 0.15
"""A foot that swings for a shorter time before its first step or after its last one goes with it [s]."""
NEAR_EDGE = 0.3
"""How bad it is to come nearer."""
SHIFT_SIGMA, TILT_SIGMA = 0.2, 0.5
"""As bad as ground that is uneven by EVEN more: a longer way [m], a tilted sole [rad]."""


@dataclass(frozen=True, eq=False)
class Sole:
    """A footstep on the source's floor: samples start to end (past the last), foot 0 or 1.

    One without samples is where a foot is that swings as the clip starts or ends.
    corners (P, 3): of the sole at rest on the floor [m], heel first; ahead (3): where its toes point
    """

    start: int
    end: int
    foot: int
    corners: FloatArray
    ahead: FloatArray

    @property
    def stands(self) -> bool:
        return self.end > self.start

    @property
    def centre(self) -> FloatArray:
        return self.corners.mean(axis=0)


@dataclass(frozen=True, eq=False)
class Footstep:
    """A sole on the ground: floor point x stands at place + turn (x - sole.centre) at touchdown.

    object: that it stands on; object_place (3), object_turn (3, 3): its pose at touchdown
    """

    sole: Sole
    place: FloatArray
    turn: FloatArray
    object: int
    object_place: FloatArray
    object_turn: FloatArray

    def at(self, ground: Ground, objects: ObjectState) -> tuple[FloatArray, FloatArray]:
        """Offset (3) and matrix (3, 3) with x -> matrix x + offset, for the floor under the sole now."""
        place, turn = ground.pose(self.object, objects)
        since = turn @ self.object_turn.T
        now = place + since @ (self.place - self.object_place)
        matrix = since @ self.turn
        return now - matrix @ self.sole.centre, matrix


def find_soles(points: FloatArray, touches: BoolArray, foot: IntArray, level: float, dt: float) -> list[Sole]:
    """Footsteps of a motion by their touchdowns; points (T, K, 3), touches (T, K), foot (K): 0 or 1."""
    soles = []
    for f in (0, 1):
        mine = np.flatnonzero(foot == f)
        stands = np.asarray(touches[:, mine].any(axis=1))
        standing = true_intervals(stands)
        for start, end in standing:
            flat = touches[start:end, mine].all(axis=1)
            if not flat.any():  # the flattest moment of a foot that only rolls
                flat = np.arange(end - start) == np.argmin(np.ptp(points[start:end, mine, 2], axis=1))
            soles.append(_sole(start, end, f, points[start:end, mine][flat].mean(axis=0), level))
        # A swing of which the clip shows enough has a place of its own to come from or to go to.
        first, last = (standing[0][0], standing[-1][1]) if standing else (len(points), 0)
        if first * dt > SHOWN_S:
            soles.append(_sole(0, 0, f, points[0, mine], level))
        if (len(points) - last) * dt > SHOWN_S:
            soles.append(_sole(len(points), len(points), f, points[-1, mine], level))
    return sorted(soles, key=lambda sole: sole.start)


def _sole(start: int, end: int, foot: int, corners: FloatArray, level: float) -> Sole:
    on_floor = corners * [1.0, 1.0, 0.0] + level * Z_UP
    half = len(corners) // 2
    ahead = on_floor[half:].mean(axis=0) - on_floor[:half].mean(axis=0)
    return Sole(start, end, foot, on_floor, ahead / max(float(np.linalg.norm(ahead)), 1e-6))


class Placement:
    """Footsteps on the ground, and how far (T, 3) the body is carried by what it stands on."""

    def __init__(
        self, ground: Ground, objects: list[ObjectState], soles: list[Sole], level: float, dt: float
    ) -> None:
        self.ground, self.objects, self.dt = ground, objects, dt
        self.steps: list[Footstep] = []
        self.carried = np.zeros((len(objects), 3))
        self._velocity = np.zeros(3)
        done = 0
        for sole in soles:
            now = min(sole.start, len(objects) - 1)
            self._carry(done, now)
            done = now
            step = self._place(sole, now, level)
            if step is not None:
                self.steps.append(step)
                level = float(step.place[2])
        self._carry(done, len(objects) - 1)

    def _carry(self, start: int, end: int) -> None:
        """Fills in `carried` after sample start, up to sample end."""
        for t in range(start, end):
            standing = [step for step in self.steps if step.sole.start <= t < step.sole.end]
            if standing:  # in flight nothing changes the speed
                ways = [self._way(step, t) for step in standing]
                self._velocity = np.mean(ways, axis=0)
            self.carried[t + 1] = self.carried[t] + self._velocity

    def _way(self, step: Footstep, t: int) -> FloatArray:
        """Of a sole's centre to the next sample."""
        centre = step.sole.centre
        now, later = (step.at(self.ground, self.objects[i]) for i in (t, t + 1))
        return np.asarray(later[1] @ centre + later[0] - now[1] @ centre - now[0])

    def _place(self, sole: Sole, now: int, level: float) -> Footstep | None:
        """The step; None for a swinging foot that has no ground under it."""
        objects, planned = self.objects[now], sole.centre + self.carried[now]
        best: _Plane | None = None
        least = np.inf
        for shift in SHIFTS if sole.stands else SHIFTS[:1]:
            way = float((shift / SHIFT_SIGMA) ** 2)
            if way >= least:
                break  # no place further off can be better
            found = self._plane(sole, planned + shift * sole.ahead, level, objects)
            if found is not None and way + found.badness < least:
                best, least = found, way + found.badness
        if best is None and sole.stands:
            raise InputError(
                f"There is no ground where a foot should stand at {now * self.dt:.2f} s "
                f"(x {planned[0]:.2f}, y {planned[1]:.2f}); make the ground larger or the motion shorter."
            )
        if best is None:
            return None
        pose = self.ground.pose(best.object, objects)
        return Footstep(sole, best.place, rotations.from_up(best.normal), best.object, *pose)

    def _plane(self, sole: Sole, centre: FloatArray, level: float, objects: ObjectState) -> _Plane | None:
        """Through the ground under a sole; None where ground is missing."""
        aside = np.cross(Z_UP, sole.ahead)
        size = np.ptp((sole.corners - sole.centre) @ np.stack([sole.ahead, aside], axis=1), axis=0)
        margin = 0.5 * size[0] + MARGIN
        along, across = np.meshgrid([-margin, *(GRID * size[0]), margin], GRID * size[1])
        along, across = along.reshape(-1), across.reshape(-1)
        points = centre + np.outer(along, sole.ahead) + np.outer(across, aside)
        points[:, 2] = level
        found = self.ground.below(points, objects, CLIMB)
        under = np.abs(along) <= 0.5 * size[0] + 1e-9
        if (found.object == NOTHING)[under].any():
            return None
        height = np.maximum(found.height, found.height.max() - CLIMB)  # past its end the ground is far down
        rows = np.column_stack([np.ones(len(points)), points[:, :2] - centre[:2]])
        plane = np.linalg.lstsq(rows[under], height[under], rcond=None)[0]
        normal = np.array([-plane[1], -plane[2], 1.0])
        normal /= np.linalg.norm(normal)
        off = np.abs(rows @ plane - height)
        badness = max(float(off[under].max()) / EVEN - 1.0, 0.0) ** 2
        badness += (float(np.arccos(normal[2])) / TILT_SIGMA) ** 2
        badness += NEAR_EDGE if off[~under].max() > 2.0 * EVEN else 0.0
        return _Plane(badness, np.array([*centre[:2], plane[0]]), normal, _most_common(found))


@dataclass(frozen=True, eq=False)
class _Plane:
    """Ground under a sole: how bad it is to stand on, its middle (3), its normal (3), what it belongs to."""

    badness: float
    place: FloatArray
    normal: FloatArray
    object: int


def _most_common(found: Surface) -> int:
    values, counts = np.unique(found.object, return_counts=True)
    return int(values[np.argmax(counts)])
