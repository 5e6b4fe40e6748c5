"""Motions in place: feet that slide back under a body that stays stand on a belt, as on a treadmill.

On a belt that moves evenly the forces are those of walking over ground that stands still (Galileo). So a
clip in place is simulated walking, and the rig gets the outcome back in its place (`Take.on_rig`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from ..character.posing import centre_of_mass, pose_from_motion, segment_poses
from ..character.transfer import sole_corners
from .job import Job
from .scenario import Scenario, make_scenario
from .settings import BakeSettings

LOW = 0.03
"""Points that are this near to their lowest height tell the speed of a belt [m]."""
LOWEST_PERCENTILE = 5.0
"""Of a point's heights, its lowest."""
BELT_SPEED = 0.3
"""Feet that slide slower over the ground stand on a floor [m/s]."""
BODY_SHARE = 0.5
"""A body that moves as fast as this share of its feet's sliding is not on a belt."""


@dataclass(frozen=True, eq=False)
class Belt:
    """What feet of a motion in place stand on: its velocity (3) [m/s]; leg_length [m] of who walks on it."""

    velocity: FloatArray
    leg_length: float

    @property
    def _slides(self) -> str:
        speed = float(np.linalg.norm(self.velocity))
        return f"The feet slide at {speed:.2f} m/s under a body that stays, as on a treadmill"

    def left_by(self, job: Job) -> Job:
        """The job over ground that stands still."""
        passed = job.motion.time - job.motion.time[0]
        return replace(job, motion=job.motion.moved(-self.velocity * passed[:, None, None]))

    def noted_on(self, scenario: Scenario) -> Scenario:
        """The take of a job that left the belt, knowing it."""
        note = f"{self._slides}: its forces are those of walking at that speed, and the bones stay in place."
        grown = scenario.leg_length / self.leg_length
        return replace(scenario.with_notes(note), belt=grown * self.velocity)

    def noted_beside_things(self, scenario: Scenario) -> Scenario:
        """The take of a job that did not leave the belt, because things of the scene stay where they are."""
        told = "with objects or strikes about it they are taken to slide over the floor."
        return scenario.with_notes(f"{self._slides}; {told}")


def find_belt(job: Job) -> Belt | None:
    """On which a job's motion is in place; None on the ground."""
    scenario = make_scenario(Job(job.motion, job.mapping, BakeSettings()))
    poses = segment_poses(scenario.spec, pose_from_motion(scenario.spec, scenario.binding, scenario.repaired))
    points, com = sole_corners(scenario.spec, *poses), centre_of_mass(scenario.spec, *poses)
    velocity = belt_velocity(points, com, 1.0 / scenario.repaired.rate_hz)
    return Belt(velocity, scenario.leg_length) if velocity.any() else None


def belt_velocity(points: FloatArray, com: FloatArray, dt: float) -> FloatArray:
    """Of a treadmill (3) [m/s]: how low sole points (T, K, 3) move while the body stays; else zero."""
    low = points[..., 2] < np.percentile(points[..., 2], LOWEST_PERCENTILE, axis=0) + LOW
    velocity = np.gradient(points, dt, axis=0)
    found = np.append(np.median(velocity[low][:, :2], axis=0), 0.0)
    sliding = float(np.linalg.norm(found))
    travel = float(np.linalg.norm((com[-1] - com[0])[:2])) / ((len(com) - 1) * dt)
    return found if sliding > BELT_SPEED and travel < BODY_SHARE * sliding else np.zeros(3)
