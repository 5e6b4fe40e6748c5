"""What the panel says of a bake: what happened in three short lines, then the details."""

from __future__ import annotations

from dataclasses import dataclass

from .bake_report import HeftOutcome

SMALL_N = 0.5
"""Assist that would be shown as 0 N [N]."""
SMALL_CM = 0.05
"""Change of the motion that would be shown as 0.0 cm [cm]."""
FAULTS_NAMED = 2
"""Number of faults that stand above what else happened."""
SAME = "BLANK1"
"""Icon of a line that goes on with the one above it."""


@dataclass(frozen=True)
class Line:
    """A sentence with the name of its icon."""

    icon: str
    text: str


def summary_lines(outcome: HeftOutcome) -> tuple[Line, ...]:
    """Say what happened: faults, how it went, how far it is from the source, how the motion was changed."""
    if outcome.fell:
        away = () if outcome.made else _from_source(outcome)[:1]
        return (_how_it_went(outcome), Line("INFO", outcome.cause), *away)
    away = (_from_plan(outcome),) if outcome.made else _from_source(outcome)
    return (*_faults(outcome), _how_it_went(outcome), *away, *_change(outcome))


def _faults(outcome: HeftOutcome) -> tuple[Line, ...]:
    """Name the worst faults; Details has all of them."""
    lines = tuple(Line("ERROR", fault.text) for fault in outcome.faults[:FAULTS_NAMED])
    more = len(outcome.faults) - FAULTS_NAMED
    return (*lines, Line(SAME, f"and {more} more in Details")) if more > 0 else lines


def detail_lines(outcome: HeftOutcome) -> tuple[str, ...]:
    """Give all figures, with the joint and the frame of the worst ones."""
    lines = [fault.text for fault in outcome.faults]
    if not outcome.made:
        lines += [
            f"Worst joint: {outcome.source_worst_deg:.1f}°, {outcome.source_worst_joint}, "
            f"frame {outcome.source_worst_deg_frame}",
            f"Furthest away: {outcome.source_worst_cm:.1f} cm, {outcome.source_worst_part}, "
            f"frame {outcome.source_worst_cm_frame}",
        ]
    if outcome.size_m > 0.0:
        lines.append(f"Lengths are those of a body of {outcome.size_m:.2f} m")
    if outcome.simulated:
        lines += [
            f"From the prepared motion: {outcome.joint_error_deg:.1f}°, "
            f"hips {100.0 * outcome.root_error_m:.1f} cm",
            f"Feet slide {outcome.skate_cm_s:.1f} cm/s",
        ]
    if outcome.assist_force_max_n >= SMALL_N:
        mean, most = outcome.assist_force_mean_n, outcome.assist_force_max_n
        lines.append(f"Assist: mean {mean:.1f} N, most {most:.0f} N")
    return tuple(lines)


def _how_it_went(outcome: HeftOutcome) -> Line:
    if not outcome.simulated:
        return Line("CHECKMARK", "Written, without a simulation")
    if outcome.fell:
        return Line("ERROR", f"Falls at frame {outcome.fell_frame}")
    if outcome.assist_force_max_n >= SMALL_N:
        return Line("CHECKMARK", f"Stays up, with {outcome.assist_force_max_n:.0f} N of assist")
    return Line("CHECKMARK", "Stays up, without assist")


def _from_source(outcome: HeftOutcome) -> tuple[Line, ...]:
    """Say how far it is from its keys: on average, then the worst joint."""
    worst = (
        f"worst {outcome.source_worst_deg:.1f}°, {outcome.source_worst_joint}, "
        f"frame {outcome.source_worst_deg_frame}"
    )
    mean = f"{outcome.source_mean_deg:.1f}°, {outcome.source_mean_cm:.1f} cm from the source"
    return Line("ACTION", mean), Line(SAME, worst)


def _from_plan(outcome: HeftOutcome) -> Line:
    """Say how far a made motion is from what was made: it has no keys of the user's to be compared with."""
    mean = f"{outcome.joint_error_deg:.1f}°, hips {100.0 * outcome.root_error_m:.1f} cm"
    return Line("ACTION", f"{mean} from the planned motion")


def _change(outcome: HeftOutcome) -> tuple[Line, ...]:
    if outcome.changed_cm < SMALL_CM:
        return ()
    return (Line("MOD_SMOOTH", f"Moved by {outcome.changed_cm:.1f} cm so that it can stand"),)
