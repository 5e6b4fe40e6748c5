"""Which actions of the list may go over into which others, when a character is steered or walks along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Action

from ..blender.blender_types import ArmatureObject
from .sequence_reader import HeftActionClip

if TYPE_CHECKING:
    from ...sim_core.actions.link_switches import LinkSwitches


def may_go_over(row: HeftActionClip, action: Action) -> bool:
    """Return whether the action of a row of the list may go over into another one."""
    return all(off.action != action for off in row.links_off)


def switch_link(row: HeftActionClip, action: Action) -> None:
    """Switch the links from the action of a row into another one off, or on again."""
    if may_go_over(row, action):
        row.links_off.add().action = action
        return
    for number in reversed(range(len(row.links_off))):
        if row.links_off[number].action == action:
            row.links_off.remove(number)


def other_actions(obj: ArmatureObject, row: HeftActionClip) -> list[Action]:
    """Return the actions of the list that are on, without that of a row, in their order."""
    found: dict[Action, None] = {own.action: None for own in obj.heft.sequence if own.use}
    return [action for action in found if action is not None and action != row.action]


def switches_of(obj: ArmatureObject) -> LinkSwitches:
    """Return which links and mirrored copies are switched off in the list of an armature."""
    from ...sim_core.actions.link_switches import LinkSwitches

    rows = [row for row in obj.heft.sequence if row.use and row.action is not None]
    off = {
        (row.action.name, other.action.name)
        for row in rows
        for other in row.links_off
        if other.action is not None
    }
    return LinkSwitches(tuple(sorted(off)), tuple(sorted({r.action.name for r in rows if not r.mirror})))
