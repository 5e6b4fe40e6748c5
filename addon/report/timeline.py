"""Timeline markers on the worst frames; those of the user are never touched."""

from __future__ import annotations

from collections.abc import Sequence

from bpy.types import Scene

from ..blender_types import ArmatureObject

PREFIX = "Heft: "
"""All markers of Heft's start like this, and no others are removed."""
LONGEST = 60
"""Of a marker's name; Blender cuts longer ones anywhere."""


def mark_worst_frames(scene: Scene, armatures: Sequence[ArmatureObject]) -> int:
    """Replace the markers of the last report; how many there are now."""
    clear_marks(scene)
    made = 0
    for obj in armatures:
        if not obj.heft_report.marks:
            continue
        whose = f"{obj.name}, " if len(armatures) > 1 else ""
        for worst in obj.heft_report.worst:
            scene.timeline_markers.new(_name(whose + worst.text), frame=worst.frame)
            made += 1
    return made


def clear_marks(scene: Scene) -> int:
    """Remove all markers of Heft's; how many there were."""
    own = [marker for marker in scene.timeline_markers if marker.name.startswith(PREFIX)]
    for marker in own:
        scene.timeline_markers.remove(marker)
    return len(own)


def _name(text: str) -> str:
    name = PREFIX + text
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
