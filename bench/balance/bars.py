"""What balance must reach, and whether it does."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sim_core.base.conventions import FloatArray

from .plan import (
    BALL_WALKS,
    BALLS,
    DEFAULT,
    DIRECTIONS,
    PLAIN,
    POLICIES,
    PUSHED_WALKS,
    SHARES,
    WORDS,
)
from .rows import Row

Rows = Mapping[str, Sequence[Row]]

PRECOMPUTE_S = 5.0
RUN_TIME_RATIO = 1.3
DIRECTIONS_NEEDED = 3
STANDING_BALLS = ("head", "chest", "back")


@dataclass(frozen=True)
class Verdict:
    """Whether a bar is reached, with the figures that were found."""

    bar: str
    reached: bool
    found: str

    @property
    def text(self) -> str:
        """Return one line for the report."""
        return "reached" if self.reached else "MISSED"


def verdicts(rows: Rows, leans: Mapping[str, Mapping[str, FloatArray]]) -> list[Verdict]:
    """Return the verdicts on all bars whose parts have rows."""
    found = [_lean(leans), *_terrain(rows["terrain"])]
    if rows["balls"]:
        found += [_standing_balls(rows["balls"]), _walking_balls(rows["balls"])]
    if rows["pushes"]:
        found.append(_pushes(rows["pushes"]))
    if rows["policies"]:
        found += [
            _precomputation(rows["policies"]),
            *_run_time(rows["policies"]),
            _full_state(rows["policies"]),
        ]
    if rows["motions"] and rows["terrain"]:
        found += _motions([*rows["motions"], *_marches(rows["terrain"])])
    return found


def _all_full(bar: str, rows: Sequence[Row]) -> Verdict:
    full, seeds = sum(row["full"] for row in rows), sum(row["seeds"] for row in rows)
    failed = [_why(row) for row in rows if row["full"] < row["seeds"]]
    return Verdict(bar, not failed, f"{full} of {seeds} to the end" + "".join(f"; {text}" for text in failed))


def _why(row: Row) -> str:
    ball = f", {row['ball']} at {row['share']:g}" if row["ball"] else ""
    label = WORDS.get(str(row["clip"]), str(row["clip"])) + ball
    if row["error"]:
        return f"{label}: {row['error']}"
    cause = f" ({row['cause']})" if row["cause"] else ""
    return f"{label} {row['full']}/{row['seeds']}, up {row['up_s']:.2f} of {row['seconds']:.2f} s{cause}"


def _lean(leans: Mapping[str, Mapping[str, FloatArray]]) -> Verdict:
    """Judge the paper's case, at 20 degrees."""
    stood = {
        title: [name for name, squared in runs.items() if squared[-1] < squared[0]]
        for title, runs in leans.items()
    }
    words = "; ".join(f"{title}: {', '.join(names)}" for title, names in stood.items())
    return Verdict("three links stand up from a 20 deg lean", "20 deg" in next(iter(stood.values())), words)


def _terrain(rows: Sequence[Row]) -> list[Verdict]:
    grounds = dict.fromkeys(row["ground"] for row in rows)
    return [_all_full(f"walks and marches, {g}", [r for r in rows if r["ground"] == g]) for g in grounds]


def _standing_balls(rows: Sequence[Row]) -> Verdict:
    mine = [r for r in rows if r["policy"] == DEFAULT and not _walks(r) and r["ball"] in STANDING_BALLS]
    return _all_full("standing, a 5 kg ball at 5 m/s on head, chest and back", mine)


def _walking_balls(rows: Sequence[Row]) -> Verdict:
    mine = [row for row in rows if row["policy"] == DEFAULT and _walks(row)]
    return _all_full("walking, a 5 kg ball at 5 m/s", mine)


def _walks(row: Row) -> bool:
    return row["clip"] in BALL_WALKS


def directions_survived(rows: Sequence[Row], clip: str, policy: str) -> int:
    """Return how many of the four directions are survived, at the worse of the times."""
    mine = [row for row in rows if row["clip"] == clip and row["policy"] == policy]
    return min(sum(row["full"] for row in mine if row["share"] == share) for share in SHARES)


def _pushes(rows: Sequence[Row]) -> Verdict:
    counts = {clip: directions_survived(rows, clip, DEFAULT) for clip in PUSHED_WALKS}
    words = ", ".join(f"{clip} {count}" for clip, count in counts.items())
    bar = f"walking, 200 N for 0.1 s from at least {DIRECTIONS_NEEDED} of {len(DIRECTIONS)} sides"
    return Verdict(bar, min(counts.values()) >= DIRECTIONS_NEEDED, f"{words} (worse of two times)")


def _precomputation(rows: Sequence[Row]) -> Verdict:
    most = {p: max(row["precompute_s"] or 0.0 for row in rows if row["policy"] == p) for p in POLICIES}
    words = ", ".join(f"{policy} {seconds:.1f} s" for policy, seconds in most.items())
    bar = f"precomputation below {PRECOMPUTE_S:g} s a clip"
    return Verdict(bar, max(most.values()) < PRECOMPUTE_S, f"at most {words}")


def run_time_ratio(rows: Sequence[Row], policy: str, column: str, against: str = PLAIN) -> float:
    """Return the median over clips of a time over that of another policy on the same clip."""
    times = {(row["clip"], row["policy"]): row[column] for row in rows}
    clips = [c for c, p in times if p == policy and times[c, p] and times.get((c, against))]
    return statistics.median(times[clip, policy] / times[clip, against] for clip in clips)


def _run_time(rows: Sequence[Row]) -> list[Verdict]:
    found = []
    for policy in POLICIES:
        whole, control = (run_time_ratio(rows, policy, column) for column in ("tick_ms", "control_ms"))
        words = f"{whole:.2f} x; the controller without the engine {control:.2f} x"
        bar = f"{policy}: run time at most {RUN_TIME_RATIO:g} x plain tracking"
        found.append(Verdict(bar, whole <= RUN_TIME_RATIO, words))
    return found


def _full_state(rows: Sequence[Row]) -> Verdict:
    """Judge the full-state policy on clips where both stay up, as in the thesis's figure."""
    mine = {(row["clip"], row["policy"]): row for row in rows if row["full"] == row["seeds"]}
    clips = [clip for clip, policy in mine if policy == PLAIN and (clip, "full_state") in mine]
    both = [(mine[clip, PLAIN], mine[clip, "full_state"]) for clip in clips]
    less = sum(full["joint_error_deg"] < plain["joint_error_deg"] for plain, full in both)
    smoother = sum(full["jitter_deg"] < plain["jitter_deg"] for plain, full in both)
    words = f"of {len(both)} clips on which both stay up: less error on {less}, smoother on {smoother}"
    return Verdict(
        "full state: less error and smoother than the QP alone", less + smoother == 2 * len(both), words
    )


def _marches(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["clip"] in ("91_19", "138_01")]


def _motions(rows: Sequence[Row]) -> list[Verdict]:
    wanted = dict.fromkeys(row["ground"] for row in rows if row["part"] == "motions")
    bar = "stop, start, sideways, turn, march and stand, {}"
    return [_all_full(bar.format(g), [row for row in rows if row["ground"] == g]) for g in wanted]


def balls_survived(rows: Sequence[Row], clip: str, policy: str) -> Mapping[str, str]:
    """Return how many of the times each ball is survived, by what is hit."""
    mine = [row for row in rows if row["clip"] == clip and row["policy"] == policy]
    hits = {ball: [row["full"] for row in mine if row["ball"] == ball] for ball in BALLS}
    return {ball: f"{sum(full)}/{len(full)}" for ball, full in hits.items()}
