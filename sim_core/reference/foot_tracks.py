"""How the feet of a motion on a flat floor go over the ground that is there, and the body with them.

Feet keep their steps, each put onto the surface under it; swinging feet clear what lies between.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial.transform import Rotation, Slerp

from ..base.conventions import Z_UP, FloatArray, IntArray
from ..base.intervals import smooth_step
from ..world.ground import Ground, ObjectState, Surface
from .footsteps import CLIMB, Footstep, Placement, Sole

PROFILE_S = 0.2
"""The body's height follows the steps smoothed over about this time [s]."""
CARRIED_S = 0.08
"""It follows what carries it smoothed over about this time: boards stop at once, bodies do not [s]."""
CLEARANCE = 0.03
"""A swinging foot passes this far above edges, or as far as it was above the floor [m]."""
BEFORE_EDGE_S = 0.02
"""It is up there this long before and after [s]."""
RAMP = 0.3
"""A lift is reached within this share of a swing, and left within the same."""
LEAST_LIFT = 0.25
"""Where a swing's lift is smaller than this share of its height, the foot is about to stand."""
SWING_S = 0.4
"""How long a swing takes that the clip does not show as a whole [s]."""


class FootTracks:
    """Both feet on the ground, by their points (T, K, 3) on the source's floor; foot (K): 0 or 1.

    level: of that floor [m]; objects: states of what is about, one for each of T samples, dt [s] apart
    """

    def __init__(
        self,
        ground: Ground,
        objects: list[ObjectState],
        soles: list[Sole],
        points: FloatArray,
        foot: IntArray,
        level: float,
        dt: float,
    ) -> None:
        self.ground, self.objects, self.level, self.dt = ground, objects, level, dt
        self.placement = Placement(ground, objects, soles, level, dt)
        self.feet = tuple(self._track(points[:, foot == side], side) for side in (0, 1))

    def _track(self, points: FloatArray, foot: int) -> _Track:
        own = [step for step in self.placement.steps if step.sole.foot == foot]
        return _Track(self, points, own or self.placement.steps)

    def below(self, points: FloatArray, t: int) -> Surface:
        return self.ground.below(points, self.objects[t])

    def body_offset(self) -> FloatArray:
        """Of the pelvis (T, 3): with what carries it, and with a smooth profile of the steps [m]."""
        carried = self.placement.carried
        steps = np.mean([track.way for track in self.feet], axis=0) - carried
        return _smooth(carried, CARRIED_S / self.dt) + _smooth(steps, PROFILE_S / self.dt)


class _Track:
    """How one foot is moved: point x of it goes to sole + way + turn (x - sole), lifted over edges.

    sole (T, 3): the middle of the sole on the source's floor; way (T, 3); turn (T, 3, 3); lift (T)
    """

    def __init__(self, tracks: FootTracks, points: FloatArray, steps: list[Footstep]) -> None:
        samples = len(points)
        self.sole = points.mean(axis=1)
        self.sole[:, 2] = tracks.level
        self.way, self.turn = tracks.placement.carried.copy(), np.tile(np.eye(3), (samples, 1, 1))
        self.lift = np.zeros(samples)
        for step in steps:
            self._stand(tracks, step)
        for before, after in pairwise([None, *steps, None]):
            self._swing(tracks, points, before, after)

    def moved(self, t: int, point: FloatArray) -> FloatArray:
        return self.sole[t] + self.way[t] + self.turn[t] @ (point - self.sole[t]) + self.lift[t] * Z_UP

    def _stand(self, tracks: FootTracks, step: Footstep) -> None:
        for t in range(step.sole.start, step.sole.end):
            self.way[t], self.turn[t] = _move(tracks, step, t, self.sole[t])

    def _swing(
        self, tracks: FootTracks, points: FloatArray, before: Footstep | None, after: Footstep | None
    ) -> None:
        """Fills in what lies between two steps; a clip may start or end in the middle of a swing."""
        ends = [step for step in (before, after) if step is not None]
        start = 0 if before is None else before.sole.end
        end = len(points) if after is None else after.sole.start
        if not ends or start >= end:
            return
        since, until = np.arange(end - start) + 0.5, np.arange(end - start, 0, -1) - 0.5
        phase = since / (end - start)
        usual = SWING_S / tracks.dt
        for t, part in zip(range(start, end), phase, strict=True):
            # Seen from where the foot left a step and from where it comes down.
            marks = [self._mark(s, t) for s in ends]
            moves = [_move(tracks, s, t, mark) for s, mark in zip(ends, marks, strict=True)]
            share = float(smooth_step(part)) if len(ends) == 2 else 0.0
            self.way[t] = (1.0 - share) * moves[0][0] + share * moves[-1][0]
            turns = Rotation.from_matrix(np.array([moves[0][1], moves[-1][1]]))
            self.turn[t] = Slerp([0.0, 1.0], turns)(share).as_matrix()
        # Lifts rise and fall within a part of the swing; a swing that the clip cuts off has the usual length.
        rises, falls = before is not None and before.sole.stands, after is not None and after.sole.stands
        length = end - start if rises and falls else usual
        near = np.minimum(since if rises else np.inf, until if falls else np.inf)
        self._clear(tracks, points, start, end, smooth_step(near / (RAMP * length)))

    def _mark(self, step: Footstep, t: int) -> FloatArray:
        """Where the foot is nearest to a step in time."""
        last = len(self.sole) - 1
        return np.asarray(self.sole[min(max(min(t, step.sole.end - 1), step.sole.start), last)])

    def _clear(self, tracks: FootTracks, points: FloatArray, start: int, end: int, bump: FloatArray) -> None:
        """Lifts a swing by a bump that is just high enough."""
        ground, height = np.zeros((2, end - start, points.shape[1]))
        for row, t in enumerate(range(start, end)):
            moved = np.array([self.moved(t, point) for point in points[t]])
            ground[row], height[row] = tracks.below(moved, t).height, moved[:, 2]
        ground = maximum_filter1d(ground, 2 * round(BEFORE_EDGE_S / tracks.dt) + 1, axis=0)
        wanted = ground + np.minimum(points[start:end, :, 2] - tracks.level, CLEARANCE)
        counts = bump > LEAST_LIFT
        if counts.any():
            need = ((wanted - height).max(axis=1) / bump)[counts].max()
            self.lift[start:end] = np.clip(need, 0.0, CLIMB) * bump


def _smooth(values: FloatArray, width: float) -> FloatArray:
    """Values (T, 3) without what is faster than a width [samples]; rates at the ends are kept."""
    pad = min(round(4.0 * width), len(values) - 1)
    padded = np.pad(values, ((pad, pad), (0, 0)), mode="reflect", reflect_type="odd")
    result: FloatArray = gaussian_filter1d(padded, width, axis=0)[pad : len(padded) - pad]
    return result


def _move(tracks: FootTracks, step: Footstep, t: int, mark: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far a point of the source's floor goes with a step (3), and the step's turn (3, 3)."""
    offset, matrix = step.at(tracks.ground, tracks.objects[t])
    return matrix @ mark + offset - mark, matrix
