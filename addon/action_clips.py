"""The list of actions that are baked in sequence."""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import Action, NlaStrip

from ..sim_core.base.errors import InputError
from . import compat
from .blender_types import ArmatureObject
from .properties.sequence import HeftActionClip
from .source_action import require_animation, strips_of


@dataclass(frozen=True)
class ActionClip:
    """A part of an action, as an NLA strip would play it; frames are the action's own."""

    source: compat.SlottedAction
    frame_start: float
    frame_end: float
    repeat: float
    scale: float
    reverse: bool

    @property
    def name(self) -> str:
        return str(self.source.action.name)


def require_source(obj: ArmatureObject) -> None:
    """Refuse an armature that has nothing to bake."""
    if obj.heft.source_mode == "SEQUENCE":
        clips_of(obj)
    else:
        require_animation(obj)


def clips_of(obj: ArmatureObject) -> tuple[ActionClip, ...]:
    """What the list says, in order."""
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        raise InputError(f"'{obj.name}' is in the NLA editor's tweak mode; leave it (Tab) and try again.")
    rows = list(obj.heft.sequence)
    if not rows:
        raise InputError("The list of actions is empty; add actions to it or fill it from the NLA strips.")
    return tuple(_clip(obj, row) for row in rows)


def add_row(obj: ArmatureObject, action: Action | None) -> HeftActionClip:
    """Append a whole action to the list, or an empty row, and make it the active one."""
    row = obj.heft.sequence.add()
    row.action = action
    obj.heft.sequence_index = len(obj.heft.sequence) - 1
    return row


def fill_from_strips(obj: ArmatureObject) -> int:
    """Put the NLA's strips into the list, by time; how many."""
    strips = sorted(
        (strip for strip in strips_of(obj) if strip.action is not None), key=lambda strip: strip.frame_start
    )
    if not strips:
        raise InputError(f"'{obj.name}' has no NLA strips that are not muted; push actions down to the NLA.")
    obj.heft.sequence.clear()
    for strip in strips:
        row = add_row(obj, strip.action)
        row.slot = compat.slot_name(compat.strip_source(strip))
        row.frame_start, row.frame_end = strip.action_frame_start, strip.action_frame_end
        row.repeat, row.scale, row.reverse = strip.repeat, strip.scale, strip.use_reverse
    return len(strips)


def set_up_strip(strip: NlaStrip, clip: ActionClip) -> None:
    """Let a new strip play a clip."""
    compat.assign_strip_slot(strip, clip.source)
    strip.use_sync_length = False
    strip.action_frame_start, strip.action_frame_end = clip.frame_start, clip.frame_end
    strip.scale, strip.repeat, strip.use_reverse = clip.scale, clip.repeat, clip.reverse


def _clip(obj: ArmatureObject, row: HeftActionClip) -> ActionClip:
    if row.action is None:
        raise InputError("A row of the list of actions has no action; choose one or remove the row.")
    source = compat.slotted(row.action, obj, row.slot)
    if not compat.curves_of(source):
        raise InputError(f"The action '{row.action.name}' holds no keys for an armature; choose another one.")
    if not row.frame_end > row.frame_start:
        raise InputError(
            f"The frames {row.frame_start:g} to {row.frame_end:g} of '{row.action.name}' hold no motion; "
            "widen them."
        )
    return ActionClip(source, row.frame_start, row.frame_end, row.repeat, row.scale, row.reverse)
