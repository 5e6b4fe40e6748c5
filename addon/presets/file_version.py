"""Which Heft a .blend file was saved with, and what has changed since, in lines for the user.

Blender stores only the options that the user has set. So a new default, and an option of another kind, change
what an old file does, and whoever opens it is told.
"""

from __future__ import annotations

from typing import Any, cast

import bpy
from bpy.props import StringProperty
from bpy.types import PropertyGroup, Scene

from ...sim_core import VERSION
from ..blender.blender_types import ArmatureObject, surrounding
from ..blender.property_groups import NAME

Version = tuple[int, ...]
CHANGES: dict[str, tuple[str, ...]] = {
    "1.0.0": (
        "Assist is 0 N where nobody has set it; it was 15 N",
        "Loop is Auto where nobody has set it: a clip that ends as it begins stays a loop",
    ),
}
"""What an older file does differently since a version."""

_news: tuple[str, ...] = ()


class HeftFile(PropertyGroup):
    """The version of Heft that a file was last saved with, on scenes that use Heft."""

    version: StringProperty()


def file_news() -> tuple[str, ...]:
    """Return what to tell about the file that is open; nothing after it was saved."""
    return _news


def news_since(saved: str, present: str) -> tuple[str, ...]:
    """Return what has changed from one version to another; saved: empty before versions were stored."""
    old, new = _numbers(saved), _numbers(present)
    if old > new:
        return (f"Saved with Heft {saved}; this is {present}, which may not know all of its options",)
    lines = [line for at, own in CHANGES.items() if old < _numbers(at) <= new for line in own]
    return (f"Saved with {f'Heft {saved}' if saved else 'an older Heft'}:", *lines) if lines else ()


def _numbers(version: str) -> Version:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _stored(scene: Any) -> HeftFile:
    found: HeftFile = scene.heft_file
    return found


def uses_heft(scene: Scene) -> bool:
    """Return whether a scene has a result of Heft or an object with a role."""
    return any(
        surrounding(obj).heft_object.role != "NONE"
        or (obj.type == "ARMATURE" and cast(ArmatureObject, obj).heft.outcome.present)
        for obj in scene.objects
    )


def _read(*_: object) -> None:
    """Find out what to tell about the file that was opened."""
    global _news
    used = [_stored(scene).version for scene in bpy.data.scenes if uses_heft(scene)]
    _news = news_since(min(used, key=_numbers), VERSION) if used else ()


def _stamp(*_: object) -> None:
    """Write the version into the file that is saved."""
    global _news
    for scene in bpy.data.scenes:
        if uses_heft(scene) and scene.library is None:
            _stored(scene).version = VERSION
    _news = ()


CLASSES = (HeftFile,)
GROUPS = ((bpy.types.Scene, f"{NAME}_file", HeftFile),)
HANDLERS = {"load_post": _read, "save_pre": _stamp}
