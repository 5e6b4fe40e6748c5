"""Motions one after the other as a small film (GIF)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import ConvexHull

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.drawing.camera import Camera, View
from sim_core.result.result import Result
from sim_core.scene.scene import SceneObject
from sim_core.scene.shapes import Box, Sphere

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
TICK_M = 0.5
"""Between marks on the ground [m]."""
APART_M = 1.3
"""Between two bodies that are shown side by side [m]."""
AROUND = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)


@dataclass(frozen=True, eq=False)
class Shot:
    """Results that are shown side by side under one name.

    objects: boxes and balls around the first; seconds: what of it is shown, None for all
    """

    name: str
    results: tuple[Result, ...]
    objects: tuple[SceneObject, ...] = ()
    seconds: tuple[float, float] | None = None

    @property
    def times(self) -> FloatArray:
        """Times of the frames since the first sample [s]."""
        whole = min(float(result.time[-1] - result.time[0]) for result in self.results)
        start, end = self.seconds or (0.0, whole)
        return np.arange(start, min(end, whole), 1.0 / FRAMES_PER_S)


def write_film(shots: Iterable[Shot], path: Path) -> None:
    """Write a film of motions, each with its name."""
    frames = [frame for shot in shots for frame in frames_of(shot)]
    duration = round(1000.0 / FRAMES_PER_S)
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=duration, loop=0, optimize=True)


def frames_of(shot: Shot) -> list[Image.Image]:
    """Return the frames of one shot, seen from a side that stays near the body."""
    cameras = [Camera(result) for result in shot.results]
    middles = [_middle(camera) for camera in cameras]
    # A body on stairs needs more room above the ground than its size says.
    room = max(camera.high - camera.ground + BELOW_M for camera in cameras)
    size = max(*(camera.size for camera in cameras), room / HEIGHT_M)
    width, height = WIDTH_M * size, HEIGHT_M * size
    frames = []
    for at in shot.times.tolist():
        places = APART_M * (np.arange(len(cameras)) - 0.5 * (len(cameras) - 1))
        moved = [float(place - _at(c, m, at)) for place, c, m in zip(places, cameras, middles, strict=True)]
        pictures = [camera.picture(at) for camera in cameras]
        ground = pictures[0].ground
        canvas = Canvas(-0.5 * width, ground + BELOW_M - height, width, height, WIDTH_PX / width)
        canvas.ground(ground, np.arange(moved[0] % TICK_M - 0.5 * width, 0.5 * width, TICK_M).tolist())
        for outline in _outlines(cameras[0], shot.objects, at):
            canvas.solid(outline + [moved[0], 0.0])
        for picture, right in zip(pictures, moved, strict=True):
            canvas.figures(picture, right)
        canvas.label(-0.5 * width + LABEL_M, ground + 1.1 * LABEL_M, shot.name, "la")
        frames.append(few_colours(canvas.finished()))
    return frames + frames[-1:] * round(REST_S * FRAMES_PER_S)


def _at(camera: Camera, middle: FloatArray, at_s: float) -> float:
    """Return the middle of a picture (T) at a time since the first sample [m]."""
    return float(np.interp(at_s, camera.result.time - camera.result.time[0], middle))


def _outlines(camera: Camera, objects: Iterable[SceneObject], at_s: float) -> list[FloatArray]:
    """Return the outlines (N, 2) of things at a time, where they are then; x to the right, y down [m]."""
    result = camera.result
    sample = int(np.argmin(np.abs(result.time - result.time[0] - at_s)))
    names = [str(name) for name in result.prop_name]
    found = []
    for own in objects:
        position, turn = own.position, own.quaternion
        if own.name in names:
            prop = names.index(own.name)
            position, turn = result.prop_position[sample, prop], result.prop_quaternion[sample, prop]
        found.append(_outline(own, position, turn, camera.view))
    return found


def _outline(own: SceneObject, position: FloatArray, turn: FloatArray, view: View) -> FloatArray:
    if isinstance(own.shape, Sphere):
        circle = own.shape.radius * np.stack([np.cos(AROUND), np.sin(AROUND)], axis=1)
        return np.asarray((view.flat(position) + circle) * [1.0, -1.0])
    if not isinstance(own.shape, Box):
        raise TypeError(f"a {own.shape.kind} is not drawn")
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T * own.shape.half_size
    flat = view.flat(position + rotations.rotate(turn, corners))
    return np.asarray(flat[ConvexHull(flat).vertices] * [1.0, -1.0])


def _middle(camera: Camera) -> FloatArray:
    """Return where the middle of the picture is (T) [m]."""
    result = camera.result
    body = camera.view.flat(result.joint_position.mean(axis=1))[:, 0]
    samples = SLOW_S / float(result.time[1] - result.time[0])
    return np.asarray(gaussian_filter1d(body, samples, mode="nearest"))
