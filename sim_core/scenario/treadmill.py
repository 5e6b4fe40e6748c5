"""Walking in place: feet that slide back under a body that stays are on a treadmill.

On a belt that moves evenly the forces are those of walking over ground at rest (Galilean invariance). So a
clip in place is simulated walking, and the rig gets the outcome back in its place (`Scenario.on_rig`).
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
"""Points within this of their lowest height show the velocity of the belt [m]."""
LOWEST_PERCENTILE = 5.0
"""Percentile of a point's heights that counts as its lowest height."""
BELT_SPEED = 0.3
"""Feet that slide more slowly stand on a floor [m/s]."""
BODY_SHARE = 0.5
"""A body that travels faster than this share of its feet's sliding is not on a treadmill."""


@dataclass(frozen=True, eq=False)
class Belt:
    """The belt of a treadmill: its velocity (3) [m/s], and the leg length [m] of the body that walks on it.

    Both are at the rig's own size.
    """

    velocity: FloatArray
    leg_length: float

    def _under(self, scenario: Scenario) -> FloatArray:
        """Return the belt's velocity (3) under the body of a scenario, at its physical size [m/s]."""
        return scenario.leg_length / self.leg_length * self.velocity

    def _sentence(self, scenario: Scenario) -> str:
        speed = float(np.linalg.norm(self._under(scenario)))
        return f"The feet slide at {speed:.2f} m/s under a body that stays, as on a treadmill"

    def over_ground(self, job: Job) -> Job:
        """Return the job with its motion walking over ground at rest."""
        elapsed = job.motion.time - job.motion.time[0]
        return replace(job, motion=job.motion.moved(-self.velocity * elapsed[:, None, None]))

    def note_treadmill(self, scenario: Scenario) -> Scenario:
        """Return the scenario of a job that walks over ground, with the belt its bones are put back on."""
        note = (
            f"{self._sentence(scenario)}: its forces are those of walking at that speed, "
            "and the bones stay in place."
        )
        return replace(scenario.with_notes(note), belt=self._under(scenario))

    def note_over_ground(self, scenario: Scenario) -> Scenario:
        """Return the scenario of a job that walks over ground and is not put back."""
        return scenario.with_notes(
            f"{self._sentence(scenario)}: it is sent as walking over ground at that speed."
        )

    def note_sliding(self, scenario: Scenario) -> Scenario:
        """Return the scenario of a job that stays in place, because its objects or targets do."""
        return scenario.with_notes(
            f"{self._sentence(scenario)}; with objects or strikes about it they are taken to slide "
            "over the floor."
        )


def find_belt(job: Job, scenario: Scenario) -> Belt | None:
    """Return the treadmill that a job's motion walks on; None on the ground.

    Speeds and heights are judged at the size of the body that was captured, whatever the units of its rig
    and the size that it is simulated at.
    scenario: of the job
    """
    settings = job.settings
    if settings.character is not None or settings.height is not None:
        scenario = make_scenario(Job(job.motion, job.mapping, BakeSettings()))
    poses = segment_poses(scenario.spec, pose_from_motion(scenario.spec, scenario.binding, scenario.repaired))
    points, com = sole_corners(scenario.spec, *poses), centre_of_mass(scenario.spec, *poses)
    velocity = belt_velocity(points, com, 1.0 / scenario.repaired.rate_hz) / scenario.scale
    return Belt(velocity, scenario.leg_length / scenario.scale) if velocity.any() else None


def belt_velocity(points: FloatArray, com: FloatArray, dt: float) -> FloatArray:
    """Return the velocity (3) of a treadmill's belt [m/s]; zero where the feet are not on one.

    points (T, K, 3): of the soles; com (T, 3): centre of mass; dt: between samples [s]
    """
    low = points[..., 2] < np.percentile(points[..., 2], LOWEST_PERCENTILE, axis=0) + LOW
    velocity = np.gradient(points, dt, axis=0)
    belt = np.append(np.median(velocity[low][:, :2], axis=0), 0.0)
    sliding = float(np.linalg.norm(belt))
    travel = float(np.linalg.norm((com[-1] - com[0])[:2])) / ((len(com) - 1) * dt)
    return belt if sliding > BELT_SPEED and travel < BODY_SHARE * sliding else np.zeros(3)
