"""Shows the source of a bake, its result, or a mix of both; applies or discards the result.

No key is changed. For a mix the result stays the object's action, with an influence, and the source plays
below it in an NLA track that Heft adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty
from bpy.types import Context, PropertyGroup

from ...sim_core.base.errors import InputError
from ..blender import compat
from ..blender.result_actions import protect_source, remove_unused_result
from ..overlay.overlay_store import forget_series
from ..reading.source_action import has_source, recorded_source, shows_result
from ..writing.control_rig.restore import restore_noted_channels

TRACK = "Heft Source"


def show_source(obj: Any) -> str:
    """Assign the source to the object again, also for moved props; return its name."""
    from ..writing.prop_writer import restore_props

    if obj.animation_data is None or not has_source(obj):
        raise InputError(f"'{obj.name}' has no bake with an existing source; choose its action by hand.")
    obj.heft_compare.share = 1.0
    _assign(obj.animation_data, recorded_source(obj))
    restore_noted_channels(obj)
    restore_props(bpy.context.scene)
    return str(obj.heft.source_action.name) if obj.heft.source_action is not None else "NLA tracks"


def show_result(obj: Any) -> str:
    """Assign the result of the last bake to the object, also for moved props; return its name."""
    from ..writing.prop_writer import replay_props

    baked = obj.heft.baked_action
    if baked is None:
        raise InputError(f"'{obj.name}' has no result to show; simulate it first.")
    compat.assign_action(obj.animation_data_create(), compat.slotted(baked, obj))
    replay_props(bpy.context.scene)
    return str(baked.name)


def can_mix(obj: Any) -> bool:
    """Return whether source and result can be mixed, which needs the object's NLA to be on."""
    animation = obj.animation_data
    free = animation is not None and (animation.use_nla or len(animation.nla_tracks) == 0)
    return free and has_source(obj) and not animation.use_tweak_mode


def mix(obj: Any, share: float) -> None:
    """Show the result with an influence over the source; 1 ends the mix."""
    if share >= 1.0 or not can_mix(obj):
        _end_mix(obj)
        return
    if not shows_result(obj):
        show_result(obj)
    animation, source = obj.animation_data, recorded_source(obj)
    if source is not None and TRACK not in animation.nla_tracks:
        _add_track(animation, source, obj.heft.baked_action)
    animation.use_nla = True
    animation.action_influence = share


@contextmanager
def showing_sources(objects: list[Any]) -> Iterator[None]:
    """Show the sources of all objects within the context, and afterwards what was shown before."""
    before = [(obj, current_display(obj)) for obj in objects if shows_result(obj) and has_source(obj)]
    try:
        for obj, _ in before:
            show_source_only(obj)
        yield
    finally:
        for obj, state in before:
            restore_display(obj, state)


def current_display(obj: Any) -> tuple[compat.SlottedAction | None, float]:
    """Return the object's action and its influence, for `restore_display`."""
    influence = 1.0 if obj.animation_data is None else obj.animation_data.action_influence
    return compat.action_of(obj), influence


def show_source_only(obj: Any) -> None:
    """Assign the source to the object, without changing props or the panel's mix."""
    if shows_result(obj) and has_source(obj):
        _assign(obj.animation_data, recorded_source(obj))
        restore_noted_channels(obj)
        obj.animation_data.action_influence = 1.0


def restore_display(obj: Any, state: tuple[compat.SlottedAction | None, float]) -> None:
    """Assign an action and influence that `current_display` returned."""
    if obj.animation_data is not None:
        _assign(obj.animation_data, state[0])
        obj.animation_data.action_influence = state[1]


def _assign(animation: Any, chosen: compat.SlottedAction | None) -> None:
    if chosen is None:
        animation.action = None
    else:
        compat.assign_action(animation, chosen)


def _add_track(animation: Any, source: compat.SlottedAction, baked: Any) -> None:
    """Add the source as one strip that plays it frame by frame, over all frames of source and result."""
    start = min(source.action.frame_range[0], baked.frame_range[0])
    end = max(source.action.frame_range[1], baked.frame_range[1])
    track = animation.nla_tracks.new()
    track.name = TRACK
    strip = track.strips.new(source.action.name, int(start), source.action)
    compat.assign_strip_slot(strip, source)
    strip.action_frame_start, strip.action_frame_end = start, end
    strip.frame_start, strip.frame_end = start, end


def _end_mix(obj: Any) -> None:
    animation = obj.animation_data
    if animation is None:
        return
    animation.action_influence = 1.0
    track = animation.nla_tracks.get(TRACK)
    if track is not None:
        animation.nla_tracks.remove(track)


def apply_result(obj: Any) -> str:
    """Keep the result, or the current mix, as a normal action; return its name."""
    from ..writing.prop_writer import forget_props

    if obj.heft.baked_action is None:
        raise InputError(f"'{obj.name}' has no result to keep; simulate it first.")
    name = show_result(obj)
    obj.heft.baked_action.heft_result.checksum = ""
    track = obj.animation_data.nla_tracks.get(TRACK)
    if track is not None:
        track.name = "Source"  # the track now belongs to the user
    forget_props(bpy.context.scene)
    _forget(obj)
    return name


def discard_result(obj: Any) -> tuple[str, str]:
    """Restore the source and remove the result; return the source's name, and a note if the result stays."""
    from ..writing.prop_writer import forget_props

    name = show_source(obj)
    forget_props(bpy.context.scene)
    baked = obj.heft.baked_action
    _forget(obj)
    return name, remove_unused_result(baked)


def _forget(obj: Any) -> None:
    source, bake = obj.heft.source_action, obj.heft
    bake.baked_action = bake.source_action = None
    bake.source_slot, bake.outcome.present = "", False
    protect_source(source)
    forget_series(obj)


def _mix(compare: Any, _context: Context) -> None:
    mix(compare.id_data, compare.share)


class HeftCompare(PropertyGroup):
    """How much of the result is shown, on the object."""

    share: FloatProperty(
        name="Result",
        description="1 shows the result, 0 the source, values between mix both; no key is changed",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_mix,
    )
    had_action: BoolProperty(description="The last bake was made of an action, not of the NLA", default=True)


CLASSES = (HeftCompare,)

GROUPS = ((bpy.types.Object, "heft_compare", HeftCompare),)
