"""Picture strips of source and result, and a short video."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from .figure import material
from .mannequin import FPS
from .render_setup import build_camera, build_floor, use_workbench

POSES = 8
SPACING = 1.0
ROW_WIDTH, ROW_HEIGHT = 1120, 320
VIDEO_STEP = 5
VIDEO_SIZE = (480, 270)


def strip(
    scene: bpy.types.Scene, rows: dict[str, list[bpy.types.Object]], frames: list[int], path: Path
) -> None:
    """Render one picture: a row of poses for each label, all at the same frames.

    rows: for each label the objects (figure and shadow) whose evaluated shape is shown; the hips of the
    first label, the source, set the columns of all rows
    """
    pictures = []
    columns = _columns(scene, next(iter(rows.values()))[0], frames)
    for label, shown in rows.items():
        row_scene = _new_scene("strip")
        _freeze_row(scene, row_scene, shown, frames, columns)
        _write_labels(row_scene, label, [(f - frames[0]) / FPS for f in frames])
        pictures.append(_render(row_scene, path.with_suffix(".row.png")))
        _remove_scene(row_scene, scene)
    _save(np.concatenate(pictures[::-1]), scene, path)


def _new_scene(name: str) -> bpy.types.Scene:
    scene = bpy.data.scenes.new(name)
    bpy.context.window.scene = scene
    use_workbench(scene, ROW_WIDTH, ROW_HEIGHT)
    build_floor()
    middle = 0.5 * (POSES - 1) * SPACING
    build_camera((middle, -13.0, 2.1), (middle, 0.0, 0.93), 56.0)
    return scene


def _columns(scene: bpy.types.Scene, figure: bpy.types.Object, frames: list[int]) -> list[float]:
    """Return the position of each pose's hips along X [m], from the figure's rig."""
    bpy.context.window.scene = scene
    positions = []
    for frame in frames:
        scene.frame_set(frame)
        rig = figure.parent.evaluated_get(bpy.context.evaluated_depsgraph_get())
        positions.append((rig.matrix_world @ rig.pose.bones["hips"].head).x)
    return positions


def _freeze_row(
    scene: bpy.types.Scene,
    row_scene: bpy.types.Scene,
    shown: list[bpy.types.Object],
    frames: list[int],
    columns: list[float],
) -> None:
    """Copy the shapes at each frame, side by side, into another scene."""
    bpy.context.window.scene = scene
    depth = shown[0].parent.location.y
    for i, frame in enumerate(frames):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for obj in shown:
            frozen = bpy.data.meshes.new_from_object(obj.evaluated_get(graph), depsgraph=graph)
            copy = bpy.data.objects.new("pose", frozen)
            row_scene.collection.objects.link(copy)
            copy.matrix_world = Matrix.Translation((SPACING * i - columns[i], -depth, 0.0)) @ obj.matrix_world
    bpy.context.window.scene = row_scene


def _write_labels(scene: bpy.types.Scene, label: str, seconds: list[float]) -> None:
    _text(scene, label, (-0.55, 0.0, 1.93), 0.17, upright=True)
    for i, second in enumerate(seconds):
        _text(scene, f"{second:.1f} s", (SPACING * i - 0.14, -0.8, 0.004), 0.16, upright=False)


def _text(
    scene: bpy.types.Scene, text: str, position: tuple[float, float, float], size: float, upright: bool
) -> None:
    curve = bpy.data.curves.new("label", "FONT")
    curve.body, curve.size = text, size
    curve.materials.append(material("label", (0.22, 0.24, 0.28, 1.0)))
    obj = bpy.data.objects.new("label", curve)
    obj.location = position
    obj.rotation_euler = (np.pi / 2 if upright else 0.5, 0.0, 0.0)
    scene.collection.objects.link(obj)


def _render(scene: bpy.types.Scene, path: Path) -> np.ndarray:
    """Return the picture as (rows, columns, 4), bottom row first."""
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True, scene=scene.name)
    image = bpy.data.images.load(str(path))
    pixels = np.empty(len(image.pixels), dtype=np.float32)
    image.pixels.foreach_get(pixels)
    width, height = image.size
    bpy.data.images.remove(image)
    path.unlink()
    return pixels.reshape(height, width, 4)


def _save(pixels: np.ndarray, scene: bpy.types.Scene, path: Path) -> None:
    """Write a PNG with the scene's settings."""
    height, width, _ = pixels.shape
    image = bpy.data.images.new("picture", width, height)
    image.pixels.foreach_set(np.ascontiguousarray(pixels, dtype=np.float32).ravel())
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.compression = "PNG", "RGB", 100
    image.save_render(str(path), scene=scene)
    bpy.data.images.remove(image)


def _remove_scene(scene: bpy.types.Scene, back_to: bpy.types.Scene) -> None:
    """Remove a scene with everything that only it holds."""
    bpy.context.window.scene = back_to
    for obj in list(scene.collection.objects):
        bpy.data.objects.remove(obj)
    bpy.data.scenes.remove(scene)
    bpy.data.orphans_purge()


def video(scene: bpy.types.Scene, first: int, last: int, path: Path) -> None:
    """Render an H264 video of a part of a scene, in real time."""
    bpy.context.window.scene = scene
    render, settings = scene.render, scene.render.image_settings
    before = (render.resolution_x, render.resolution_y, scene.frame_start, scene.frame_end)
    if hasattr(settings, "media_type"):  # Blender 5 asks for the kind of file first
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
    render.ffmpeg.constant_rate_factor = "HIGH"
    render.resolution_x, render.resolution_y = VIDEO_SIZE
    scene.frame_start, scene.frame_end, scene.frame_step = first, last, VIDEO_STEP
    render.fps = FPS // VIDEO_STEP
    render.use_file_extension = False
    render.filepath = str(path)
    bpy.ops.render.render(animation=True, scene=scene.name)
    render.fps, scene.frame_step = FPS, 1
    render.resolution_x, render.resolution_y, scene.frame_start, scene.frame_end = before
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"
