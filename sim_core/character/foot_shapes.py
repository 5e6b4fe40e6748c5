"""Geometry of the feet: axes of the sole and its depth below the ankle.

Rest poses splay legs and tilt feet, so it is measured in the frames in which a foot stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import REFERENCE_HEIGHT_M, X_FORWARD, Z_UP, FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES, BoneMapping
from .anthropometry import ANKLE_HEIGHT_SHARE, FOOT_LENGTH_SHARE, HEEL_SHARE_OF_FOOT
from .binding import RigBinding

STANCE_SPEED = 0.25
"""Speed of a foot, below which it may stand [m/s]."""
UPRIGHT_SHIN = np.radians(20.0)
"""Largest tilt of the shin of a flat foot; on tiptoe the shin leans [rad]."""
MIN_STANCE_SAMPLES = 5
REST_FLOOR = 0.01
"""Ankles nearer than this to their height at rest, over body height, are on the rig's own floor."""
LYING_TILT = np.radians(60.0)
"""Angle between the trunk and the vertical beyond which a body lies [rad]."""
NEAR_REST_FLOOR = 0.2
"""How far the lowest joint may be from the ankles at rest if both are on one floor, over body height."""
BELOW_TOE = (0.020, 0.045)
"""Least and largest depth of the sole below the toe joint, for a body of the reference height [m]."""
LOW_ANKLE = 0.02
"""How far above its median the ankle of a standing foot may be, over body height."""
BALL_SHARE, LEAST_BALL_SHARE = 0.48, 0.3
"""Distance of the ball before the ankle without a toe bone, and the least with one, over foot length."""
LEAST_ACROSS = 0.01
"""Share of a direction that must lie along the sole, or rounding decides where the foot points."""
SHORTEST_TOE_M = 1e-4
SAME_GROUND = 0.01
"""Height of the ground, below which it is taken for zero [m]."""


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot's geometry in its segment frame, whose origin is the ankle and whose Z is the sole's normal.

    axes_world_rest (4): axes of the foot segment in the rest pose
    heel_x, ball_x, tip_x: positions along the sole [m]
    depth: depth of the sole below the ankle [m]
    """

    axes_world_rest: FloatArray
    heel_x: float
    ball_x: float
    tip_x: float
    depth: float


@dataclass(frozen=True, eq=False)
class Stance:
    """The up direction in the foot bone's axes (3) and the height of the ankle [m] while a foot stands.

    as_at_rest: whether it stands on the floor that the rig rests on
    """

    up_in_bone: FloatArray
    ankle_height: float
    as_at_rest: bool = False


def measure_feet(
    binding: RigBinding, mapping: BoneMapping, motion: Motion, height: float
) -> tuple[dict[str, Foot], float]:
    """Return the feet by segment name, and the height of the ground on which they stand [m]."""
    stances = {side: _stance(binding, motion, side, height) for side in SIDES}
    feet = {f"foot.{s}": _foot(binding, mapping, s, stances[s].up_in_bone, height) for s in SIDES}
    ankle = _floor_ankle_height(binding, motion, tuple(stances.values()), height)
    toe_depths = [_toe_depth(binding, mapping, s, feet[f"foot.{s}"]) for s in SIDES]
    scale = height / REFERENCE_HEIGHT_M
    toe_depth = float(np.mean(toe_depths))
    depth = float(np.clip(ankle, toe_depth + BELOW_TOE[0] * scale, toe_depth + BELOW_TOE[1] * scale))
    ground = ankle - depth
    if abs(ground) < SAME_GROUND * scale:
        ground = 0.0
    return {n: Foot(f.axes_world_rest, f.heel_x, f.ball_x, f.tip_x, depth) for n, f in feet.items()}, ground


def _stance(binding: RigBinding, motion: Motion, side: str, height: float) -> Stance:
    foot = binding.index(f"foot.{side}")
    ankle = motion.position_world[:, binding.joint[foot]]
    speed = np.linalg.norm(np.gradient(ankle, motion.time, axis=0), axis=1)
    shin = binding.index(f"shin.{side}")
    shin_axes = rotations.multiply(
        motion.quaternion_world[:, binding.driver[shin]], binding.bone_to_segment[shin]
    )
    upright = rotations.rotate(shin_axes, Z_UP)[:, 2] > np.cos(UPRIGHT_SHIN)
    slow = speed < STANCE_SPEED * np.sqrt(height / REFERENCE_HEIGHT_M)
    standing = slow & upright
    if standing.sum() >= MIN_STANCE_SAMPLES:
        low = ankle[:, 2] < np.quantile(ankle[standing, 2], 0.5) + LOW_ANKLE * height
        standing &= low
    rest = float(binding.rest_position(f"foot.{side}")[2])
    lowest_stance = rest + 2.0 * REST_FLOOR * height
    if standing.sum() < MIN_STANCE_SAMPLES or np.median(ankle[standing, 2]) > lowest_stance:
        # Knees of game characters may be bent throughout, but their feet are keyed on the floor of the rig.
        at_rest = np.abs(ankle[:, 2] - rest) < REST_FLOOR * height
        if (slow & at_rest).sum() >= MIN_STANCE_SAMPLES or at_rest[np.argmin(ankle[:, 2])]:
            return Stance(_rest_up_in_bone(binding, foot), rest, as_at_rest=True)
    if standing.sum() < MIN_STANCE_SAMPLES:
        return Stance(_rest_up_in_bone(binding, foot), float(ankle[:, 2].min()))
    up_in_bone = rotations.rotate(
        rotations.conjugate(motion.quaternion_world[standing, binding.driver[foot]]), Z_UP
    )
    # The median is taken in the trunk's axes at rest, so that it does not depend on the bone's roll.
    bone_in_trunk = rotations.relative(
        binding.rest_quaternion_world[binding.index("pelvis")],
        binding.skeleton.rest_quaternion_world[binding.driver[foot]],
    )
    median = np.median(rotations.rotate(bone_in_trunk, up_in_bone), axis=0)
    median_in_bone = rotations.rotate(rotations.conjugate(bone_in_trunk), median)
    if np.linalg.norm(median) < 0.5:
        median_in_bone = _rest_up_in_bone(binding, foot)
    height_of_ankle = float(np.median(ankle[standing, 2]))
    return Stance(median_in_bone / np.linalg.norm(median_in_bone), height_of_ankle)


def _floor_ankle_height(
    binding: RigBinding, motion: Motion, stances: tuple[Stance, ...], height: float
) -> float:
    """Return how high the ankle of a foot on the floor is [m].

    The lowest height is not: a foot that lies on its side is lower. So where a foot is seen on the floor of
    the rest pose, or a body lies near it all the time, that floor counts.
    """
    rest = min(float(binding.rest_position(f"foot.{side}")[2]) for side in SIDES)
    lowest = float(motion.position_world[:, binding.joint, 2].min())
    lies_there = _lies_throughout(binding, motion) and abs(lowest - rest) < NEAR_REST_FLOOR * height
    if lies_there or any(stance.as_at_rest for stance in stances):
        return rest
    return min(stance.ankle_height for stance in stances)


def _lies_throughout(binding: RigBinding, motion: Motion) -> bool:
    pelvis = binding.index("pelvis")
    axes = rotations.multiply(
        motion.quaternion_world[:, binding.driver[pelvis]], binding.bone_to_segment[pelvis]
    )
    return bool((rotations.rotate(axes, Z_UP)[:, 2] < np.cos(LYING_TILT)).all())


def _rest_up_in_bone(binding: RigBinding, foot: int) -> FloatArray:
    """Return the trunk's up direction at rest in the foot bone's axes (3), as if the foot were flat then."""
    rest_bone = binding.skeleton.rest_quaternion_world[binding.driver[foot]]
    trunk_up = rotations.rotate(binding.rest_quaternion_world[binding.index("pelvis")], Z_UP)
    return rotations.rotate(rotations.conjugate(rest_bone), trunk_up)


def _foot(
    binding: RigBinding, mapping: BoneMapping, side: str, up_in_bone: FloatArray, height: float
) -> Foot:
    foot = binding.index(f"foot.{side}")
    rest_bone = binding.skeleton.rest_quaternion_world[binding.driver[foot]]
    up = rotations.rotate(rest_bone, up_in_bone)
    x = _forward_along_sole(binding, mapping, side, up)
    axes = rotations.from_matrix(np.stack([x, np.cross(up, x), up], axis=1))
    length = FOOT_LENGTH_SHARE * height
    heel_x = -HEEL_SHARE_OF_FOOT * length
    ball_x = BALL_SHARE * length
    if f"toe.{side}" in mapping:
        ball_x = max(float(_toe_offset(binding, mapping, side) @ x), LEAST_BALL_SHARE * length)
    # 80 % of the toes bear load; the toes are about 0.27 of the foot's length.
    return Foot(axes, heel_x, ball_x, ball_x + 0.8 * 0.27 * length, ANKLE_HEIGHT_SHARE * height)


def _toe_offset(binding: RigBinding, mapping: BoneMapping, side: str) -> FloatArray:
    """Return the vector from ankle to toe joint at rest, in world axes (3) [m]."""
    toe = binding.skeleton.index[mapping.first(f"toe.{side}")]
    return binding.skeleton.rest_position_world[toe] - binding.rest_position(f"foot.{side}")


def _forward_along_sole(binding: RigBinding, mapping: BoneMapping, side: str, up: FloatArray) -> FloatArray:
    """Return the unit vector across `up` (3) towards the toes, or where the trunk looks if they tell none.

    Toes straight below the ankle tell none. One of the trunk's two directions always does: they are square.
    """
    pelvis = binding.rest_quaternion_world[binding.index("pelvis")]
    toe = _toe_offset(binding, mapping, side) if f"toe.{side}" in mapping else np.zeros(3)
    for forward in (toe, rotations.rotate(pelvis, X_FORWARD), rotations.rotate(pelvis, -Z_UP)):
        x = forward - (forward @ up) * up
        length = float(np.linalg.norm(x))
        if length > max(LEAST_ACROSS * float(np.linalg.norm(forward)), SHORTEST_TOE_M):
            break
    return np.asarray(x / length)


def _toe_depth(binding: RigBinding, mapping: BoneMapping, side: str, foot: Foot) -> float:
    """Return the depth of the toe joint below the ankle, along the sole's normal [m]."""
    if f"toe.{side}" not in mapping:
        return max(foot.depth - sum(BELOW_TOE) / 2, 0.0)
    return -float(_toe_offset(binding, mapping, side) @ rotations.rotate(foot.axes_world_rest, Z_UP))
