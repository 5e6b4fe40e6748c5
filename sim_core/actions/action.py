"""Actions: clips of one character on the control grid, and what they do at each time.

What an action does is measured, never read from its name: how fast the body goes, how fast it turns, and
which feet stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.conventions import GRAVITY, FloatArray
from ..base.intervals import true_intervals
from ..character.anthropometry import leg_length
from ..character.joint_repair import repair_motion
from ..character.posing import centre_of_mass, pose_from_motion, segment_poses
from ..motion.motion import CONTROL_DT, Motion
from ..recognition.mapping import SIDES
from ..sequence.clip import Body, Clip
from ..sequence.transition import ComplexArray, Frames

STEP_S = 0.6
"""Time over which speed and turning are averaged: about a step, so that sway does not count [s]."""
STANDING_SPEED = 0.1
"""Speed below which a body stands, as a share of sqrt(g leg): 0.3 m/s for an adult."""
RUNNING_SPEED = 0.75
"""Speed above which it runs, as the same share: 2.2 m/s."""
TURNING_DEG_S = 25.0
"""Turning above which a body turns on purpose [deg/s]; the sway of the hips, averaged, is below."""
LEAST_S = 0.5
"""What is done for less time does not name an action [s]."""


@dataclass(frozen=True, eq=False)
class Action:
    """One node of the graph.

    clip: its motion with contacts, on the control grid
    carrier: the bone that carries the body over the ground, the hips
    """

    name: str
    clip: Clip
    body: Body
    carrier: int

    def __len__(self) -> int:
        return len(self.clip.motion.time)

    @cached_property
    def frames(self) -> Frames:
        """The motion as transitions compare it."""
        return Frames.of(self.clip, self.body)

    @cached_property
    def velocity(self) -> FloatArray:
        """Velocity over the ground (T, 2) [m/s], averaged over a step."""
        return _rate(self.clip.motion.position_world[:, self.carrier, :2])

    @cached_property
    def speed(self) -> FloatArray:
        """Speed over the ground (T) [m/s]."""
        return np.linalg.norm(self.velocity, axis=1)

    @cached_property
    def heading(self) -> FloatArray:
        """The direction that the hips face (T) [rad], without jumps."""
        return heading_of(self.clip.motion, self.body)

    @cached_property
    def turning(self) -> FloatArray:
        """Turning to the left (T) [deg/s], averaged over a step."""
        return _rate(np.degrees(self.heading))

    @cached_property
    def capture(self) -> ComplexArray:
        """The capture point (T), x + iy [m]: where a foot has to be for the body to come to rest over it."""
        built = self.body.character
        repaired = repair_motion(built.binding, self.clip.motion).motion
        poses = segment_poses(built.spec, pose_from_motion(built.spec, built.binding, repaired))
        com = centre_of_mass(built.spec, *poses)
        rate = np.sqrt(GRAVITY / (com[:, 2] - built.ground_height))
        flat = com[:, 0] + 1j * com[:, 1]
        return np.asarray(flat + np.gradient(flat, CONTROL_DT) / rate)

    @property
    def usual_speed(self) -> float:
        """sqrt(g leg), in which speeds of bodies of all sizes compare [m/s]."""
        return float(np.sqrt(GRAVITY * leg_length(self.body.character.binding)))

    @property
    def doing(self) -> tuple[str, ...]:
        """What it does, one after the other: stand, walk, run, turn left, turn right."""
        relative = self.speed / self.usual_speed
        kinds = np.select(
            [self.turning > TURNING_DEG_S, self.turning < -TURNING_DEG_S, relative < STANDING_SPEED],
            [1, 2, 0],
            default=np.where(relative > RUNNING_SPEED, 4, 3),
        )
        words = ("stand", "turn left", "turn right", "walk", "run")
        found = [
            (start, words[kind])
            for kind in range(len(words))
            for start, end in true_intervals(kinds == kind)
            if (end - start) * CONTROL_DT >= LEAST_S
        ]
        ordered = [word for _, word in sorted(found)]
        return tuple(word for n, word in enumerate(ordered) if n == 0 or word != ordered[n - 1])

    @property
    def steps(self) -> int:
        """Number of times that a foot comes down."""
        stands = np.asarray(self.clip.touches.any(axis=2))
        return int(sum((stands[1:, side] & ~stands[:-1, side]).sum() for side in range(len(SIDES))))


def heading_of(motion: Motion, body: Body) -> FloatArray:
    """Return the direction that the hips face (T) [rad], without jumps."""
    left, right = (motion.position_world[:, leg.thigh] for leg in body.legs)
    across = left - right
    return np.unwrap(np.arctan2(-across[:, 0], across[:, 1]))


def _rate(values: FloatArray) -> FloatArray:
    """Return the mean rates of change of values (T, ...) over a step around each sample."""
    last, half = len(values) - 1, round(0.5 * STEP_S / CONTROL_DT)
    first, end = (np.clip(np.arange(last + 1) + side * half, 0, last) for side in (-1, 1))
    seconds = (end - first) * CONTROL_DT
    return np.asarray((values[end] - values[first]) / seconds.reshape(-1, *[1] * (values.ndim - 1)))


def wrapped(angle: FloatArray) -> FloatArray:
    """Return angles between -pi and pi [rad]."""
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)
