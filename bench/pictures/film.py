"""Motions one after the other as a small film (GIF)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter1d

from sim_core.base.conventions import FloatArray
from sim_core.drawing.camera import Camera
from sim_core.result.result import Result

from .canvas import LABEL_M, Canvas, few_colours

FRAMES_PER_S = 20
WIDTH_M, HEIGHT_M = 3.2, 2.6
"""What the film shows of the world, for a body of usual height."""
WIDTH_PX = 480
BELOW_M = 0.45
"""Between the ground and the lower edge [m]."""
SLOW_S = 0.5
"""The view follows the body as a mean over about this time [s]."""
REST_S = 0.4
"""For which the last picture of a motion is kept [s]."""


def write_film(results: Mapping[str, Result], path: Path) -> None:
    """Write a film of motions, each with its name."""
    frames = [frame for name, result in results.items() for frame in frames_of(name, result)]
    duration = round(1000.0 / FRAMES_PER_S)
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=duration, loop=0, optimize=True)


def frames_of(name: str, result: Result) -> list[Image.Image]:
    """Return the frames of one motion, seen from a side that stays near the body."""
    camera = Camera(result)
    seconds = float(result.time[-1] - result.time[0])
    times = np.arange(0.0, seconds, 1.0 / FRAMES_PER_S)
    middle = _middle(camera, result)
    width, height = WIDTH_M * camera.size, HEIGHT_M * camera.size
    frames = []
    for at in times.tolist():
        picture = camera.picture(at)
        left = float(np.interp(at, result.time - result.time[0], middle)) - 0.5 * width
        top = picture.ground + BELOW_M - height
        canvas = Canvas(left, top, width, height, WIDTH_PX / width)
        canvas.ground(picture.ground, np.arange(np.ceil(2.0 * left) / 2.0, left + width, 0.5).tolist())
        canvas.figures(picture)
        canvas.label(left + LABEL_M, picture.ground + 1.1 * LABEL_M, name, "la")
        frames.append(few_colours(canvas.finished()))
    return frames + frames[-1:] * round(REST_S * FRAMES_PER_S)


def _middle(camera: Camera, result: Result) -> FloatArray:
    """Return where the middle of the picture is (T) [m]."""
    body = camera.view.flat(result.joint_position.mean(axis=1))[:, 0]
    samples = SLOW_S / float(result.time[1] - result.time[0])
    return np.asarray(gaussian_filter1d(body, samples, mode="nearest"))
