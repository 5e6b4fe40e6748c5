"""Inference of what a BVH file does not state: its unit, its up axis, and whether it starts at rest."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP_FROM_Y_UP, FloatArray
from .skeleton import Skeleton

CMU_UNIT_M = 0.0254 / 0.45
"""Unit of the CMU motions, which are in inches divided by 0.45 [m]."""

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
"""Length from hip to ankle as a share of body height (Drillis & Contini 1966: 0.245 + 0.246)."""

ANKLE_TO_CROWN_SHARE = 0.95
"""Height from the lowest joints to the head's tip as a share of body height, used if no legs are found."""

MIRROR_TOLERANCE = 0.05
"""Largest mean distance of a symmetric body's points from their mirror image, as a share of its size."""

FOOT_NAMES = re.compile(r"foot|ankle", re.IGNORECASE)
TOP_NAMES = re.compile(r"head|neck", re.IGNORECASE)
CMU_BONES = {"LHipJoint", "RHipJoint", "LowerBack", "LeftFingerBase"}

REST_JUMP_RATIO = 5.0
"""How many times farther a rest frame is from the motion than the motion's frames from each other."""

REST_JUMP_RAD = np.radians(2.0)
"""Mean joint change below which a first frame belongs to the motion, whatever the ratio [rad]."""

BLEND_RATIO = 2.0
"""How many times more frames that leave the rest pose change than frames of the motion."""

PACE_S = 0.3
"""Time after the jump whose motion says what is smooth [s]."""
SAME_POSE_RAD = 1e-6
"""Mean joint change below which two frames are the same pose [rad]."""
MOST_REST_FRAMES = 10
"""Longer rests before a motion are part of it."""
LONGEST_BLEND_S = 0.1
"""Longest transition from the rest pose to the motion [s]."""

WORLD_FROM_AXIS_UP = (
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    Z_UP_FROM_Y_UP,
    np.eye(3),
)
UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True, eq=False)
class UpAxis:
    """The up direction (3) in file axes, the matrix world_from_file (3, 3) to Z up, and a note."""

    direction: FloatArray
    world_from_file: FloatArray
    note: str


def infer_up_axis(skeleton: Skeleton, tips: dict[str, FloatArray]) -> UpAxis:
    """Infer the file's up axis from the positions of feet and head in the rest skeleton."""
    heads = skeleton.rest_position_world
    top = [i for i, name in enumerate(skeleton.names) if TOP_NAMES.search(name)]
    feet = [i for i, name in enumerate(skeleton.names) if FOOT_NAMES.search(name)]
    if top and feet:
        direction = heads[top].mean(axis=0) - heads[feet].mean(axis=0)
        reason = "direction from feet to head at rest"
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
    """Return the longest axis except the width, along which the body is its own mirror image."""
    size = np.ptp(points, axis=0)
    asymmetry = np.zeros(3)
    for axis in range(3):
        mirrored = points.copy()
        mirrored[:, axis] = 2.0 * points[0, axis] - mirrored[:, axis]
        gaps = np.linalg.norm(points[:, None] - mirrored[None], axis=-1).min(axis=1)
        asymmetry[axis] = gaps.mean()
    # A body that is flat along an axis is symmetric there, too; the width needs some size.
    asymmetry[size < 0.2 * size.max()] = np.inf
    width = int(np.argmin(asymmetry))
    if asymmetry[width] < MIRROR_TOLERANCE * size.max():
        size[width] = 0.0
    axis = int(np.argmax(size))
    return np.asarray(np.eye(3)[axis])


def infer_unit(
    skeleton: Skeleton, tips: dict[str, FloatArray], up: UpAxis, given_m: float | None
) -> tuple[float, str]:
    """Infer the metres per file unit, and return them with a note for the user."""
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
    """Return the standing height in file units, from the legs if they are found."""
    leg = _leg_length(skeleton)
    if leg is not None:
        return leg / LEG_SHARE
    return float(np.ptp(_points(skeleton, tips) @ up.direction)) / ANKLE_TO_CROWN_SHARE


def _leg_length(skeleton: Skeleton) -> float | None:
    """Return the length from hip to ankle along the bones, or None if there are not two feet."""
    feet = [i for i, name in enumerate(skeleton.names) if FOOT_NAMES.search(name)]
    feet = [i for i in feet if not any(a in feet for a in skeleton.ancestors(i))]
    if len(feet) != 2:
        return None
    paths = [[foot, *skeleton.ancestors(foot)][::-1] for foot in feet]
    heads = [skeleton.rest_position_world[path] for path in paths]
    scale = np.ptp(skeleton.rest_position_world, axis=0).max()
    # The hip joint is the first point of a leg's path that the other leg's path does not have.
    for start in range(min(len(heads[0]), len(heads[1]))):
        if np.linalg.norm(heads[0][start] - heads[1][start]) > 0.02 * scale:
            lengths = [np.linalg.norm(np.diff(points[start:], axis=0), axis=1).sum() for points in heads]
            return float(np.mean(lengths)) or None
    return None


def count_rest_frames(local_quaternion: FloatArray, frame_time_s: float) -> int:
    """Return the number of frames of a rest pose before the motion; local_quaternion (T, N, 4).

    A first pose counts, also if it is repeated, where the motion jumps from it and is smooth afterwards.
    Filtered files blend from the rest pose into the motion; frames of that transition count, too.
    """
    if len(local_quaternion) < 4:
        return 0
    change = rotations.angle_between(local_quaternion[:-1], local_quaternion[1:]).mean(axis=1)
    moving = np.flatnonzero(change > SAME_POSE_RAD)
    if len(moving) == 0 or moving[0] >= MOST_REST_FRAMES or moving[0] + 2 >= len(change):
        return 0
    jump = int(moving[0])
    after = change[jump + 1 : jump + 2 + round((LONGEST_BLEND_S + PACE_S) / frame_time_s)]
    usual = float(np.median(after))
    if change[jump] < max(REST_JUMP_RATIO * usual, REST_JUMP_RAD):
        return 0
    from_first = rotations.angle_between(local_quaternion[:1], local_quaternion).mean(axis=1)
    frames = jump + 1
    while frames < len(change) and (frames - jump) * frame_time_s < LONGEST_BLEND_S:
        leaves = from_first[frames + 1] - from_first[frames] > 0.5 * change[frames]
        if not leaves or change[frames] < BLEND_RATIO * usual:
            break
        frames += 1
    return frames
