"""Draws overlays in 3D views; the lines and faces of a frame are made once and cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gpu
import numpy as np
from bpy.types import Context, Object, Scene
from gpu_extras.batch import batch_for_shader

from ...sim_core.base.conventions import FloatArray
from ...sim_core.drawing.overlay_series import OverlaySeries
from ..blender.blender_types import overlay_scene, rig_context
from ..jobs.job_queue import QUEUE
from ..reading.rig_reader import metres_per_unit
from .overlay_store import overlay_object, series_in
from .picture import Model, OverlayChoice, Picture, picture_at, theme_palette

LINE_SHADER: Any = "POLYLINE_UNIFORM_COLOR"
FACE_SHADER: Any = "FLAT_COLOR"
LINE_PIXELS = 2.0
KEPT_FRAMES = 300
"""Cached frames, enough for a loop; a frame takes about 70 kB of the graphics card."""
KEPT_FIGURES = 16
"""Cached characters; with more in one file, they are read again when they are drawn."""


@dataclass(frozen=True, eq=False)
class _Batches:
    """Lines by their colour, and faces, if there are any."""

    lines: Sequence[tuple[tuple[float, ...], Any]]
    faces: Any


@dataclass
class _Figure:
    """Cached data of one bake: its values, and the batches of frames drawn with one look."""

    series: OverlaySeries | None
    model: Model | None
    look: tuple[Any, ...] | None = None
    frames: dict[int, _Batches] = field(default_factory=dict)


_figures: dict[int, _Figure] = {}
"""Cache by the mesh that holds the values; a mesh is never changed, so the cache stays valid."""


def forget_figures() -> None:
    """Clear the cache."""
    _figures.clear()


def draw_preview(context: Context) -> None:
    """Draw stick figures of the running simulation, as far as it is done."""
    draw_lines(preview_points(context), theme_palette().ghost)


def draw_lines(points: FloatArray, colour: FloatArray) -> None:
    """Draw lines between pairs of points (2 N, 3) [Blender units], in front of everything."""
    if len(points):
        picture = Picture()
        picture.add_lines(points, colour)
        _draw_batches(_Batches(_line_batches(picture), None))


def draw_scene(context: Context) -> None:
    """Draw the overlays of all visible characters."""
    scene = context.scene
    if scene is None or not overlay_scene(scene).heft_overlays.show:
        return
    choice = choice_of(scene)
    for obj in characters(context):
        _draw_figure(obj, scene.frame_current, choice)


def characters(context: Context) -> list[Object]:
    """Return the visible armatures that have overlays."""
    layer = context.view_layer
    if layer is None:
        return []
    found = [
        obj
        for obj in layer.objects
        if obj.type == "ARMATURE" and overlay_object(obj).heft_overlay.data is not None
    ]
    return [obj for obj in found if obj.visible_get()]


def choice_of(scene: Scene) -> OverlayChoice:
    """Return which overlays the scene shows."""
    chosen = overlay_scene(scene).heft_overlays
    x, y, z = chosen.ghost_offset
    return OverlayChoice(
        chosen.show_body,
        chosen.show_forces,
        chosen.show_balance,
        chosen.show_effort,
        chosen.show_ghost,
        chosen.newtons_per_metre,
        (x, y, z),
    )


def drawn_series(obj: Object) -> OverlaySeries | None:
    """Return the overlay values of an object's last bake from the cache, or None."""
    figure = _figure_of(obj)
    return None if figure is None else figure.series


def _figure_of(obj: Object) -> _Figure | None:
    data = overlay_object(obj).heft_overlay.data
    if data is None:
        return None
    if data.session_uid not in _figures:
        if len(_figures) >= KEPT_FIGURES:
            _figures.clear()
        series = series_in(data)
        _figures[data.session_uid] = _Figure(series, None if series is None else Model.of(series))
    return _figures[data.session_uid]


def _draw_figure(obj: Object, frame: int, choice: OverlayChoice) -> None:
    figure = _figure_of(obj)
    if figure is None or figure.series is None or figure.model is None:
        return
    row = figure.series.row_of(frame)
    if row is None:
        return
    palette = theme_palette()
    look = (choice, palette.key)
    if figure.look != look or len(figure.frames) >= KEPT_FRAMES:
        figure.look, figure.frames = look, {}
    if frame not in figure.frames:
        picture = picture_at(figure.series, figure.model, row, choice, palette)
        figure.frames[frame] = _Batches(_line_batches(picture), _face_batch(picture))
    _draw_batches(figure.frames[frame])


def _line_batches(picture: Picture) -> list[tuple[tuple[float, ...], Any]]:
    """Return lines in one colour each: Blender 5.2 draws wide lines with colours per point all white."""
    shader = gpu.shader.from_builtin(LINE_SHADER)
    return [
        (colour, batch_for_shader(shader, "LINES", {"pos": _single(points)}))
        for colour, points in picture.lines.items()
    ]


def _face_batch(picture: Picture) -> Any:
    """Return the faces as a batch, or None if there are none."""
    if not picture.faces:
        return None
    values = {"pos": _single(picture.faces), "color": _single(picture.face_colours)}
    return batch_for_shader(gpu.shader.from_builtin(FACE_SHADER), "TRIS", values)


def _single(parts: list[FloatArray]) -> Any:
    return np.ascontiguousarray(np.concatenate(parts), dtype=np.float32)  # the graphics card reads rows


def _draw_batches(batches: _Batches) -> None:
    """Draw in front of everything, because forces and the body are inside the character's mesh."""
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    try:
        if batches.faces is not None:
            batches.faces.draw(gpu.shader.from_builtin(FACE_SHADER))
        shader = gpu.shader.from_builtin(LINE_SHADER)
        shader.bind()
        viewport: Any = gpu.state.viewport_get()  # the stubs say that it returns nothing
        shader.uniform_float("viewportSize", viewport[2:])
        shader.uniform_float("lineWidth", LINE_PIXELS)
        for colour, batch in batches.lines:
            shader.uniform_float("color", colour)
            batch.draw(shader)
    finally:
        gpu.state.blend_set("NONE")


def preview_points(context: Context) -> FloatArray:
    """Return ends of sticks (2 N, 3) [Blender units]: the latest moment, and the current frame if done."""
    session, scene = QUEUE.running, rig_context(context).scene
    if session is None or not session.previews or not rig_context(context).window_manager.heft.preview:
        return np.zeros((0, 3))
    now_s = (scene.frame_current + scene.frame_subframe) * scene.render.fps_base / scene.render.fps
    newest = len(session.previews) - 1
    index = int(np.searchsorted([preview.time for preview in session.previews], now_s))
    ends = [
        np.array(figure, dtype=np.float64).reshape(-1, 3)
        for moment in sorted({min(index, newest), newest})
        for figure in session.previews[moment].figures
    ]
    return np.concatenate(ends) / metres_per_unit(scene)
