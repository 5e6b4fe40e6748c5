"""The recorded motion and forces of a simulated character, sampled at the control rate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.intervals import true_intervals
from .engine_inputs import EngineInputs


@dataclass(frozen=True, eq=False)
class Trace:
    """Samples (T) of one simulated character.

    time (T) [s], qpos (T, nq), qvel (T, nv); body_com (T, S, 3): centre of mass of each segment [m]
    assist (T, 6) [N, Nm]; push (T, 3): sum of the scene's pushes [N]; torque (T, nu) [Nm];
    contact_force (T, K, 3) [N]; contact_point (T, K, 3) [m]: means about each sample with the weights of
    HatAverage, so that mass times the second difference of the centre of mass equals the sum of the forces
    contact_segment (K): index of the segment that each contact slot belongs to
    contact_other (K), contact_other_segment (K): for contacts with other characters, whose slots come last,
    the index among the engine's other characters and the index of its segment; otherwise -1
    object_qpos (T, .), object_qvel (T, .): joint coordinates and velocities of the scene's objects
    soft_qpos (T, n, 4): rotations of the joints of soft parts; body_com counts them with their segments
    simulated (T): 1 where the state is the simulation's, 0 where it is the clip's, in between where blended
    kinematic_segments: indices of the segments that always followed the clip
    angular_mean (T - 1, 3): angular momentum about the centre of mass [kg m^2/s], mean over the starts of the
    steps of each interval; empty if it was not recorded
    wall_seconds: computing time of the simulation; steps: number of engine steps
    inputs: what acted on the engine, for all characters together; None if it was not recorded
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
    kinematic_segments: tuple[int, ...] = ()
    angular_mean: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    inputs: EngineInputs | None = None
    soft_qpos: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 4)))

    def kinematic_share(self, mass: FloatArray) -> float:
        """Return the share of the body, by mass (S) and over time, that followed the clip."""
        simulated_mass = 1.0 - mass[list(self.kinematic_segments)].sum() / mass.sum()
        return float(1.0 - simulated_mass * self.simulated.mean())

    def angular_rate(self, angular: FloatArray) -> FloatArray:
        """Return the rate of change of the angular momentum (T, 3) [Nm], averaged like the recorded forces.

        With the weights of HatAverage this is the difference between the means of two neighbouring intervals,
        each taken over the ends of its steps. The first and last sample repeat their neighbour's value.
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
        """Start and end times [s] of the intervals that were at least partly simulated."""
        found = true_intervals(self.simulated > 0.0)
        return [(float(self.time[start]), float(self.time[end - 1])) for start, end in found]


class HatAverage:
    """Mean of a signal about each sample, with weights that fall linearly to zero at its neighbours.

    Step i of n in interval k has the weight (n - i) / n^2 for sample k and i / n^2 for sample k + 1:
    with semi-implicit Euler, a step's force enters the second difference with exactly these weights.
    """

    def __init__(self, samples: int, shape: tuple[int, ...], steps_per_sample: int) -> None:
        self.sums = np.zeros((samples, *shape))
        self.steps = steps_per_sample
        late = np.arange(steps_per_sample) / steps_per_sample**2
        self.weights = np.stack([1.0 / steps_per_sample - late, late])

    def add(self, interval: int, values: FloatArray) -> None:
        """Add the values (m n, ...) at the steps of m intervals, from `interval` on."""
        flat = values.reshape(-1, self.steps, values[0].size)
        early, late = (self.weights @ flat).swapaxes(0, 1).reshape(2, len(flat), *values.shape[1:])
        self.sums[interval : interval + len(flat)] += early
        self.sums[interval + 1 : interval + 1 + len(flat)] += late

    def values(self, samples: int) -> FloatArray:
        """Return the means of the first samples; both ends, which have half the weights, are scaled up."""
        n = self.steps
        result = self.sums[:samples].copy()
        result[0] *= 2.0 * n / (n + 1)
        result[-1] *= 2.0 * n / max(n - 1, 1)
        return result
