"""Has 3D views draw overlays, and loads what draws them when the first is shown."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import SpaceView3D

from ..blender.blender_types import overlay_scene
from ..jobs.job_queue import QUEUE

_handler: Any = None


def register() -> None:
    """Add the draw handler."""
    global _handler
    if _handler is None:
        _handler = SpaceView3D.draw_handler_add(draw_view, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Remove the draw handler and clear the cache."""
    global _handler
    if _handler is not None:
        from .draw import forget_figures

        SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
        forget_figures()


def draw_view() -> None:
    """Draw one 3D view; Blender calls this."""
    context = bpy.context
    space, scene = context.space_data, context.scene
    if scene is None or not isinstance(space, SpaceView3D) or not space.overlay.show_overlays:
        return
    if overlay_scene(scene).heft_overlays.show or QUEUE.running is not None:
        from .draw import draw_preview, draw_scene

        draw_scene(context)
        draw_preview(context)
