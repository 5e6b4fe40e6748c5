"""How far a motion was changed before it was carried out, in words.

What the user is told where a part of the body or of the time was not simulated.

What the user is told where only a part of a motion was simulated.

What the user should know about a result, in sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..aiming.strike_outcome import aim_notes
from ..motion.motion import CONTROL_DT
from ..recognition.mapping import joint_label
from ..result import metrics
from ..scenario.settings import BakeSettings
from ..simulation.trace import Trace
from ..world.world import World
from .baked import BakedCharacter

WORTH_TELLING = 0.1
"""A motion that was changed by less is as it was [cm, deg]."""


def change_notes(change: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for the user; none where nothing worth telling was changed. change: as Prepared has it."""
    parts = change.get("parts", {})
    largest = max((float(part["max_deg"]) for part in parts.values()), default=0.0)
    if max(largest, float(change.get("root_max_cm", 0.0))) < WORTH_TELLING:
        return ()
    most = max(parts, key=lambda name: float(parts[name]["mean_deg"]))
    return (
        f"So that forces can produce it, the motion was moved by {change['root_mean_cm']:.1f} cm on average "
        f"(at most {change['root_max_cm']:.0f} cm); most of all joints the {joint_label(most)} was turned, "
        f"by {parts[most]['mean_deg']:.1f} deg (at most {parts[most]['max_deg']:.0f} deg). No force "
        f"explained {change['residual_before_share']:.1%} of the weight before, and "
        f"{change['residual_after_share']:.1%} after.",
    )


def part_notes(settings: BakeSettings) -> tuple[str, ...]:
    notes = []
    if not settings.simulate:
        return ()
    if settings.only == "upper":
        notes.append(
            "Only the upper body was simulated: hips and legs follow the clip, and no forces carry them."
        )
    ends = [
        f"the {which} {seconds:g} s"
        for which, seconds in (("first", settings.blend_in_s), ("last", settings.blend_out_s))
        if seconds > 0.0
    ]
    if ends:
        words = " and ".join(ends)
        notes.append(f"{words.capitalize()} are a mix with the clip, which no forces explain.")
    return tuple(notes)


def windows_sentence(windows: Sequence[tuple[float, float]], place: Callable[[float], str]) -> str:
    """What was simulated, from when to when [s]; place: how a time is called."""
    if not windows:
        return "Nothing hits the character, so nothing was simulated: all of it is the clip as it was."
    spans = ", ".join(f"{place(start)} to {place(end)}" for start, end in windows)
    return f"Simulated from {spans}; all else is the clip as it was."


def notes_of(baked: BakedCharacter, settings: BakeSettings) -> list[str]:
    outcome, prepared = baked.outcome, baked.prepared
    return [
        *baked.scenario.notes,
        *change_notes({} if prepared is None else prepared.change),
        *(() if outcome is None else aim_notes(outcome.strikes, outcome.rounds)),
        *part_notes(settings),
        *(() if outcome is None else _meeting_notes(baked.world, outcome.trace)),
        *(() if outcome is None or outcome.failure is None else outcome.failure.notes),
        *(() if outcome is None else solver_notes(outcome.fallbacks)),
    ]


def solver_notes(fallbacks: int) -> tuple[str, ...]:
    """Return a sentence on control intervals that the fallback solver solved; none where there were none."""
    if fallbacks == 0:
        return ()
    intervals = "1 control interval" if fallbacks == 1 else f"{fallbacks} control intervals"
    return (f"In {intervals} the solver DAQP gave up, and OSQP, which is slower, was used instead.",)


def _meeting_notes(world: World, trace: Trace) -> list[str]:
    """On other characters that were touched."""
    notes = []
    for place, other in enumerate(world.engine.others):
        met = trace.contact_force[:, trace.contact_other == place]
        force = np.linalg.norm(met.sum(axis=1), axis=-1)
        if force.max(initial=0.0) > metrics.LOADED_N:
            seconds = CONTROL_DT * np.count_nonzero(force > metrics.LOADED_N)
            notes.append(
                f"It touches '{other.name}' for {seconds:.2f} s, with at most {force.max():.0f} N; its "
                "motion was prepared as if it were alone, so where one holds the other it may go astray."
            )
    return notes
