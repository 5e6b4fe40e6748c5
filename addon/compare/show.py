"""Shows the source of a bake, its result, or a mix of both; no key is changed.

For a mix the result stays the object's action, with an influence, and the source plays below it in an NLA
track of Heft's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...sim_core.base.errors import InputError
from .. import compat
from ..control_rig.kept import put_back_kept
from ..prop_writer import replay_props, restore_props
from .sources import has_source, remembered, shows_result

TRACK = "Heft Source"


def show_source(obj: Any) -> str:
    """Make what was baked the object's animation again, also of what it moved; its name."""
    if obj.animation_data is None or not has_source(obj):
        raise InputError(f"'{obj.name}' has no bake whose source is still there; choose its action by hand.")
    obj.heft_compare.share = 1.0
    _assign(obj.animation_data, remembered(obj))
    put_back_kept(obj)
    restore_props(bpy.context.scene)
    return str(obj.heft.source_action.name) if obj.heft.source_action is not None else "NLA tracks"


def show_result(obj: Any) -> str:
    """Make the result of the last bake the object's action, also of what it moved; its name."""
    baked = obj.heft.baked_action
    if baked is None:
        raise InputError(f"'{obj.name}' has no result to show; simulate it first.")
    compat.assign_action(obj.animation_data_create(), compat.slotted(baked, obj))
    replay_props(bpy.context.scene)
    return str(baked.name)


def can_mix(obj: Any) -> bool:
    """Whether source and result can be mixed: tracks that the user has switched off stay so."""
    animation = obj.animation_data
    free = animation is not None and (animation.use_nla or len(animation.nla_tracks) == 0)
    return free and has_source(obj) and not animation.use_tweak_mode


def mix(obj: Any, share: float) -> None:
    """Show so much of the result over the source."""
    if share >= 1.0 or not can_mix(obj):
        _end_mix(obj)
        return
    if not shows_result(obj):
        show_result(obj)
    animation, source = obj.animation_data, remembered(obj)
    if source is not None and TRACK not in animation.nla_tracks:
        _add_track(animation, source, obj.heft.baked_action)
    animation.use_nla = True
    animation.action_influence = share


@contextmanager
def sources_shown(objects: list[Any]) -> Iterator[None]:
    """What a simulation starts from is shown meanwhile; afterwards what was shown before."""
    before = [(obj, shown_now(obj)) for obj in objects if shows_result(obj) and has_source(obj)]
    try:
        for obj, _ in before:
            show_for_bake(obj)
        yield
    finally:
        for obj, state in before:
            show_again(obj, state)


def shown_now(obj: Any) -> tuple[compat.SlottedAction | None, float]:
    influence = 1.0 if obj.animation_data is None else obj.animation_data.action_influence
    return compat.action_of(obj), influence


def show_for_bake(obj: Any) -> None:
    """The source alone, without a word to the user."""
    if shows_result(obj) and has_source(obj):
        _assign(obj.animation_data, remembered(obj))
        put_back_kept(obj)
        obj.animation_data.action_influence = 1.0


def show_again(obj: Any, state: tuple[compat.SlottedAction | None, float]) -> None:
    if obj.animation_data is not None:
        _assign(obj.animation_data, state[0])
        obj.animation_data.action_influence = state[1]


def _assign(animation: Any, chosen: compat.SlottedAction | None) -> None:
    if chosen is None:
        animation.action = None
    else:
        compat.assign_action(animation, chosen)


def _add_track(animation: Any, source: compat.SlottedAction, baked: Any) -> None:
    """The source as one strip that plays it frame by frame, over all frames of source and result."""
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
