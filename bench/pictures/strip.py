"""A motion as a strip of poses side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

from sim_core.base.conventions import FloatArray
from sim_core.drawing.camera import Camera, Picture
from sim_core.result.result import Result

from .canvas import LABEL_M, Canvas, few_colours

POSES = 8
GAP_M = 0.18
"""Between neighbouring poses [m]."""
WIDTH_PX = 1200
LARGEST_SCALE = 130.0
"""Of short strips [pixels a metre]."""
EVEN_SHARE = 0.35
"""Share of the spacing of poses that goes by time; the rest goes by how far the joints move."""


def _as_it_is(_: Camera, picture: Picture) -> Picture:
    return picture


def strip_of(
    result: Result, count: int = POSES, also: Callable[[Camera, Picture], Picture] = _as_it_is
) -> Image.Image:
    """Return the picture of a motion, in poses that are closer in time where more happens.

    also: returns a picture with more in it
    """
    camera = Camera(result)
    times = pose_times(result.time, result.joint_position, count)
    pictures = [also(camera, camera.picture(at)) for at in times]
    extents = [_extent(picture) for picture in pictures]
    moved, width = side_by_side(extents)
    drawn = [stroke for picture in pictures for stroke in (*picture.source, *picture.result, *picture.forces)]
    top = min(min(stroke.y1, stroke.y2) - stroke.width for stroke in drawn)
    bottom = pictures[0].ground + 2.2 * LABEL_M
    scale = min(WIDTH_PX / width, LARGEST_SCALE)
    canvas = Canvas(0.0, top - GAP_M, width, bottom - top + GAP_M, scale)
    canvas.ground(pictures[0].ground)
    for picture, right, (low, high) in zip(pictures, moved, extents, strict=True):
        canvas.figures(picture, right)
        canvas.label(0.5 * (low + high) + right, picture.ground + 0.5 * LABEL_M, f"{picture.at_s:.2f} s")
    return few_colours(canvas.finished())


def pose_times(time: FloatArray, position: FloatArray, count: int) -> list[float]:
    """Return times since the first sample [s], closer where joints (T, J, 3) move faster."""
    steps = np.linalg.norm(np.diff(position, axis=0), axis=-1).mean(axis=1)
    way = np.concatenate([[0.0], np.cumsum(steps)])
    elapsed = time - time[0]
    progress = EVEN_SHARE * elapsed / elapsed[-1] + (1.0 - EVEN_SHARE) * way / max(float(way[-1]), 1e-9)
    return [float(at) for at in np.interp(np.linspace(0.0, 1.0, count), progress, elapsed)]


def _extent(picture: Picture) -> tuple[float, float]:
    """Return the left and right end of a picture's bodies and forces [m]."""
    strokes = (*picture.source, *picture.result, *picture.forces)
    low = min(min(own.x1, own.x2) - 0.5 * own.width for own in strokes)
    return low, max(max(own.x1, own.x2) + 0.5 * own.width for own in strokes)


def side_by_side(extents: Sequence[tuple[float, float]]) -> tuple[list[float], float]:
    """Return how far to the right each picture goes so that none covers another, and the whole width [m]."""
    moved, right = list[float](), GAP_M
    for low, high in extents:
        moved.append(right - low)
        right += high - low + GAP_M
    return moved, right
