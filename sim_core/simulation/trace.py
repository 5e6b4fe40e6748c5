"""What a simulation leaves behind, sampled at the control rate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.intervals import true_intervals


@dataclass(frozen=True, eq=False)
class Trace:
    """Samples (T) of a simulation.

    time (T), qpos (T, nq), qvel (T, nv); body_com (T, S, 3), centre of mass of each segment
    assist (T, 6); push (T, 3), sum of the scene's pushes; torque (T, nu); contact_force (T, K, 3),
    contact_point (T, K, 3):
    mean values about each sample, weighted by a hat that reaches to the samples beside it. So
    mass times the second difference of the centre of mass equals the sum of recorded forces.
    contact_segment (K): the segment that each contact slot belongs to
    contact_other (K), contact_other_segment (K): of contacts with other characters, whose slots come last,
    the place among the engine's others and the segment; else -1
    object_qpos (T, .), object_qvel (T, .): joint coordinates of the scene's objects
    simulated (T): 1 where the state is the simulation's, 0 where it is the clip as it was, between: mixed
    carried: segments that followed their clip all the time
    angular_mean (T - 1, 3): angular momentum about the centre of mass [kg m^2/s], mean over the starts of the
    steps of each interval; without entries where it was not recorded
    wall_seconds: spent simulating; steps: simulation steps taken
    """

    time: FloatArray
    qpos: FloatArray
    qvel: FloatArray
    body_com: FloatArray
    assist: FloatArray
    push: FloatArray
    torque: FloatArray
    contact_force: FloatArray
    contact_point: FloatArray
    contact_segment: IntArray
    contact_other: IntArray
    contact_other_segment: IntArray
    object_qpos: FloatArray
    object_qvel: FloatArray
    simulated: FloatArray
    wall_seconds: float
    steps: int
    carried: tuple[int, ...] = ()
    angular_mean: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))

    def kinematic_share(self, mass: FloatArray) -> float:
        """Of the body by the masses (S) of its segments, over time, that followed the clip."""
        moved = 1.0 - mass[list(self.carried)].sum() / mass.sum()
        return float(1.0 - moved * self.simulated.mean())

    def angular_rate(self, angular: FloatArray) -> FloatArray:
        """How fast the angular momentum (T, 3) changes [Nm], as a mean with the hat of the recorded forces.

        A hat over steps that change it one by one leaves the difference between the means of two intervals,
        each over the ends of its steps. The ends of the trace are those of the samples beside them.
        """
        rate = np.zeros_like(angular)
        if len(self.angular_mean) < 2:
            return rate[:0]
        intervals, dt = len(angular) - 1, float(self.time[1] - self.time[0])
        at_ends = self.angular_mean + np.diff(angular, axis=0) / (self.steps / intervals)
        rate[1:-1] = np.diff(at_ends, axis=0) / dt
        rate[0], rate[-1] = rate[1], rate[-2]
        return rate

    @property
    def windows(self) -> list[tuple[float, float]]:
        """From when to when it was simulated, at least in part [s]."""
        found = true_intervals(self.simulated > 0.0)
        return [(float(self.time[start]), float(self.time[end - 1])) for start, end in found]


class HatAverage:
    """Mean of a signal about each sample, with weights falling linearly to the samples beside it.

    Step i of the n in interval k counts (n - i) / n^2 for sample k and i / n^2 for sample k + 1:
    with semi-implicit Euler this is exactly how a step's force enters the second difference.
    """

    def __init__(self, samples: int, shape: tuple[int, ...], steps_per_sample: int) -> None:
        self.sums = np.zeros((samples, *shape))
        self.steps = steps_per_sample
        late = np.arange(steps_per_sample) / steps_per_sample**2
        self.weights = np.stack([1.0 / steps_per_sample - late, late])

    def add(self, interval: int, values: FloatArray) -> None:
        """The values (m n, ...) at the steps of m intervals, from `interval` on."""
        flat = values.reshape(-1, self.steps, values[0].size)
        early, late = (self.weights @ flat).swapaxes(0, 1).reshape(2, len(flat), *values.shape[1:])
        self.sums[interval : interval + len(flat)] += early
        self.sums[interval + 1 : interval + 1 + len(flat)] += late

    def values(self, samples: int) -> FloatArray:
        """The first means; the end samples see half a hat only, so they are scaled up to a whole one."""
        n = self.steps
        result = self.sums[:samples].copy()
        result[0] *= 2.0 * n / (n + 1)
        result[-1] *= 2.0 * n / max(n - 1, 1)
        return result
