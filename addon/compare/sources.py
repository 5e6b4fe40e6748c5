"""What a bake was made of, and whether its result is shown."""

from __future__ import annotations

from typing import Any

from .. import compat


def shows_result(obj: Any) -> bool:
    """Whether the object's action is the result of its last bake."""
    animation, baked = obj.animation_data, obj.heft.baked_action
    return animation is not None and baked is not None and animation.action == baked


def has_source(obj: Any) -> bool:
    """Whether what was baked is still there."""
    bake = obj.heft
    return bake.baked_action is not None and (
        bake.source_action is not None or not obj.heft_compare.had_action
    )


def source_of(obj: Any) -> compat.SlottedAction | None:
    """The action that a simulation starts from: while a bake is shown, the one that it was made of."""
    if not (shows_result(obj) and has_source(obj)):
        return compat.action_of(obj)
    return remembered(obj)


def remembered(obj: Any) -> compat.SlottedAction | None:
    """The action that was baked; None for the NLA."""
    bake = obj.heft
    return None if bake.source_action is None else compat.slotted(bake.source_action, obj, bake.source_slot)
