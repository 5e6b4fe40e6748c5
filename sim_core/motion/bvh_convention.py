"""What a BVH file does not say: its unit, its up axis, and whether it starts with a rest pose."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP_FROM_Y_UP, FloatArray
from .skeleton import Skeleton

CMU_UNIT_M = 0.0254 / 0.45
"""The CMU motions are in inches scaled by 0.45."""

UNITS_M = {
    "metres": 1.0,
    "centimetres": 0.01,
    "millimetres": 0.001,
    "decimetres": 0.1,
    "inches": 0.0254,
    "feet": 0.3048,
    "the CMU unit": CMU_UNIT_M,
}
TYPICAL_HEIGHT_M = 1.7
PLAUSIBLE_HEIGHT_M = (1.2, 2.3)

LEG_SHARE = 0.491
"""Hip joint to ankle joint as a share of body height (Drillis & Contini 1966: 0.245 + 0.246)."""

ANKLE_TO_CROWN_SHARE = 0.95
"""From the lowest joints to the head's tip as a share of body height, where no legs are found."""

MIRROR_TOLERANCE = 0.05
"""Mean distance of points from their mirror image, as a share of the size, in a mirrored body."""

FOOT_NAMES = re.compile(r"foot|ankle", re.IGNORECASE)
TOP_NAMES = re.compile(r"head|neck", re.IGNORECASE)
CMU_BONES = {"LHipJoint", "RHipJoint", "LowerBack", "LeftFingerBase"}

REST_JUMP_RATIO = 5.0
"""A rest frame is this many times farther from the take than frames of the take from each other."""

REST_JUMP_RAD = np.radians(2.0)
"""Mean joint change below which a first frame fits the take, whatever the ratio."""

BLEND_RATIO = 2.0
"""Frames still leaving the rest pose change this many times more than frames of the take."""

LONGEST_BLEND_S = 0.1

WORLD_FROM_AXIS_UP = (
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    Z_UP_FROM_Y_UP,
    np.eye(3),
)
UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True, eq=False)
class UpAxis:
    """direction (3): up in file axes; world_from_file (3, 3): turns file axes into Z up."""

    direction: FloatArray
    world_from_file: FloatArray
    note: str


def up_axis(skeleton: Skeleton, tips: dict[str, FloatArray]) -> UpAxis:
    """The file's up axis, from the feet to the head of the rest skeleton."""
    heads = skeleton.rest_position_world
    top = [i for i, name in enumerate(skeleton.names) if TOP_NAMES.search(name)]
    feet = [i for i, name in enumerate(skeleton.names) if FOOT_NAMES.search(name)]
    if top and feet:
        direction = heads[top].mean(axis=0) - heads[feet].mean(axis=0)
        reason = "way from feet to head at rest"
    else:
        direction = _tallest_unmirrored_axis(_points(skeleton, tips))
        reason = "longest side of the rest pose"
    axis = int(np.argmax(np.abs(direction)))
    downwards = bool(direction[axis] < 0.0)
    world_from_file = UPSIDE_DOWN @ WORLD_FROM_AXIS_UP[axis] if downwards else WORLD_FROM_AXIS_UP[axis]
    sign = "-" if downwards else "+"
    note = f"Up is {sign}{'XYZ'[axis]} in the file, by the {reason}."
    return UpAxis(world_from_file.T @ np.array([0.0, 0.0, 1.0]), world_from_file, note)


def _points(skeleton: Skeleton, tips: dict[str, FloatArray]) -> FloatArray:
    ends = [skeleton.rest_position_world[skeleton.index[name]] + tip for name, tip in tips.items()]
    return np.vstack([skeleton.rest_position_world, *ends])


def _tallest_unmirrored_axis(points: FloatArray) -> FloatArray:
    """The longest axis over which the body is not its own mirror image (that one is the width)."""
    size = np.ptp(points, axis=0)
    asymmetry = np.zeros(3)
    for axis in range(3):
        mirrored = points.copy()
        mirrored[:, axis] = 2.0 * points[0, axis] - mirrored[:, axis]
        gaps = np.linalg.norm(points[:, None] - mirrored[None], axis=-1).min(axis=1)
        asymmetry[axis] = gaps.mean()
    # A body that is flat along an axis mirrors itself there too; width needs some size.
    asymmetry[size < 0.2 * size.max()] = np.inf
    width = int(np.argmin(asymmetry))
    if asymmetry[width] < MIRROR_TOLERANCE * size.max():
        size[width] = 0.0
    axis = int(np.argmax(size))
    return np.asarray(np.eye(3)[axis])


def unit_of(
    skeleton: Skeleton, tips: dict[str, FloatArray], up: UpAxis, given_m: float | None
) -> tuple[float, str]:
    """Metres per file unit, and a sentence that says why."""
    height = _body_height(skeleton, tips, up)
    if given_m is not None:
        return given_m, f"One file unit is {given_m:g} m as given; the body is {height * given_m:.2f} m tall."
    if height <= 0.0:
        return 1.0, "The skeleton has no size; the file is taken to be in metres."
    if set(skeleton.names) >= CMU_BONES and _plausible(height * CMU_UNIT_M):
        return CMU_UNIT_M, _unit_note("the CMU unit", CMU_UNIT_M, height)
    fitting = {name: unit for name, unit in UNITS_M.items() if _plausible(height * unit)}
    if fitting:
        name = min(fitting, key=lambda key: abs(np.log(height * fitting[key] / TYPICAL_HEIGHT_M)))
        return fitting[name], _unit_note(name, fitting[name], height)
    unit = TYPICAL_HEIGHT_M / height
    return unit, (
        f"No known unit gives a plausible body height; the file was scaled by {unit:.4g} "
        f"to a height of {TYPICAL_HEIGHT_M} m."
    )


def _plausible(height_m: float) -> bool:
    return PLAUSIBLE_HEIGHT_M[0] <= height_m <= PLAUSIBLE_HEIGHT_M[1]


def _unit_note(name: str, unit_m: float, height: float) -> str:
    body = f"that makes the body {height * unit_m:.2f} m tall"
    return f"The file is taken to be in {name} ({unit_m:.6g} m): {body}."


def _body_height(skeleton: Skeleton, tips: dict[str, FloatArray], up: UpAxis) -> float:
    """Standing height in file units; legs are the most trustworthy measure of it."""
    leg = _leg_length(skeleton)
    if leg is not None:
        return leg / LEG_SHARE
    return float(np.ptp(_points(skeleton, tips) @ up.direction)) / ANKLE_TO_CROWN_SHARE


def _leg_length(skeleton: Skeleton) -> float | None:
    """Hip joint to ankle joint along the bones, from the two feet that part lowest in the tree."""
    feet = [i for i, name in enumerate(skeleton.names) if FOOT_NAMES.search(name)]
    feet = [i for i in feet if not any(a in feet for a in skeleton.ancestors(i))]
    if len(feet) != 2:
        return None
    paths = [[foot, *skeleton.ancestors(foot)][::-1] for foot in feet]
    heads = [skeleton.rest_position_world[path] for path in paths]
    scale = np.ptp(skeleton.rest_position_world, axis=0).max()
    # The hip joint is the first place on the way down that the other leg's way does not pass.
    for start in range(min(len(heads[0]), len(heads[1]))):
        if np.linalg.norm(heads[0][start] - heads[1][start]) > 0.02 * scale:
            lengths = [np.linalg.norm(np.diff(points[start:], axis=0), axis=1).sum() for points in heads]
            return float(np.mean(lengths)) or None
    return None


def rest_frames_before_take(local_quaternion: FloatArray, frame_time_s: float) -> int:
    """How many frames of a rest pose stand before the take; local_quaternion (T, N, 4).

    The first frame counts when it lies far from a take that runs on smoothly after it. Filtered
    files blend from the rest pose into the take; frames on that straight way count too.
    """
    if len(local_quaternion) < 4:
        return 0
    change = rotations.angle_between(local_quaternion[:-1], local_quaternion[1:]).mean(axis=1)
    usual = np.percentile(change[1:], 95.0)
    if change[0] < max(REST_JUMP_RATIO * usual, REST_JUMP_RAD):
        return 0
    from_first = rotations.angle_between(local_quaternion[:1], local_quaternion).mean(axis=1)
    frames = 1
    while frames < len(change) and frames * frame_time_s < LONGEST_BLEND_S:
        leaves = from_first[frames + 1] - from_first[frames] > 0.5 * change[frames]
        if not leaves or change[frames] < BLEND_RATIO * usual:
            break
        frames += 1
    return frames
