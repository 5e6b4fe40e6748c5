"""The hopper's motion on a character: its mass carries the body, its foot both feet (dissertation, 6.3).

The character's pose is moved along as a whole and pitched as the hopper's trunk is; then the pose fit pulls
the feet to where the hopper's foot is, and the legs follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import GRAVITY, Z_UP, FloatArray
from ..base.errors import InputError
from ..base.intervals import true_intervals
from ..character.anthropometry import leg_length
from ..character.binding import bind
from ..motion.motion import CONTROL_DT, MIN_SAMPLES, Motion
from ..posefit.control_points import ControlMarker, pull_bones
from ..recognition.mapping import SIDES, BoneMapping
from .hopper import STEP_S, Hopper, Hops, Wish
from .pendulum import SpringLeg

FREQUENCY = 14.0
"""Frequency of the leg's spring [rad/s] for a leg of 0.86 m; it scales as that of a pendulum."""
USUAL_LEG = 0.86
BENT = 0.09
"""How much shorter than standing legs the hopper's leg is, as a share: knees that bend can push, and the leg
can be lengthened."""
OVER_HIPS = 0.1
"""Height of the centre of mass over the hip joints, as a share of the leg: the model's mass is there, because
a leg that pushes through the hips lets the body leave the ground turning."""
CLEARANCE = 0.13
"""Height of the feet at the top of a hop at least, as a share of the leg."""
GYRATION = 0.3
"""Radius of gyration of the trunk, as a share of the leg's length."""
SETTLE_S = 1.2
"""The last part of a motion, in which the body lands and stands [s]."""
FEWEST_S, LONGEST_S = 3.0, 3600.0
"""Shortest motion [s]."""
LOWEST = 0.02
"""Lowest hop [m]."""
HIGHEST, FASTEST = 0.3, 0.6
"""Highest hop as a share of the leg, and greatest speed as a share of sqrt(g leg)."""


@dataclass(frozen=True, eq=False)
class HopMotion:
    """The motion of a character that hops, and the hopper that it follows."""

    motion: Motion
    hops: Hops

    @property
    def note(self) -> str:
        """A sentence on the hops."""
        return f"The model hops {len(self.hops.apexes)} times in {self.motion.duration:.0f} s."

    def scaled(self, factor: float) -> HopMotion:
        """Return the motion of a body that is larger by a factor; the hopper stays."""
        return HopMotion(self.motion.scaled(factor), self.hops)


def hop_motion(pose: Motion, mapping: BoneMapping, wish: Wish, seconds: float) -> HopMotion:
    """Return the motion of a character that starts in a standing pose, the first sample, and hops."""
    binding = bind(pose.skeleton, mapping)
    leg = (1.0 + OVER_HIPS) * leg_length(binding)
    _refuse(wish, seconds, leg)
    frequency = FREQUENCY * np.sqrt(USUAL_LEG / leg)
    hopper = Hopper(SpringLeg(1.0, (1.0 - BENT) * leg, frequency), (GYRATION * leg) ** 2)
    hops = hopper.run(wish, seconds, SETTLE_S)
    every = round(CONTROL_DT / STEP_S)
    return HopMotion(_on_character(pose, mapping, hops, every, leg), hops)


def _refuse(wish: Wish, seconds: float, leg: float) -> None:
    highest, fastest = HIGHEST * leg, FASTEST * float(np.sqrt(GRAVITY * leg))
    if not LOWEST <= wish.height <= highest:
        raise InputError(
            f"A hop of {wish.height:g} m cannot be made; choose between {LOWEST:g} and {highest:.2f} m."
        )
    if not abs(wish.speed) <= fastest:
        raise InputError(f"Hopping at {wish.speed:g} m/s is too fast; choose at most {fastest:.1f} m/s.")
    if not seconds >= FEWEST_S:
        raise InputError(
            f"Hopping for {seconds:g} s is too short; it needs {FEWEST_S:g} s to start and to stop."
        )
    if seconds > LONGEST_S:
        raise InputError(f"Hopping for {seconds:g} s is too long; choose at most {LONGEST_S:g} s.")


def _on_character(pose: Motion, mapping: BoneMapping, hops: Hops, every: int, leg: float) -> Motion:
    skeleton, hip, foot = pose.skeleton, hops.hip[::every], _tucked(hops, leg)[::every]
    thighs = [skeleton.index[mapping.first(f"thigh.{side}")] for side in SIDES]
    left, right = (pose.position_world[0, bone] for bone in thighs)
    across = left - right
    ahead = np.array([across[1], -across[0], 0.0])
    ahead /= np.linalg.norm(ahead)
    pivot = 0.5 * (left + right) + leg * OVER_HIPS / (1.0 + OVER_HIPS) * Z_UP
    shift = hip[:, :1] * ahead + (hip[:, 1:] - leg) * Z_UP
    side = np.cross(Z_UP, ahead)
    turn = rotations.from_vector(hops.pitch[::every, None] * side)
    position = rotations.rotate(turn[:, None], pose.position_world[0] - pivot) + pivot + shift[:, None]
    quaternion = rotations.multiply(turn[:, None], pose.quaternion_world[0])
    carried = Motion(skeleton, np.arange(len(hip)) * CONTROL_DT, position, quaternion)
    hips = mapping.first("hips")
    held = ControlMarker(hips, carried.position_world[:, skeleton.index[hips]], np.ones(len(hip)))
    return pull_bones(carried, mapping, [held, *_foot_markers(pose, mapping, foot, ahead)])


def _tucked(hops: Hops, leg: float) -> FloatArray:
    """Return the path of the foot (T, 2), pulled up in the middle of each flight by bent knees.

    A foot that is low and slow at the top of a low hop could not be told from one that stands.
    """
    foot = hops.foot.copy()
    for start, end in true_intervals(~hops.stands):
        missing = CLEARANCE * leg - float(foot[start:end, 1].max())
        if missing > 0.0:
            foot[start:end, 1] += missing * np.sin(np.linspace(0.0, np.pi, end - start)) ** 2
    return foot


def _foot_markers(
    pose: Motion, mapping: BoneMapping, foot: FloatArray, ahead: FloatArray
) -> list[ControlMarker]:
    """Return markers that carry feet and toes of both sides along with the hopper's foot (T, 2)."""
    path = foot[:, :1] * ahead + foot[:, 1:] * Z_UP
    bones = [
        mapping.first(slot) for side in SIDES for slot in (f"foot.{side}", f"toe.{side}") if slot in mapping
    ]
    sure = np.ones(len(foot))
    return [
        ControlMarker(bone, pose.position_world[0, pose.skeleton.index[bone]] + path, sure) for bone in bones
    ]


def standing_pose(motion: Motion, mapping: BoneMapping) -> Motion:
    """Return the pose of a motion that stands best, as the first sample of a short part of it."""
    sample = min(standing_sample(motion, mapping), len(motion.time) - MIN_SAMPLES)
    part = slice(sample, sample + MIN_SAMPLES)
    return Motion(
        motion.skeleton, motion.time[part], motion.position_world[part], motion.quaternion_world[part]
    )


def standing_sample(motion: Motion, mapping: BoneMapping) -> int:
    """Return the sample of a motion in which the feet are nearest to each other and the hips are high."""
    at = motion.skeleton.index
    left, right = (motion.position_world[:, at[mapping.first(f"foot.{side}")]] for side in SIDES)
    hips = motion.position_world[:, at[mapping.first("hips")]]
    height = hips[:, 2] - 0.5 * (left + right)[:, 2]
    apart = np.linalg.norm((left - right) * [1.0, 1.0, 2.0], axis=1)
    off = np.linalg.norm((hips - 0.5 * (left + right))[:, :2], axis=1)
    return int(np.argmin(apart + off - 2.0 * height))
