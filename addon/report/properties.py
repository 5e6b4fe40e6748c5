"""What Heft keeps in the file about the last report."""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

UNKNOWN = -1.0
"""In place of a score where nothing is known."""


class HeftReportRow(PropertyGroup):
    """A measure in words, with its values as text."""

    words: StringProperty()
    before: StringProperty()
    after: StringProperty()


class HeftReportPart(PropertyGroup):
    """A part of the score, 0 to 100."""

    words: StringProperty()
    before: FloatProperty(default=UNKNOWN)
    after: FloatProperty(default=UNKNOWN)


class HeftWorstFrame(PropertyGroup):
    """A frame and what is wrong there."""

    frame: IntProperty()
    text: StringProperty()


class HeftReport(PropertyGroup):
    """On an armature's object: what the last bake or check said about its motion."""

    present: BoolProperty()
    compared: BoolProperty(description="Whether there is an after")
    token: StringProperty(description="Under which the curves of this report are kept until Blender closes")
    before: FloatProperty(default=UNKNOWN)
    after: FloatProperty(default=UNKNOWN)
    verdict: StringProperty()
    not_judged: StringProperty(description="Which parts of the score are missing, and why")
    parts: CollectionProperty(type=HeftReportPart)
    rows: CollectionProperty(type=HeftReportRow)
    worst: CollectionProperty(type=HeftWorstFrame)
    marks: BoolProperty(
        name="Mark Worst Frames",
        description="Put timeline markers on the worst frames; markers of your own stay as they are",
        default=True,
    )
    curves: PointerProperty(type=Object, description="The Empty that carries the curves of the report")


CLASSES = (HeftReportRow, HeftReportPart, HeftWorstFrame, HeftReport)
GROUPS = ((bpy.types.Object, "heft_report", HeftReport),)
