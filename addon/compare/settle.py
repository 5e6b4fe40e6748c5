"""Apply and Discard: a bake becomes the user's own animation, or goes."""

from __future__ import annotations

from typing import Any

import bpy

from ...sim_core.base.errors import InputError
from ..overlay.store import forget_series
from ..prop_writer import forget_props
from .own_result import keep_source, retire
from .show import TRACK, show_result, show_source


def apply_result(obj: Any) -> str:
    """Keep the result, or the mix that is shown, and forget that it was a bake; its name."""
    if obj.heft.baked_action is None:
        raise InputError(f"'{obj.name}' has no result to keep; simulate it first.")
    name = show_result(obj)
    obj.heft.baked_action.heft_result.checksum = ""
    track = obj.animation_data.nla_tracks.get(TRACK)
    if track is not None:
        track.name = "Source"  # of the mix, which is the user's from now on
    forget_props(bpy.context.scene)
    _forget(obj)
    return name


def discard_result(obj: Any) -> tuple[str, str]:
    """Go back to the source and remove the result; the source's name, and a sentence if it was kept."""
    name = show_source(obj)
    forget_props(bpy.context.scene)
    baked = obj.heft.baked_action
    _forget(obj)
    return name, retire(baked)


def _forget(obj: Any) -> None:
    source, bake = obj.heft.source_action, obj.heft
    bake.baked_action = bake.source_action = None
    bake.source_slot, bake.outcome.present = "", False
    keep_source(source)
    forget_series(obj)
