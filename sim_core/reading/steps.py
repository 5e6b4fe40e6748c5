"""Steps of a motion: how long a leg swings, and where the pressure under the feet would have to be.

A leg swings nearly as long at any speed of walking, because it swings like a pendulum: 0.4 to 0.6 s for an
adult. Frames played too fast also need accelerations that no pressure under the feet can give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import GRAVITY, FloatArray
from ..base.intervals import true_intervals
from ..character.anthropometry import leg_length
from ..character.from_rig import RigCharacter
from ..character.posing import centre_of_mass, pose_from_motion, segment_centres, segment_poses
from ..character.transfer import sole_corners
from ..motion.motion import Motion, low_pass_values
from ..recognition.mapping import SIDES
from ..reference.contacts import REFERENCE_LEG_LENGTH

SWINGS_FROM = 0.2
"""Speed of a swinging ankle over its speed at the height of a swing; slower, the foot stands."""
LEAST_TRAVEL = 0.6
"""Least distance of a step's ankle, in leg lengths."""
CARRIED = (0.15, 0.75)
"""Range of the hips' travel in a swing over the ankle's; in a kick they stay, in a leap they go along."""
FEWEST_STEPS = 4
WIDEST_SPREAD = 2.5
"""Largest ratio of the slower quarter of swings to the faster; beyond it they are not steps of one kind."""

CUTOFF_HZ = 6.0
"""Cut-off before accelerations are taken [Hz]."""
TOUCHING = 0.04
"""Height of a sole's point below which it may carry load, for a leg of 0.86 m [m]."""
OUTSIDE = 0.05
"""Distance beyond the feet from which pressure is impossible, for a leg of 0.86 m [m]."""
LEAST_SUPPORT = 0.05
"""Share of the weight below which the ground would have to pull."""
DIRECTIONS = np.stack([np.cos(np.arange(16) * np.pi / 8), np.sin(np.arange(16) * np.pi / 8)])
"""Horizontal directions (2, 16) along which the support is measured."""


@dataclass(frozen=True)
class Swings:
    """The swings of a motion: their median duration for a leg of 0.86 m [s], and their number."""

    seconds: float
    count: int


def find_swings(character: RigCharacter, motion: Motion) -> Swings | None:
    """Return how long the legs swing in steps that carry the body; None where there are too few."""
    binding = character.binding
    leg = leg_length(binding)
    hips = motion.position_world[:, binding.joint[0], :2]
    frames: list[int] = []
    for side in SIDES:
        ankle = motion.position_world[:, binding.joint[binding.index(f"foot.{side}")], :2]
        speed = np.linalg.norm(np.diff(ankle, axis=0), axis=1)
        for start, end in true_intervals(speed > SWINGS_FROM * np.percentile(speed, 95)):
            travel = float(np.linalg.norm(ankle[end] - ankle[start]))
            carried = float(np.linalg.norm(hips[end] - hips[start])) / max(travel, 1e-9)
            whole = start > 0 and end < len(speed)
            if whole and travel > LEAST_TRAVEL * leg and CARRIED[0] < carried < CARRIED[1]:
                frames.append(end - start)
    if len(frames) < FEWEST_STEPS:
        return None
    short, middle, long = np.percentile(frames, (25, 50, 75))
    if long > WIDEST_SPREAD * short:
        return None
    return Swings(float(middle) / motion.rate_hz * np.sqrt(REFERENCE_LEG_LENGTH / leg), len(frames))


def impossible_share(character: RigCharacter, motion: Motion, rate_hz: float) -> float:
    """Return the share of the frames with feet on the ground whose forces no pressure there can give.

    rate_hz: at which the frames are played
    """
    spec = character.spec
    poses = segment_poses(spec, pose_from_motion(spec, character.binding, motion))
    size = leg_length(character.binding) / REFERENCE_LEG_LENGTH
    soles = sole_corners(spec, *poses)
    touches = soles[..., 2] - character.ground_height < TOUCHING * size
    pressure, support = _pressure(character, poses, rate_hz)
    reach = np.where(touches[..., None], soles[..., :2] @ DIRECTIONS, -np.inf).max(axis=1)
    stands = touches.any(axis=1)
    outside = (pressure @ DIRECTIONS - reach)[stands].max(axis=1)
    if not len(outside):
        return 0.0
    return float(((outside > OUTSIDE * size) | (support[stands] < LEAST_SUPPORT)).mean())


def _pressure(
    character: RigCharacter, poses: tuple[FloatArray, FloatArray], rate_hz: float
) -> tuple[FloatArray, FloatArray]:
    """Return the centre of pressure (T, 2) [m] that a motion needs, and the support (T) over the weight."""
    spec, dt = character.spec, 1.0 / rate_hz
    mass = np.array([segment.mass for segment in spec])
    centres = low_pass_values(segment_centres(spec, *poses), rate_hz, CUTOFF_HZ)
    com = low_pass_values(centre_of_mass(spec, *poses), rate_hz, CUTOFF_HZ)
    acceleration = np.gradient(np.gradient(centres, dt, axis=0), dt, axis=0)
    force = np.einsum("tsi,s->ti", acceleration, mass) + [0.0, 0.0, mass.sum() * GRAVITY]
    spin = np.einsum("s,tsi->ti", mass, np.cross(centres - com[:, None], acceleration))
    height = com[:, 2] - character.ground_height
    upwards = np.maximum(force[:, 2], LEAST_SUPPORT * mass.sum() * GRAVITY)
    moment = np.stack([height * force[:, 0] + spin[:, 1], height * force[:, 1] - spin[:, 0]], axis=1)
    return com[:, :2] - moment / upwards[:, None], force[:, 2] / (mass.sum() * GRAVITY)
