"""Draws overlays into 3D views; lines and faces are made once for a frame and kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import gpu
import numpy as np
from bpy.types import Context, Object, Scene, SpaceView3D
from gpu_extras.batch import batch_for_shader

from ...sim_core.conventions import FloatArray
from ...sim_core.overlay.series import OverlaySeries
from ..blender_types import overlay_scene
from .colours import theme_palette
from .picture import Choice, Picture, Wires, picture_at
from .store import series_in, shown

LINE_PIXELS = 2.0
KEPT_FIGURES = 16
"""More characters than this in one file are read again when they are drawn."""


@dataclass
class _Figure:
    """What is kept of one bake: its values, and the batches of the frame that was drawn last."""

    series: OverlaySeries | None
    wires: Wires | None
    drawn: tuple[Any, ...] | None = None
    lines: Any = None
    faces: Any = None


_figures: dict[int, _Figure] = {}
"""By the mesh that holds the values; a mesh is never changed, so what is kept never gets old."""
_handler: Any = None


def register() -> None:
    global _handler
    if _handler is None:
        _handler = SpaceView3D.draw_handler_add(draw_view, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handler
    if _handler is not None:
        SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    _figures.clear()


def draw_view() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    space = context.space_data
    if isinstance(space, SpaceView3D) and space.overlay.show_overlays and context.scene is not None:
        draw_scene(context)


def draw_scene(context: Context) -> None:
    """Overlays of all characters that are seen, into the view or picture that is drawn now."""
    scene = context.scene
    if scene is None or not overlay_scene(scene).heft_overlays.show:
        return
    choice = choice_of(scene)
    for obj in characters(context):
        _draw_figure(obj, scene.frame_current, choice)


def characters(context: Context) -> list[Object]:
    """Visible armatures that have overlays."""
    layer = context.view_layer
    if layer is None:
        return []
    found = [obj for obj in layer.objects if obj.type == "ARMATURE" and shown(obj).heft_overlay.data is not None]
    return [obj for obj in found if obj.visible_get()]


def choice_of(scene: Scene) -> Choice:
    chosen = overlay_scene(scene).heft_overlays
    x, y, z = chosen.ghost_offset
    return Choice(
        chosen.show_body,
        chosen.show_forces,
        chosen.show_balance,
        chosen.show_effort,
        chosen.show_ghost,
        chosen.newtons_per_metre,
        (x, y, z),
    )


def series_shown(obj: Object) -> OverlaySeries | None:
    """The overlay values of an object's last bake, kept after the first time; None where there are none."""
    figure = _figure_of(obj)
    return None if figure is None else figure.series


def _figure_of(obj: Object) -> _Figure | None:
    data = shown(obj).heft_overlay.data
    if data is None:
        return None
    if data.session_uid not in _figures:
        if len(_figures) >= KEPT_FIGURES:
            _figures.clear()
        series = series_in(data)
        _figures[data.session_uid] = _Figure(series, None if series is None else Wires.of(series))
    return _figures[data.session_uid]


def _draw_figure(obj: Object, frame: int, choice: Choice) -> None:
    figure = _figure_of(obj)
    if figure is None or figure.series is None or figure.wires is None:
        return
    row = figure.series.row_of(frame)
    if row is None:
        return
    if figure.drawn != (frame, choice):
        picture = picture_at(figure.series, figure.wires, row, choice, theme_palette())
        figure.lines, figure.faces = _batches(picture)
        figure.drawn = (frame, choice)
    _draw_batches(figure)


def _batches(picture: Picture) -> tuple[Any, Any]:
    return (
        _batch("POLYLINE_FLAT_COLOR", "LINES", picture.lines, picture.line_colours),
        _batch("FLAT_COLOR", "TRIS", picture.faces, picture.face_colours),
    )


def _batch(shader: Any, kind: Any, points: list[FloatArray], colours: list[FloatArray]) -> Any:
    """A batch with its shader, or None where there is nothing to draw."""
    if not any(len(part) for part in points):
        return None
    made = gpu.shader.from_builtin(shader)
    values: Any = {
        "pos": np.concatenate(points).astype(np.float32),
        "color": np.concatenate(colours).astype(np.float32),
    }
    return made, batch_for_shader(made, kind, values)


def _draw_batches(figure: _Figure) -> None:
    """In front of everything: forces and the body are inside the character's mesh."""
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    try:
        if figure.faces is not None:
            shader, batch = figure.faces
            batch.draw(shader)
        if figure.lines is not None:
            shader, batch = figure.lines
            shader.bind()
            shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
            shader.uniform_float("lineWidth", LINE_PIXELS)
            batch.draw(shader)
    finally:
        gpu.state.blend_set("NONE")
