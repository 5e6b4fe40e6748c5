"""Trajectories of the feet of a motion on a flat floor over the ground of the scene.

Footsteps are put onto the surfaces under them, and swinging feet clear the obstacles between them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial.transform import Rotation, Slerp

from ..base.conventions import Z_UP, FloatArray, IntArray
from ..base.intervals import smooth_step
from ..world.ground import Ground, ObjectState, Surface
from .footsteps import MAX_CLIMB, Footstep, FootstepPlacement, SourceStep

PROFILE_S = 0.2
"""Time over which the footsteps are averaged for the displacement of the body [s]."""
TRANSPORT_S = 0.08
"""Time over which the displacement by moving ground is averaged: boards stop at once, bodies do not [s]."""
CLEARANCE = 0.03
"""Height of a swinging foot above edges, unless it was lower above the source's floor [m]."""
BEFORE_EDGE_S = 0.02
"""Time before and after an edge at which the foot has this height [s]."""
RAMP = 0.3
"""Share of a swing in which a lift rises, and in which it falls."""
MIN_BUMP = 0.25
"""Share of the lift below which the foot is about to stand, so that clearance does not matter."""
SWING_S = 0.4
"""Assumed duration of a swing that the clip does not show as a whole [s]."""


class FootTrajectories:
    """The trajectories of both feet.

    points (T, K, 3): sole points on the source's floor [m]; foot (K): 0 or 1
    level: height of that floor [m]; objects: states of the objects at T samples, dt [s] apart
    """

    def __init__(
        self,
        ground: Ground,
        objects: list[ObjectState],
        source_steps: list[SourceStep],
        points: FloatArray,
        foot: IntArray,
        level: float,
        dt: float,
    ) -> None:
        self.ground, self.objects, self.level, self.dt = ground, objects, level, dt
        self.placement = FootstepPlacement(ground, objects, source_steps, level, dt)
        self.feet = tuple(self._trajectory(points[:, foot == side], side) for side in (0, 1))

    def _trajectory(self, points: FloatArray, foot: int) -> _FootTrajectory:
        own = [step for step in self.placement.steps if step.source.foot == foot]
        return _FootTrajectory(self, points, own or self.placement.steps)

    def below(self, points: FloatArray, t: int) -> Surface:
        """Return the surface below points (N, 3) at a sample."""
        return self.ground.below(points, self.objects[t])

    def body_offset(self) -> FloatArray:
        """Return the offset of the pelvis (T, 3) [m]: that of moving ground plus a profile of the steps."""
        transport = self.placement.ground_displacement
        steps = np.mean([foot.displacement for foot in self.feet], axis=0) - transport
        return _smooth(transport, TRANSPORT_S / self.dt) + _smooth(steps, PROFILE_S / self.dt)


class _FootTrajectory:
    """How one foot is moved: its point x goes to sole + displacement + rotation (x - sole) + lift.

    sole (T, 3): centre of the sole on the source's floor [m]; displacement (T, 3) [m]
    rotation (T, 3, 3); lift (T): height that is added to clear edges [m]
    """

    def __init__(self, feet: FootTrajectories, points: FloatArray, steps: list[Footstep]) -> None:
        samples = len(points)
        self.sole = points.mean(axis=1)
        self.sole[:, 2] = feet.level
        self.displacement, self.rotation = (
            feet.placement.ground_displacement.copy(),
            np.tile(np.eye(3), (samples, 1, 1)),
        )
        self.lift = np.zeros(samples)
        for step in steps:
            self._stand(feet, step)
        for before, after in pairwise([None, *steps, None]):
            self._swing(feet, points, before, after)

    def moved(self, t: int, point: FloatArray) -> FloatArray:
        """Return where a point (3) of the source's foot goes at a sample."""
        return (
            self.sole[t]
            + self.displacement[t]
            + self.rotation[t] @ (point - self.sole[t])
            + self.lift[t] * Z_UP
        )

    def _stand(self, feet: FootTrajectories, step: Footstep) -> None:
        for t in range(step.source.start, step.source.end):
            self.displacement[t], self.rotation[t] = _move(feet, step, t, self.sole[t])

    def _swing(
        self, feet: FootTrajectories, points: FloatArray, before: Footstep | None, after: Footstep | None
    ) -> None:
        """Fill in a swing between two steps; a clip may start or end in the middle of a swing."""
        ends = [step for step in (before, after) if step is not None]
        start = 0 if before is None else before.source.end
        end = len(points) if after is None else after.source.start
        if not ends or start >= end:
            return
        since, until = np.arange(end - start) + 0.5, np.arange(end - start, 0, -1) - 0.5
        phase = since / (end - start)
        usual = SWING_S / feet.dt
        for t, part in zip(range(start, end), phase, strict=True):
            # As given by the step that the foot leaves, and by the one on which it lands.
            positions = [self._position_in_step(s, t) for s in ends]
            moves = [_move(feet, s, t, position) for s, position in zip(ends, positions, strict=True)]
            share = float(smooth_step(part)) if len(ends) == 2 else 0.0
            self.displacement[t] = (1.0 - share) * moves[0][0] + share * moves[-1][0]
            end_rotations = Rotation.from_matrix(np.array([moves[0][1], moves[-1][1]]))
            self.rotation[t] = Slerp([0.0, 1.0], end_rotations)(share).as_matrix()
        # A lift rises and falls within a part of the swing; a swing cut off by the clip has the usual length.
        rises, falls = before is not None and before.source.stands, after is not None and after.source.stands
        length = end - start if rises and falls else usual
        near = np.minimum(since if rises else np.inf, until if falls else np.inf)
        self._clear(feet, points, start, end, smooth_step(near / (RAMP * length)))

    def _position_in_step(self, step: Footstep, t: int) -> FloatArray:
        """Return the position of the sole at the sample of a step that is nearest to t."""
        last = len(self.sole) - 1
        return np.asarray(self.sole[min(max(min(t, step.source.end - 1), step.source.start), last)])

    def _clear(
        self, feet: FootTrajectories, points: FloatArray, start: int, end: int, bump: FloatArray
    ) -> None:
        """Lift a swing by a bump that is just high enough."""
        ground, height = np.zeros((2, end - start, points.shape[1]))
        for row, t in enumerate(range(start, end)):
            moved = np.array([self.moved(t, point) for point in points[t]])
            ground[row], height[row] = feet.below(moved, t).height, moved[:, 2]
        ground = maximum_filter1d(ground, 2 * round(BEFORE_EDGE_S / feet.dt) + 1, axis=0)
        wanted = ground + np.minimum(points[start:end, :, 2] - feet.level, CLEARANCE)
        counts = bump > MIN_BUMP
        if counts.any():
            need = ((wanted - height).max(axis=1) / bump)[counts].max()
            self.lift[start:end] = np.clip(need, 0.0, MAX_CLIMB) * bump


def _smooth(values: FloatArray, width: float) -> FloatArray:
    """Smooth values (T, 3) by a Gaussian of this width [samples]; slopes at the ends are kept."""
    pad = min(round(4.0 * width), len(values) - 1)
    padded = np.pad(values, ((pad, pad), (0, 0)), mode="reflect", reflect_type="odd")
    result: FloatArray = gaussian_filter1d(padded, width, axis=0)[pad : len(padded) - pad]
    return result


def _move(
    feet: FootTrajectories, step: Footstep, t: int, position: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the displacement (3) of a point of the source's floor by a step, and the rotation (3, 3)."""
    offset, matrix = step.at(feet.ground, feet.objects[t])
    return matrix @ position + offset - position, matrix
