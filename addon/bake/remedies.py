"""What can be tried after a fall: each remedy changes options of an armature before it is simulated again.

Each keeps the motion. An assist is offered only where one was found that does; where nothing carries the
body, the frames from the fall on stay those of the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..blender.blender_types import ArmatureObject

MARGIN_FRAMES = 5
"""Frames before a fall that are left out, because the body is already tipping."""
FEWEST_FRAMES = 12
BLEND_FRAMES = 5
"""Frames over which the simulation goes over into the source, before the frames that stay the source's."""


@dataclass(frozen=True)
class Remedy:
    """One thing to try; text: of its button."""

    key: str
    text: str


def remedies_of(obj: ArmatureObject) -> tuple[Remedy, ...]:
    """Return what was not tried yet for the fall of the last bake."""
    bake, found = obj.heft, []
    if bake.quality == "draft":  # it tries one method only, and never searches
        found.append(Remedy("STANDARD", "Standard Quality"))
    elif bake.quality != "best" or not bake.search:
        found.append(Remedy("SEARCH", "Search Longer"))
    if bake.outcome.least_assist_n > bake.assist_cap:
        found.append(Remedy("ASSIST", f"Allow {bake.outcome.least_assist_n:.0f} N of Assist"))
    if bake.source_mode == "ACTION" and _last_good(obj) - bake.outcome.first_frame >= FEWEST_FRAMES:
        found.append(
            Remedy("SHORTEN", f"Frames {bake.outcome.first_frame} to {_last_good(obj)}, Then Source")
        )
    return tuple(found)


def apply_remedy(obj: ArmatureObject, key: str) -> None:
    """Change the options of an armature as a remedy says."""
    bake = obj.heft
    if key == "STANDARD":
        bake.quality, bake.search = "standard", True
    elif key == "SEARCH":
        bake.quality, bake.search = "best", True
    elif key == "ASSIST":
        bake.assist_cap = bake.outcome.least_assist_n
    elif key == "SHORTEN":
        bake.range_mode = "CUSTOM"
        bake.frame_start, bake.frame_end = bake.outcome.first_frame, _last_good(obj)
        obj.heft_parts.blend_out = max(obj.heft_parts.blend_out, BLEND_FRAMES)


def _last_good(obj: ArmatureObject) -> int:
    return int(obj.heft.outcome.fell_frame) - MARGIN_FRAMES
