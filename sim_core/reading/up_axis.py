"""Which axis of a file is up and which way the body faces, from its motion and its rest pose.

A rest pose counts only if a body stands in it: some files rest with all bones along one axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import AXIS_NAMES, Z_UP_FROM_Y_UP, FloatArray
from ..base.errors import InputError
from .stance import Body

STRENGTH = 0.5
"""Least mean of the body's direction along an axis, from which a motion says that this axis is up."""
CLEAR = 0.7
"""Largest mean along another axis, as a share of the largest, of a motion that says which axis is up."""
ALONG_AXIS = np.cos(np.radians(25.0))
"""Cosine of the largest angle of a standing pose from the axis that it shows."""
STEP = 0.3
"""Distance that an ankle travels in a motion that steps, in leg lengths."""
LOWEST_SHARE = 0.8
"""Share of the frames in which an ankle or a toe of a standing body is its lowest joint."""
UNEVEN = 0.2
"""Range of the lowest joint's height, in leg lengths, from which a motion does not stay on a level floor."""
RISES = 4.0
"""How much larger that range is along the motion's axis than along the rest pose's, if the latter is up."""
RISES_ALONE = 10.0
"""How much larger it is than along another axis, where no rest pose stands; on stairs it is up to 8 times."""
USUAL = (10.0, 90.0)
"""Percentiles between which heights count, so that jumps do not."""

WORLD_FROM_AXIS_UP = (
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    Z_UP_FROM_Y_UP,
    np.eye(3),
)
UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0])
QUARTER_TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, eq=False)
class UpAxis:
    """The matrix world_from_file (3, 3) to Z up, and a note that names the file's up axis."""

    world_from_file: FloatArray
    note: str

    @property
    def direction(self) -> FloatArray:
        """The up direction (3) in file axes."""
        return np.asarray(self.world_from_file[2])

    @staticmethod
    def of(direction: FloatArray, reason: str) -> UpAxis:
        """Return the axis that is nearest to a direction (3)."""
        axis = int(np.argmax(np.abs(direction)))
        downwards = bool(direction[axis] < 0.0)
        matrix = UPSIDE_DOWN @ WORLD_FROM_AXIS_UP[axis] if downwards else WORLD_FROM_AXIS_UP[axis]
        return UpAxis(matrix, f"Up is {AXIS_NAMES[2 * axis + downwards]} in the file, {reason}.")

    def facing(self, forward: FloatArray) -> UpAxis:
        """Return the same axis with the world turned by quarters, so that `forward` (3) is nearest to +X."""
        ahead = self.world_from_file @ forward
        quarters = round(float(np.arctan2(ahead[1], ahead[0])) / (np.pi / 2))
        turned = np.linalg.matrix_power(QUARTER_TURN.T, quarters % 4) @ self.world_from_file
        return UpAxis(turned, self.note)


def given_up_axis(name: str) -> UpAxis:
    """Return the axis that the user names, such as "+Y" or "z"."""
    text = name.upper() if name[:1] in "+-" else f"+{name.upper()}"
    if text not in AXIS_NAMES:
        raise InputError(f"The up axis '{name}' is unknown; give one of {', '.join(AXIS_NAMES)}.")
    index = AXIS_NAMES.index(text)
    return UpAxis.of((1.0 - 2.0 * (index % 2)) * np.eye(3)[index // 2], "as given")


def find_up_axis(
    body: Body, motion: FloatArray, file_rest: FloatArray, rest_frame: FloatArray | None
) -> UpAxis:
    """Return the up axis of poses (T, N, 3) in file axes.

    file_rest (N, 3): the pose of the file's offsets; rest_frame (N, 3): a rest pose before the motion
    """
    if rest_frame is not None and (shown := _axis_shown(body.stance_direction(rest_frame))) is not None:
        return UpAxis.of(shown, "by the rest pose before the motion")
    moving = body.upwards(motion).mean(axis=0)
    _, second, largest = np.sort(np.abs(moving))
    strong = bool(largest > STRENGTH and second < CLEAR * largest)
    resting = _axis_shown(body.stance_direction(file_rest))
    if resting is None and strong:
        others = np.delete(np.eye(3), int(np.argmax(np.abs(moving))), axis=0)
        ways = np.concatenate([others, -others])
        strong = not _rises(body, motion, UpAxis.of(moving, "").direction, ways, RISES_ALONE)
    if resting is None and not strong:
        raise InputError(
            "Which way is up cannot be told: the rest pose does not stand, and the body lies, crawls or "
            "tumbles for most of the motion; name the file's up axis (--up +Y)."
        )
    if resting is None:
        return UpAxis.of(moving, "by the direction from feet to head in the motion")
    if not strong or resting @ UpAxis.of(moving, "").direction > 0.5:
        return UpAxis.of(resting, "by the direction from feet to head at rest")
    shown = UpAxis.of(moving, "").direction
    if _steps(body, motion, shown) and not _rises(body, motion, shown, resting[None], RISES):
        return UpAxis.of(moving, "by the direction from feet to head in the motion")
    chosen = UpAxis.of(resting, "by the direction from feet to head at rest")
    lies = "the body lies or crawls for most of the motion; if it stands, name the up axis (--up)"
    return UpAxis(chosen.world_from_file, f"{chosen.note} {lies.capitalize()}.")


def _axis_shown(direction: FloatArray | None) -> FloatArray | None:
    """Return the axis (3) that the direction of a standing pose shows, if it is along one."""
    if direction is None or np.abs(direction).max() < ALONG_AXIS:
        return None
    return UpAxis.of(direction, "").direction


def _steps(body: Body, motion: FloatArray, up: FloatArray) -> bool:
    """Return whether the body stands on feet that step, which somebody who lies does not."""
    heights = motion @ up
    feet = body.ankle if body.toe is None else np.concatenate([body.ankle, body.toe])
    slack = 0.05 * body.leg_length(motion)
    on_feet = heights[:, feet].min(axis=1) <= heights.min(axis=1) + slack
    ankles = motion[:, body.ankle]
    level = ankles - (ankles @ up)[..., None] * up
    travel = np.linalg.norm(level.max(axis=0) - level.min(axis=0), axis=-1).max()
    return bool(on_feet.mean() > LOWEST_SHARE and travel > STEP * body.leg_length(motion))


def _rises(body: Body, motion: FloatArray, up: FloatArray, others: FloatArray, ratio: float) -> bool:
    """Return whether the floor is level along another axis (K, 3) rather than along this one (3).

    Somebody who crawls seems to stand along the way, with the feet as the lowest part; but that floor moves.
    """
    heights = motion @ np.concatenate([up[None], others]).T
    low, high = np.percentile(heights.min(axis=1), USUAL, axis=0)
    own, level = (high - low)[0], float((high - low)[1:].min())
    return bool(own > UNEVEN * body.leg_length(motion) and own > ratio * level)


MIRROR_TOLERANCE = 0.05
"""Largest mean distance of a symmetric body's points from their mirror image, as a share of its size."""


def longest_side(points: FloatArray) -> UpAxis:
    """Return the up axis of a rest pose (N, 3) whose body parts are unknown.

    It is the longest axis except the width, along which a body is its own mirror image.
    """
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
    return UpAxis.of(np.eye(3)[int(np.argmax(size))], "by the longest side of the rest pose")
