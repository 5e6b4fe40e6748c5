"""Pictures of several moments at once, and short films, of the scenes of the demo."""

from __future__ import annotations

from pathlib import Path

import bpy
from mathutils import Matrix

from .body import STANDARD_HEIGHT
from .mannequin import FPS
from .render_setup import build_camera, build_floor, use_workbench
from .stage import Stage

MOMENTS = 7
PICTURE_SIZE = (1280, 420)
LISTING_SIZE, ICON_SIZE = (1920, 1080), (256, 256)
"""Of the images that the extensions platform shows [pixels]."""
VIDEO_SIZE = (480, 270)
VIDEO_STEP = 5
LENS_MM, SENSOR_MM = 70.0, 36.0
HEADROOM_M, SIDE_ROOM_M = 0.45, 1.0
"""Free space above the tallest figure, and beside the first and the last one of usual height [m]."""


def picture(
    stage: Stage,
    frames: list[int],
    spread_m: float | None,
    path: Path,
    size: tuple[int, int] = PICTURE_SIZE,
) -> None:
    """Render the figures at several frames in one picture.

    spread_m: between neighbours; None leaves every pose where it happened
    size: wide and high [pixels]
    """
    scene, columns = stage.scene, _columns(stage, frames)
    moved = [0.0 if spread_m is None else spread_m * n - column for n, column in enumerate(columns)]
    places = [column + shift for column, shift in zip(columns, moved, strict=True)]
    exposed = bpy.data.scenes.new("exposed")
    for obj in stage.shown:
        seen = frames if _moves(obj) else frames[:1]
        for frame, shift in zip(seen, moved, strict=False):
            _freeze(scene, exposed, obj, frame, shift)
    bpy.context.window.scene = exposed
    use_workbench(exposed, *size)
    build_floor()
    _camera(min(places), max(places), stage.tallest_m, size)
    exposed.render.image_settings.file_format = "PNG"
    exposed.render.image_settings.color_mode = "RGB"
    exposed.render.image_settings.compression = 100
    exposed.render.filepath = str(path)
    bpy.ops.render.render(write_still=True, scene=exposed.name)
    _remove_scene(exposed, scene)


def _moves(obj: bpy.types.Object) -> bool:
    """Return whether an object is elsewhere at another frame: a figure, a shadow, a ball, markers."""
    return obj.heft_object.role not in ("GROUND", "OBSTACLE")


def _columns(stage: Stage, frames: list[int]) -> list[float]:
    """Return where the hips of the first figure are along X at each frame [m]."""
    bpy.context.window.scene = stage.scene
    positions = []
    for frame in frames:
        stage.scene.frame_set(frame)
        rig = stage.rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        positions.append((rig.matrix_world @ rig.pose.bones["hips"].head).x)
    return positions


def _camera(first_m: float, last_m: float, tallest_m: float, size: tuple[int, int]) -> None:
    """Look at all that happens between two positions along X, from the right of the figures."""
    wide, high = size
    aside_m = SIDE_ROOM_M * tallest_m / STANDARD_HEIGHT if last_m > first_m else 0.0
    width = max(last_m - first_m + 2.0 * aside_m, (tallest_m + HEADROOM_M) * wide / high)
    middle, away = 0.5 * (first_m + last_m), width * LENS_MM / SENSOR_MM
    build_camera((middle, -away, 0.5 * tallest_m + 0.12 * away), (middle, 0.0, 0.47 * tallest_m), LENS_MM)


def _freeze(
    scene: bpy.types.Scene, exposed: bpy.types.Scene, obj: bpy.types.Object, frame: int, shift: float
) -> None:
    """Copy the shape that an object has at a frame into another scene, moved along X."""
    bpy.context.window.scene = scene
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(graph)
    frozen = bpy.data.objects.new("pose", bpy.data.meshes.new_from_object(evaluated, depsgraph=graph))
    exposed.collection.objects.link(frozen)
    frozen.matrix_world = Matrix.Translation((shift, 0.0, 0.0)) @ evaluated.matrix_world


def _remove_scene(scene: bpy.types.Scene, back_to: bpy.types.Scene) -> None:
    """Remove a scene with everything that only it holds."""
    bpy.context.window.scene = back_to
    for obj in list(scene.collection.objects):
        bpy.data.objects.remove(obj)
    bpy.data.scenes.remove(scene)
    bpy.data.orphans_purge()


def film(scene: bpy.types.Scene, first: int, last: int, path: Path) -> None:
    """Render an H264 film of a part of a scene, in real time."""
    bpy.context.window.scene = scene
    render, settings = scene.render, scene.render.image_settings
    before = (render.resolution_x, render.resolution_y, scene.frame_start, scene.frame_end, render.fps)
    if hasattr(settings, "media_type"):  # Blender 5 asks for the kind of file first
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
    render.ffmpeg.constant_rate_factor = "HIGH"
    render.resolution_x, render.resolution_y = VIDEO_SIZE
    step = max(round(render.fps * VIDEO_STEP / FPS), 1)
    scene.frame_start, scene.frame_end, scene.frame_step = first, last, step
    render.fps = round(render.fps / step)
    render.use_file_extension = False
    render.filepath = str(path)
    bpy.ops.render.render(animation=True, scene=scene.name)
    scene.frame_step = 1
    render.resolution_x, render.resolution_y, scene.frame_start, scene.frame_end, render.fps = before
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"
