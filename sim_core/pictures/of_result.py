"""Pictures of a bake: the result in blue over the source in the colour of wood."""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..conventions import FloatArray, IntArray
from ..result import Result
from ..skeleton import NO_PARENT
from .strip import Arrow, Body, Strip, strip_svg
from .view import View, three_quarter_view

RESULT_COLOUR = (74, 134, 200)
SOURCE_COLOUR = (201, 162, 107)
SOURCE_OPACITY = 0.6
HELP_COLOUR = "#d0342c"
RADIUS_SHARE = 0.028
"""Of body height: how thick limbs are drawn."""
TRUNK_FACTOR = 1.5
HALF_WIDTH_SHARE = 0.36
"""Of body height: half the width of a moment."""
METRES_PER_N = 1.0 / 200.0
SHOWN_N = 1.0
"""Less help than this is no arrow [N]."""


def result_strip(result: Result, moments: int = 7) -> str:
    """So many moments of a bake as SVG; help is an arrow at the pelvis, a fall a red time."""
    samples = np.unique(np.linspace(0, len(result.time) - 1, moments).round().astype(int))
    since = result.time[samples] - result.time[0]
    fell_at = result.meta.get("fell_at")
    height = float(result.meta["character"]["height"])
    pelvis = result.joint_position[:, 0]
    force = np.linalg.norm(result.assist[:, :3], axis=1, keepdims=True)
    helping = np.where(force > SHOWN_N, METRES_PER_N * result.assist[:, :3], 0.0)
    arrows = (Arrow(pelvis, helping, HELP_COLOUR),) if np.any(helping[samples]) else ()
    strip = Strip(
        (source_body(result), result_body(result)),
        samples,
        [f"{time:.2f} s" for time in since],
        pelvis,
        float(result.meta["ground_height"]),
        HALF_WIDTH_SHARE * height,
        arrows,
        [fell_at is not None and time >= fell_at for time in since],
    )
    return strip_svg(strip, view_of(result))


def view_of(result: Result) -> View:
    """Three quarters from the front of the body as it stands in the middle of the source."""
    names = list(result.body_name)
    if not {"thigh.L", "thigh.R"} <= set(names):
        return View(np.array([1.0, 0.0, 0.0]))
    left, right = (result.body_com[len(result.time) // 2, names.index(f"thigh.{side}")] for side in "LR")
    return three_quarter_view(left - right)


def result_body(result: Result) -> Body:
    return _body(result, result.joint_position, result.joint_quaternion_world, RESULT_COLOUR, 1.0)


def source_body(result: Result) -> Body:
    return _body(
        result,
        result.source_joint_position,
        result.source_joint_quaternion_world,
        SOURCE_COLOUR,
        SOURCE_OPACITY,
    )


def _body(
    result: Result, position: FloatArray, quaternion: FloatArray, colour: tuple[int, int, int], opacity: float
) -> Body:
    """Each joint joined to the one above, tips going on to their ends.

    position (T, J, 3), quaternion (T, J, 4): of the joints, in the world
    """
    radius = RADIUS_SHARE * float(result.meta["character"]["height"])
    joints = np.flatnonzero(result.joint_parent != NO_PARENT)
    above = result.joint_parent[joints]
    tips = np.setdiff1d(np.arange(len(result.joint_parent)), above)
    ends = position[:, tips] + rotations.rotate(quaternion[:, tips], _tip_offsets(result, tips))
    inner = np.stack([position[:, above], position[:, joints]], axis=2)
    outer = np.stack([position[:, tips], ends], axis=2)
    trunk = np.isin(above, _trunk(result.joint_parent)) & np.isin(joints, _trunk(result.joint_parent))
    thick = np.concatenate([np.where(trunk, TRUNK_FACTOR, 1.0), np.ones(len(tips))])
    return Body(np.concatenate([inner, outer], axis=1), radius * thick, colour, opacity)


def _tip_offsets(result: Result, tips: IntArray) -> FloatArray:
    """From each tip's joint to the end of its segment, in the segment's frame (len(tips), 3) [m].

    A segment's centre of mass is taken for its middle.
    """
    if len(result.body_name) != len(result.joint_name):
        return np.zeros((len(tips), 3))
    way = 2.0 * (result.body_com[0, tips] - result.joint_position[0, tips])
    return rotations.rotate(rotations.conjugate(result.joint_quaternion_world[0, tips]), way)


def _trunk(parent: IntArray) -> IntArray:
    """Joints at which a chain branches, and the root: what is between them is drawn thicker."""
    branches = [k for k in range(len(parent)) if np.count_nonzero(parent == k) > 1]
    inside: set[int] = set()
    for joint in branches:
        while joint != NO_PARENT:
            inside.add(joint)
            joint = int(parent[joint])
    return np.array(sorted(inside), dtype=int)
