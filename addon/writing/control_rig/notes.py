"""What the user is told about a bake onto controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from .constraints import Following, Switch
from .controls import Choice
from .correction import Misses

SHOWN_NAMES = 4

TOLD_RAD = np.radians(1.0)
TOLD_M = 0.01
"""Smaller misses are not worth a sentence."""


def switch_note(is_ik: Mapping[Switch, bool]) -> tuple[str, ...]:
    """About limbs that change between FK and IK within the range."""
    if not is_ik:
        return ()
    told = [f"'{switch.holder}' ({'IK' if ik else 'FK'})" for switch, ik in is_ik.items()]
    return (f"FK and IK change within the range; the bake uses those of its first frame: {_listed(told)}.",)


def choice_notes(choice: Choice) -> tuple[str, ...]:
    """Which controls have keys, and what is missing."""
    notes = [f"Keyed {len(choice.keyed)} controls of the rig."]
    if choice.without:
        notes.append(f"No control moves {_listed(_quoted(choice.without))}; key the bake's pose by hand.")
    unreached = [limb.lower for limb in choice.limbs if limb.handle is None]
    if unreached:
        notes.append(
            f"The IK target of {_listed(_quoted(unreached))} is another object or locked, and was not moved."
        )
    loose = [limb.upper for limb in choice.limbs if limb.pole is None and limb.swivel is None]
    if loose:
        notes.append(f"No control sets the direction of the knee or elbow of {_listed(_quoted(loose))}.")
    return tuple(notes)


def miss_notes(
    choice: Choice, following: Following, names: tuple[str, ...], misses: Misses
) -> tuple[str, ...]:
    """Bones that do not arrive, by how much, and whether locks are why."""
    angle, distance = misses.angle_rad.max(axis=0), misses.distance_m.max(axis=0)
    off = [i for i in range(len(names)) if angle[i] > TOLD_RAD or distance[i] > TOLD_M]
    bent = {bone for limb in choice.limbs for bone in (limb.upper, limb.lower)}
    by_ik = [i for i in off if names[i] in bent]
    off = [i for i in off if names[i] not in bent]

    def worst(bones: list[int]) -> str:
        return f"{np.degrees(angle[bones].max()):.1f}° and {100.0 * distance[bones].max():.1f} cm"

    notes: list[str] = []
    if by_ik:
        shown = _listed(_quoted(names[i] for i in by_ik))
        notes.append(f"The rig's IK bends {shown} differently, by up to {worst(by_ik)}.")
    if not off:
        return tuple(notes)
    told = f"{_listed(_quoted(names[i] for i in off))} miss the baked poses by up to {worst(off)}"
    locked = _locked(choice, following, [names[i] for i in off])
    reason = (
        f"{_listed(_quoted(locked))} are locked or driven" if locked else "the rig's constraints hold them"
    )
    return (*notes, f"{told}: {reason}.")


def _locked(choice: Choice, following: Following, bones: Iterable[str]) -> list[str]:
    """Bones on the way to the controls whose channels are held in part."""
    partly = {
        name
        for name, channels in choice.channels.items()
        if not channels.is_hidden
        and not channels.turns_freely
        and (channels.turns_as_a_hinge or not channels.free_turn.any())
    }
    keyed = choice.keyed
    found: dict[str, None] = {}
    for bone in bones:
        for here in following.path(bone):
            if here in partly and not following.is_replaced(here):
                found[here] = None
            if here in keyed and keyed[here][0]:
                break
    return list(found)


def _quoted(names: Iterable[str]) -> list[str]:
    return [f"'{name}'" for name in names]


def _listed(told: list[str]) -> str:
    if len(told) <= SHOWN_NAMES:
        return ", ".join(told)
    return f"{', '.join(told[:SHOWN_NAMES])} and {len(told) - SHOWN_NAMES} more"
