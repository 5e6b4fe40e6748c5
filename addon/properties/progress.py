"""The job that runs now, on the window manager."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, StringProperty
from bpy.types import PropertyGroup

from .attach import NAME


class HeftQueuedJob(PropertyGroup):
    """A job of the queue; its name is what it does to what."""


class HeftProgress(PropertyGroup):
    """On the window manager: the job that runs now, how long it still takes, and all jobs, this one first."""

    running: BoolProperty()
    stage: StringProperty()
    fraction: FloatProperty(subtype="FACTOR", min=0.0, max=1.0)
    left: StringProperty()
    preview: BoolProperty(
        name="Preview",
        description="Show stick figures of the done part: its newest moment, and the current frame",
        default=True,
    )
    jobs: CollectionProperty(type=HeftQueuedJob)


CLASSES = (HeftQueuedJob, HeftProgress)
GROUPS = ((bpy.types.WindowManager, NAME, HeftProgress),)
