"""Every sentence that tells the user how a bake went, and their order in a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..base.conventions import BoolArray
from ..character.soft_parts import ROLES
from ..motion.motion import CONTROL_DT
from ..recognition.mapping import joint_label, part_label
from ..report.problems import VISIBLE
from ..result import metrics
from ..result.records import (
    Failure,
    GetUpRecord,
    Hit,
    LiveTake,
    ObstaclePassing,
    ReferenceChange,
    SearchRecord,
    StrikeOutcome,
)
from ..result.result import Result
from ..result.soft_records import SoftRecord
from ..result.support_records import GripRecord
from ..scenario.settings import BALANCE_METHODS, BakeSettings, Stance
from ..scene.scene import Passing
from ..simulation.trace import Trace
from ..world.world import World
from .baked import BakedCharacter
from .get_up_stage import get_up_refusal
from .grip_records import grip_records
from .soft_bones import soft_records

LEAST_ACTING_SHARE = {Stance.TWO_FEET: 0.95, Stance.ONE_FOOT: 0.05}
"""A balance method that acts during a smaller share of the motion is out of place there."""
SMALLEST_CHANGE = 0.1
"""A smaller change of the motion is not reported [cm, deg]."""
SOFT_NAMED = 4
"""Number of soft parts in the sentence on them."""
CAUSES_NAMED = 2
"""Number of causes in the sentence on a fall."""


def notes_of(baked: BakedCharacter, settings: BakeSettings) -> tuple[str, ...]:
    """Return all sentences on a bake: its setup, reference, aims, what was simulated, contacts, the fall."""
    outcome, prepared = baked.outcome, baked.prepared
    change = None if prepared is None else prepared.change
    notes = [*baked.scenario.notes, *passing_notes(change), *change_notes(change)]
    if outcome is not None:
        notes += aim_notes(outcome.strikes, outcome.rounds)
    notes += [*part_notes(settings), *soft_notes(soft_records(baked))]
    if outcome is not None and prepared is not None and settings.only == "whole":
        notes += balance_notes(settings.balance, prepared.schedule.stands)
    if outcome is not None:
        notes += grip_notes(grip_records(baked.world, outcome.prepared.schedule, outcome.trace))
        notes += _meeting_notes(baked.world, outcome.trace)
        notes += () if outcome.failure is None else failure_notes(outcome.failure)
        notes += solver_notes(outcome.fallbacks)
        notes += search_notes(outcome.search)
        notes += get_up_notes(baked, settings)
    return tuple(notes)


def passing_notes(change: ReferenceChange | None) -> tuple[str, ...]:
    """Say how the walk passes what is in its way."""
    return () if change is None else tuple(map(_passing_sentence, change.passings))


def _passing_sentence(passing: ObstaclePassing) -> str:
    shift = f"{100.0 * passing.shift_m:.0f} cm"
    if passing.way == Passing.AROUND.value:
        return f"Walks around '{passing.name}', up to {shift} to the {passing.side} of its path."
    if passing.way == Passing.OVER.value:
        moved = f"; steps are shifted by up to {shift}" if passing.shift_m > 0.0 else ""
        slower = f"; slower, so that it ends {passing.delay_s:.1f} s behind" if passing.delay_s > 0.05 else ""
        return f"Steps over '{passing.name}'{moved}{slower}."
    if passing.way == Passing.ONTO.value:
        return f"Steps onto '{passing.name}'."
    if passing.way == Passing.UNDER.value:
        return f"Ducks under '{passing.name}'; the hips are lowered by up to {shift}."
    if passing.way == Passing.STOP.value:
        until = "to the end" if passing.end_s is None else f"until {passing.end_s:.2f} s, then goes on later"
        return f"Stops before '{passing.name}', and stands from {passing.start_s:.2f} s {until}."
    return (
        f"'{passing.name}' is in the way from {passing.start_s:.2f} s on, and there is no room to pass it; "
        "move it, or start the motion further away."
    )


def change_notes(change: ReferenceChange | None) -> tuple[str, ...]:
    """Say how far the motion was changed before it was simulated; nothing where it hardly was."""
    if change is None:
        return ()
    parts = change.parts
    largest = max((part.max_deg for part in parts.values()), default=0.0)
    if max(largest, change.root_max_cm) < SMALLEST_CHANGE:
        return ()
    most = max(parts, key=lambda name: parts[name].mean_deg)
    return (
        f"So that forces can produce it, the motion was moved by {change.root_mean_cm:.1f} cm on average "
        f"(at most {change.root_max_cm:.0f} cm); most of all joints the {joint_label(most)} was turned, "
        f"by {parts[most].mean_deg:.1f} deg (at most {parts[most].max_deg:.0f} deg). No force "
        f"explained {change.residual_before_share:.1%} of the weight before, and "
        f"{change.residual_after_share:.1%} after.",
    )


def aim_notes(strikes: Sequence[StrikeOutcome], rounds: int) -> tuple[str, ...]:
    """Say how strikes were corrected, in this number of simulations; nothing after a single one."""
    if not strikes or rounds == 1:
        return ()
    away = max(float(np.linalg.norm(np.subtract(s.aimed_at, s.target))) for s in strikes)
    return (
        f"So that strikes meet their targets the motion was simulated {rounds} times, "
        f"and aimed up to {100.0 * away:.1f} cm beside them.",
    )


def soft_notes(parts: Sequence[SoftRecord]) -> tuple[str, ...]:
    """Say which bones were simulated as soft parts."""
    if not parts:
        return ()
    shown = [f"{ROLES[own.role].label.lower()} '{own.bones[0]}' ({len(own.bones)} bones)" for own in parts]
    more = f" and {len(parts) - SOFT_NAMED} more" if len(parts) > SOFT_NAMED else ""
    bones, mass = sum(len(own.bones) for own in parts), sum(own.mass_kg for own in parts)
    return (
        f"Soft parts: {', '.join(shown[:SOFT_NAMED])}{more}; {bones} bones of {mass:.2f} kg, taken from the "
        "segments that carry them. Springs pull them to their animation; no controller moves them.",
    )


def part_notes(settings: BakeSettings) -> tuple[str, ...]:
    """Say which part of the body or of the time was not simulated."""
    notes = []
    if not settings.simulate:
        return ()
    if settings.only == "upper":
        notes.append(
            "Only the upper body was simulated: hips and legs follow the clip, and no forces carry them."
        )
    if settings.only == "soft":
        notes.append("Only soft parts were simulated: the body follows the clip, and no forces carry it.")
    ends = [
        f"the {which} {seconds:g} s"
        for which, seconds in (("first", settings.blend_in_s), ("last", settings.blend_out_s))
        if seconds > 0.0
    ]
    if ends:
        words = " and ".join(ends)
        notes.append(f"{words.capitalize()} are a mix with the clip, which no forces explain.")
    return tuple(notes)


def balance_notes(name: str, stands: BoolArray) -> tuple[str, ...]:
    """Say that a balance method acts too rarely; stands (T, 2): which feet stand in the reference."""
    method = BALANCE_METHODS[name]
    if method.acts is Stance.ANY:
        return ()
    share = float(np.mean(stands.sum(axis=1) == (2 if method.acts is Stance.TWO_FEET else 1)))
    if share >= LEAST_ACTING_SHARE[method.acts]:
        return ()
    rest = "nothing" if method.elsewhere is None else f"'{method.elsewhere}'"
    return (
        f"The balance method '{name}' acts only {method.acts.value}, which is {share:.0%} of this motion; "
        f"{rest} balanced the rest. For a motion like this take 'footsteps'.",
    )


def live_notes(take: LiveTake) -> tuple[str, ...]:
    """Say that a motion was played live, and how hard hands pulled and pushed it."""
    seconds = CONTROL_DT * (take.ticks - take.first)
    outside = "nobody pushed or pulled the character"
    if take.most_push_n > 0.0:
        outside = f"it was pushed and pulled with up to {take.most_push_n:.0f} N"
    return (f"Played live for {seconds:.1f} s: {outside}.",)


def fault_sentences(result: Result) -> tuple[str, ...]:
    """Say from when to when a simulated motion has faults that anybody sees, though it did not fall."""
    report = result.meta.report
    problems = () if report is None or report.after is None else report.after.problems
    return tuple(
        f"From {own.start_s:.2f} to {own.end_s:.2f} s {own.text}." for own in problems if own.kind in VISIBLE
    )


def cause_sentence(failure: Failure) -> str:
    """Say in one short sentence what began the fall."""
    if failure.supports:
        return failure.supports[0].text
    first = failure.causes[0].text if failure.causes else "the whole body left the motion"
    return f"{first[0].upper()}{first[1:]}"


def failure_notes(failure: Failure) -> tuple[str, ...]:
    """Say what went wrong before a fall, and which assist would have prevented it."""
    causes = "; ".join(cause.text for cause in failure.causes[:CAUSES_NAMED])
    why = f"Before the fall at {failure.fell_at:.2f} s {causes or 'the whole body left its plan'}."
    if failure.supports:
        return (*(own.text for own in failure.supports), why)
    if failure.least_assist is not None:
        cap = f"{failure.least_assist:g}"
        return why, (
            f"With an assist of up to {cap} N and {cap} Nm (--assist {cap}) it stays up and keeps its motion."
        )
    if failure.assist_tried:
        most = f"{max(failure.assist_tried):g}"
        return why, f"An assist of up to {most} N and Nm does not carry the motion to its end either."
    return (why,)


def search_notes(search: SearchRecord | None) -> tuple[str, ...]:
    """Say from when to when controls were searched, and what that cost; nothing where they were not."""
    if search is None:
        return ()
    took = f"{search.simulated_s:.0f} s of motion were simulated on trial in {search.wall_seconds:.0f} s"
    if not search.kept:
        why = f" ({search.gave_up})" if search.gave_up else ""
        span = f"A search from {search.start_s:.2f} to {search.end_s:.2f} s"
        return (f"{span} brought nothing better{why}, so the run before it is kept; {took}.",)
    if search.gave_up:
        ended = f"A search from {search.start_s:.2f} s on ended at {search.end_s:.2f} s: {search.gave_up}"
        return (f"{ended}; {took}.",)
    return (f"From {search.start_s:.2f} to {search.end_s:.2f} s controls were found by a search; {took}.",)


def get_up_notes(baked: BakedCharacter, settings: BakeSettings) -> tuple[str, ...]:
    """Say when the character lay and got up, how the clip goes on, or why it did not get up."""
    outcome = baked.outcome
    if not settings.get_up or outcome is None:
        return ()
    refusal = get_up_refusal(baked.setup, 1 + len(baked.others))
    if refusal and outcome.fell_s is not None:
        return (f"It does not get up after its fall, because {refusal}.",)
    if outcome.stays_down:
        return (f"It stays down after its fall, because {outcome.stays_down}.",)
    return tuple(map(_get_up_sentence, outcome.get_ups))


def _get_up_sentence(own: GetUpRecord) -> str:
    return (
        f"From {own.fell_at:.1f} to {own.back_at:.1f} s it falls, lies and gets up ({own.way}). The clip "
        f"waits, goes on at its {own.clip_from_s:.1f} s, turned by {own.turned_deg:.0f} deg, and ends later. "
        "Errors are measured where the clip is followed."
    )


def grip_notes(grips: Sequence[GripRecord]) -> Iterator[str]:
    """Say how hard each hand holds on to something, and when one does not get hold or slips off."""
    for segment in dict.fromkeys(own.segment for own in grips):
        mine = [own for own in grips if own.segment == segment]
        part, held = part_label(segment), sum(own.held_s for own in mine)
        if held > 0.0:
            yield (
                f"The {part} holds on for {held:.1f} s, with at most {max(own.peak_n for own in mine):.0f} N "
                f"of the {mine[0].limit_n:.0f} N that it can hold."
            )
        for own in mine:
            if own.held_s == 0.0:
                span = f"From {own.start_s:.2f} to {own.end_s:.2f} s"
                yield f"{span} the {part} does not reach what it should hold."
            elif own.lost_s is not None:
                yield (
                    f"At {own.lost_s:.2f} s the {part} slips off, because it is pulled harder than the "
                    f"{own.limit_n:.0f} N that it can hold."
                )


def solver_notes(fallbacks: int) -> tuple[str, ...]:
    """Return a sentence on control intervals that the fallback solver solved; none where there were none."""
    if fallbacks == 0:
        return ()
    intervals = "1 control interval" if fallbacks == 1 else f"{fallbacks} control intervals"
    return (f"In {intervals} the solver DAQP gave up, and OSQP, which is slower, was used instead.",)


def windows_sentence(windows: Sequence[tuple[float, float]], moment: Callable[[float], str]) -> str:
    """Say which intervals [s] were simulated; moment: how a time is named."""
    if not windows:
        return "Nothing hits the character, so nothing was simulated: all of it is the clip as it was."
    spans = ", ".join(f"{moment(start)} to {moment(end)}" for start, end in windows)
    return f"Simulated from {spans}; all else is the clip as it was."


def hit_sentence(hit: Hit) -> str:
    """Say what hit the character, where and how hard."""
    return f"'{hit.by}' hits the {part_label(hit.segment)} with {hit.impulse_ns:.1f} Ns."


def strike_sentence(strike: StrikeOutcome) -> str:
    """Say how close a strike came to its target, and how fast it was."""
    wanted = f" ({strike.wanted_speed:.1f} m/s were asked for)" if strike.wanted_speed > 0.0 else ""
    return (
        f"The {strike.name} comes within {100.0 * strike.miss_m:.1f} cm of its target "
        f"at {strike.speed:.1f} m/s{wanted}."
    )


def _meeting_notes(world: World, trace: Trace) -> Iterator[str]:
    """Name the other characters that were touched, for how long and how hard."""
    for index, other in enumerate(world.engine.others):
        met = trace.contact_force[:, trace.contact_other == index]
        force = np.linalg.norm(met.sum(axis=1), axis=-1)
        if force.max(initial=0.0) > metrics.LOADED_N:
            seconds = CONTROL_DT * np.count_nonzero(force > metrics.LOADED_N)
            yield (
                f"It touches '{other.name}' for {seconds:.2f} s, with at most {force.max():.0f} N; its "
                "motion was prepared as if it were alone, so where one holds the other it may go astray."
            )
