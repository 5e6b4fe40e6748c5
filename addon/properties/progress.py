"""The job that runs now, on the window manager."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty
from bpy.types import PropertyGroup

from .attach import NAME


class HeftProgress(PropertyGroup):
    """On the window manager: the bake that runs now."""

    running: BoolProperty()
    stage: StringProperty()
    fraction: FloatProperty(subtype="FACTOR", min=0.0, max=1.0)


CLASSES = (HeftProgress,)
GROUPS = ((bpy.types.WindowManager, NAME, HeftProgress),)
