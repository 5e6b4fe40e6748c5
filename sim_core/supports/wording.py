"""Sentences on what was found: the supports, the floor, and what speaks against others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .floor import Floor
from .support import Support, SupportKind

RESTING = {
    SupportKind.STEP: ("a foot stands", "a step"),
    SupportKind.SLOPE: ("a foot stands", "a slope"),
    SupportKind.SEAT: ("the hips rest", "a seat"),
    SupportKind.TABLE: ("a hand rests", "a table"),
    SupportKind.BAR: ("a hand hangs", "a bar"),
}
"""What rests on a support of each kind, and what the support is called."""
NOTED_HEIGHT = 0.01
"""Height of the floor from which the user is told [m]."""


def offer_sentence(support: Support) -> str:
    """Ask whether to add a support: when and how high something rests on nothing."""
    rests, thing = RESTING[support.kind]
    height, start = f"{100.0 * support.height:.0f} cm", support.spans[0][0]
    return f"From {start:.2f} s on {rests} {height} above the floor: add {thing} (--find-supports)?"


def support_sentence(support: Support) -> str:
    """Say what a support is, how large and how sure."""
    rests, thing = RESTING[support.kind]
    (length, width), (start, end) = 100.0 * support.size, support.spans[0]
    times = f"{len(support.spans)} times, first" if len(support.spans) > 1 else "once,"
    if support.tilt > 0.0:
        thing = f"{thing} of {np.degrees(support.tilt):.1f} deg, up to"
    return (
        f"'{support.scene_object.name}': {thing} {100.0 * support.height:.0f} cm above the floor, "
        f"{length:.0f} x {width:.0f} cm. {rests.capitalize()} on it {times} from {start:.2f} to {end:.2f} s, "
        f"and it carries {support.confidence:.0%} of the weight that is missing there."
    )


def floor_sentences(floor: Floor, source_height: float) -> tuple[str, ...]:
    """Say where the floor is, if it is not at zero or where soles were first found, and how it is tilted."""
    notes = []
    if abs(source_height) > NOTED_HEIGHT:
        notes.append(
            f"Most soles rest at a height of {100.0 * source_height:.1f} cm, so the floor is there and not "
            "at zero."
        )
    if abs(floor.height - source_height) > NOTED_HEIGHT:
        notes.append(
            f"The lowest floor that soles rest on is at {100.0 * floor.height:.1f} cm, "
            f"{100.0 * abs(floor.height - source_height):.0f} cm "
            f"{'below' if floor.height < source_height else 'above'} where most of them rest."
        )
    if floor.tilt > 0.0:
        notes.append(
            f"The floor of the capture is tilted by {np.degrees(floor.tilt):.1f} deg; it is taken as level."
        )
    if floor.drift != 0.0:
        notes.append(
            f"From the first stance to the last the soles {'rise' if floor.drift > 0.0 else 'sink'} by "
            f"{100.0 * abs(floor.drift):.0f} cm wherever they are, so the capture drifts; level it, or use a "
            "part."
        )
    return tuple(notes)


def refusal_sentence(reasons: Sequence[str]) -> str:
    """Say why nothing was added."""
    return f"No support is added: {'; '.join(reasons)}."


NOTHING_FOUND = "Nothing rests above the floor in a way that the floor alone could not carry."
