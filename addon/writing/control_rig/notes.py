"""Messages about a bake onto controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from .constraints import Following, Switch
from .controls import ControlChoice
from .correction import PoseErrors

MAX_NAMES = 4

REPORTED_RAD = np.radians(1.0)
REPORTED_M = 0.01
"""Smaller errors are not reported."""


def switch_note(is_ik: Mapping[Switch, bool]) -> tuple[str, ...]:
    """Return a note about limbs that change between FK and IK within the range."""
    if not is_ik:
        return ()
    texts = [f"'{switch.holder}' ({'IK' if ik else 'FK'})" for switch, ik in is_ik.items()]
    return (f"FK and IK change within the range; the bake uses those of its first frame: {_listed(texts)}.",)


def choice_notes(choice: ControlChoice) -> tuple[str, ...]:
    """Return notes about the keyed controls, and about bones without one."""
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


def error_notes(
    choice: ControlChoice, following: Following, names: tuple[str, ...], errors: PoseErrors
) -> tuple[str, ...]:
    """Return notes about bones that do not reach their poses, their errors, and locks that cause them."""
    angle, distance = errors.angle_rad.max(axis=0), errors.distance_m.max(axis=0)
    off = [i for i in range(len(names)) if angle[i] > REPORTED_RAD or distance[i] > REPORTED_M]
    bent = {bone for limb in choice.limbs for bone in (limb.upper, limb.lower)}
    by_ik = [i for i in off if names[i] in bent]
    off = [i for i in off if names[i] not in bent]

    def worst(bones: list[int]) -> str:
        return f"{np.degrees(angle[bones].max()):.1f}° and {100.0 * distance[bones].max():.1f} cm"

    notes: list[str] = []
    if by_ik:
        bent_bones = _listed(_quoted(names[i] for i in by_ik))
        notes.append(f"The rig's IK bends {bent_bones} differently, by up to {worst(by_ik)}.")
    if not off:
        return tuple(notes)
    summary = f"{_listed(_quoted(names[i] for i in off))} miss the baked poses by up to {worst(off)}"
    locked = _locked(choice, following, [names[i] for i in off])
    reason = (
        f"{_listed(_quoted(locked))} are locked or driven"
        if locked
        else "the rig's constraints hold them, or the source stretches them beyond their length"
    )
    return (*notes, f"{summary}: {reason}.")


def _locked(choice: ControlChoice, following: Following, bones: Iterable[str]) -> list[str]:
    """Return bones on the path to the controls whose channels are partly locked."""
    partly = {
        name
        for name, channels in choice.channels.items()
        if not channels.is_hidden
        and not channels.turns_freely
        and (channels.is_hinge or not channels.free_turn.any())
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


def _listed(texts: list[str]) -> str:
    if len(texts) <= MAX_NAMES:
        return ", ".join(texts)
    return f"{', '.join(texts[:MAX_NAMES])} and {len(texts) - MAX_NAMES} more"
