"""Which action a simulation starts from, and over which frames."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from bpy.types import NlaStrip

from ...sim_core.base.errors import InputError
from ..blender import compat
from ..blender.blender_types import ArmatureObject
from ..blender.compat import action_of, curves_of


def shows_result(obj: Any) -> bool:
    """Return whether the object's action is the result of its last bake."""
    animation, baked = obj.animation_data, obj.heft.baked_action
    return animation is not None and baked is not None and animation.action == baked


def has_source(obj: Any) -> bool:
    """Return whether the source of the last bake still exists."""
    bake = obj.heft
    return bake.baked_action is not None and (
        bake.source_action is not None or not obj.heft_compare.had_action
    )


def result_of_another_action(obj: Any) -> str:
    """Return the name of the action that was baked, where the armature now plays another one; else empty."""
    bake, playing = obj.heft, compat.action_of(obj)
    if bake.source_action is None or playing is None or bake.source_mode == "SEQUENCE":
        return ""
    return "" if playing.action in (bake.baked_action, bake.source_action) else str(bake.source_action.name)


def source_of(obj: Any) -> compat.SlottedAction | None:
    """Return the action that a simulation starts from: while a result is shown, its source."""
    if not (shows_result(obj) and has_source(obj)):
        return compat.action_of(obj)
    return recorded_source(obj)


def recorded_source(obj: Any) -> compat.SlottedAction | None:
    """Return the action that was baked; None for the NLA."""
    bake = obj.heft
    return None if bake.source_action is None else compat.slotted(bake.source_action, obj, bake.source_slot)


def require_animation(obj: ArmatureObject) -> None:
    """Refuse an armature that nothing animates."""
    animation = obj.animation_data
    if animation is not None and animation.use_tweak_mode:
        raise InputError(f"'{obj.name}' is in the NLA editor's tweak mode; leave it (Tab) and try again.")
    source = action_of(obj)
    animated = source is not None and bool(curves_of(source))
    driven = animation is not None and (bool(strips_of(obj)) or len(animation.drivers) > 0)
    if not (animated or driven or any(bone.constraints for bone in obj.pose.bones)):
        if animation is not None and any(track.strips for track in animation.nla_tracks):
            raise InputError(
                f"'{obj.name}' has no animation: its NLA tracks are muted. Unmute one, or choose an action "
                "for it in the Action Editor."
            )
        raise InputError(f"'{obj.name}' has no animation: choose an action for it in the Action Editor.")


def source_name(obj: ArmatureObject) -> str:
    """Return the name of what a simulation starts from, for the panel."""
    source = source_of(obj)
    if source is not None:
        return source.action.name
    return "NLA tracks" if strips_of(obj) else ""


def sources_played(obj: ArmatureObject) -> list[compat.SlottedAction]:
    """Return the actions that a simulation starts from: the source, or those of the NLA strips."""
    source = source_of(obj)
    if source is not None:
        return [source]
    return [compat.strip_source(strip) for strip in strips_of(obj) if strip.action is not None]


def animated_bones(obj: ArmatureObject, sources: Iterable[compat.SlottedAction]) -> tuple[str, ...]:
    """Return the bones that some action has keys for."""
    paths = {curve.data_path for source in sources for curve in curves_of(source)}
    prefixes = {path.rpartition("]")[0] for path in paths if path.startswith("pose.bones")}
    return tuple(bone.name for bone in obj.pose.bones if bone.path_from_id().rpartition("]")[0] in prefixes)


def animated_range(obj: ArmatureObject) -> tuple[int, int] | None:
    """Return the first and last whole frame with keys or strips of the source, or None."""
    source = source_of(obj)
    if source is not None and source.action.use_frame_range:
        return _whole(source.action.frame_start, source.action.frame_end)
    ends = [curve.range() for curve in (curves_of(source) if source is not None else ())]
    spans = [(end[0], end[1]) for end in ends] or [(s.frame_start, s.frame_end) for s in strips_of(obj)]
    if not spans:
        return None
    return _whole(min(start for start, _ in spans), max(end for _, end in spans))


def strips_of(obj: ArmatureObject) -> list[NlaStrip]:
    """Return the NLA strips that are not muted."""
    animation = obj.animation_data
    if animation is None or not animation.use_nla:
        return []
    tracks = [track for track in animation.nla_tracks if not track.mute]
    return [strip for track in tracks for strip in track.strips if not strip.mute]


def _whole(start: float, end: float) -> tuple[int, int]:
    return math.floor(start + 1e-3), math.ceil(end - 1e-3)
