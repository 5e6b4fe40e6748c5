"""Tables and plots of the benchmark of retargeting, and its bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.motion.skeleton import NO_PARENT
from sim_core.retarget.retarget import Retargeted

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.tables import Columns, Row, markdown
from .trials import DANCES

matplotlib.use("Agg")
from matplotlib import pyplot

PAIRS: Columns = {
    "source": "{clip}",
    "target": "{target}",
    "leg ratio": "{leg_ratio:.2f}",
    "skate, cm/s": "{skate_cm_s:.2f}",
    "p95": "{skate_p95_cm_s:.2f}",
    "rotation copy, cm/s": "{copy_skate_cm_s:.1f}",
    "its p95": "{copy_skate_p95_cm_s:.1f}",
    "penetration, cm": "{penetration_max_cm:.2f}",
    "copy's": "{copy_penetration_max_cm:.1f}",
    "contact height, cm": "{contact_height_cm:.3f}",
    "upper body, deg": "{upper_deg:.2f}",
    "worst": "{upper_max_deg:.1f}",
    "legs, deg": "{legs_deg:.1f}",
    "worst leg": "{legs_max_deg:.0f}",
    "push-off knee, deg": lambda r: "-" if r["push_off_deg"] is None else f"{r['push_off_deg']:+.1f}",
    "foot jerk": "{foot_jerk_ratio:.2f}",
    "hand jerk": "{hand_jerk:.2f}",
    "elbow step, deg": "{elbow_deg:.1f}",
    "source's": "{source_elbow_deg:.1f}",
    "frames/s": "{fps:.0f}",
}
IDENTITY: Columns = {
    "source": "{clip}",
    "as it is: worst, deg": "{same_deg:.4f}",
    "as it is: worst, mm": "{same_mm:.4f}",
    "locked: mean, deg": "{locked_mean_deg:.2f}",
    "locked: worst, deg": "{locked_deg:.1f}",
    "locked: mean, mm": "{locked_mean_mm:.1f}",
    "locked: worst, mm": "{locked_mm:.0f}",
}
CLAP: Columns = {
    "target": "{target}",
    "source, cm": "{source_cm:.2f}",
    "style alone, cm": "{style_cm:.1f}",
    "retargeted, cm": "{clap_cm:.2f}",
}
BAKES: Columns = {
    "source": "{clip}",
    "target": "{target}",
    "timing": "{timing}",
    "full": lambda r: "yes" if r["full"] else f"no, up {r['up_s']:.2f} of {r['seconds']:.2f} s",
    "joint error, deg": "{joint_error_deg:.2f}",
    "from the retargeted motion, deg": "{joint_error_source_deg:.2f}",
}
STRIP_SECONDS = 1.0
BEHIND = "giant 2.40 m"


@dataclass(frozen=True)
class Tables:
    """All rows of a run."""

    pairs: list[Row]
    identity: list[Row]
    claps: list[Row]
    bakes: list[Row]
    others: list[Row]


def bars(tables: Tables) -> list[tuple[str, Sequence[tuple[Row, float]], float, int]]:
    """Return for each bar its text, rows with figures, the limit, and 1 for at most or -1 for at least."""
    pairs = tables.pairs
    giant = [r for r in pairs if r["target"] == BEHIND]
    others = [r for r in pairs if r["target"] != BEHIND]
    dance = [r for r in pairs if r["clip"] in DANCES]
    plain = [r for r in pairs if r["clip"] not in DANCES]

    def of(rows: Sequence[Row], key: str) -> list[tuple[Row, float]]:
        return [(row, float(row[key])) for row in rows]

    return [
        ("skate, mean <= 1 cm/s", of(others, "skate_cm_s"), 1.0, 1),
        ("skate, p95 <= 5 cm/s", of(others, "skate_p95_cm_s"), 5.0, 1),
        ("skate of the giant, mean <= 1.5 cm/s", of(giant, "skate_cm_s"), 1.5, 1),
        ("skate of the giant, p95 <= 12 cm/s", of(giant, "skate_p95_cm_s"), 12.0, 1),
        ("penetration <= 1 cm", of(plain, "penetration_max_cm"), 1.0, 1),
        ("penetration of dances <= 2 cm", of(dance, "penetration_max_cm"), 2.0, 1),
        ("contact height, mean <= 0.1 cm", of(pairs, "contact_height_cm"), 0.1, 1),
        ("upper-body directions, mean <= 2 deg", of(pairs, "upper_deg"), 2.0, 1),
        ("leg directions, mean <= 12 deg", of(pairs, "legs_deg"), 12.0, 1),
        ("foot jerk <= 1.6 x source", of(pairs, "foot_jerk_ratio"), 1.6, 1),
        ("hand jerk, p99 <= 1.6 x source", of(pairs, "hand_jerk"), 1.6, 1),
        (
            "elbow step at 60 fps <= 15 deg, or the source's",
            [(r, r["elbow_deg"] - max(r["source_elbow_deg"] - 15.0, 0.0)) for r in pairs],
            15.0,
            1,
        ),
        ("speed >= 1000 frames/s", of(pairs, "fps"), 1000.0, -1),
        ("identity <= 0.2 deg", of(tables.identity, "same_deg"), 0.2, 1),
        ("identity <= 1 mm", of(tables.identity, "same_mm"), 1.0, 1),
        ("palms meet within 2 cm", of(tables.claps, "clap_cm"), 2.0, 1),
        ("simulated at 0 N, joint error <= 4 deg", of(tables.bakes, "joint_error_deg"), 4.0, 1),
        ("simulated at 0 N, to the end", [(r, float(r["full"])) for r in tables.bakes], 1.0, -1),
    ]


def verdicts(tables: Tables) -> str:
    """Return a line for each bar."""
    lines = []
    for text, rows, limit, sign in bars(tables):
        if not rows:
            continue
        missed = [row for row, value in rows if sign * value > sign * limit]
        row, worst = max(rows, key=lambda pair: sign * pair[1])
        name = ", ".join(str(row[key]) for key in ("clip", "target", "timing") if key in row)
        state = "reached" if not missed else f"**missed** by {len(missed)} of {len(rows)}"
        lines.append(f"- {state}: {text} (worst: {worst:.3g}, {name})")
    return "\n".join(lines)


def write_retarget_report(tables: Tables, folder: Path) -> str:
    """Write the tables; return a summary for the terminal."""
    found, others = verdicts(tables), verdicts(Tables(tables.others, [], [], [], []))
    parts = [
        "# Retargeting",
        "Made by `python3 dev.py bench retarget`; docs/retarget.md says how it works and what is measured. "
        f"Times are processor time of one thread. Commit {commit_of('retarget')}.",
        found,
        "## One frame of the walk on all targets",
        "![One frame](retarget_strip.png)",
        "## Pairs",
        "Every pair runs without a hand. Rotation copy: turns from rest, bone by bone, with the path scaled "
        "by the legs, as tools without contacts do it. Rigify's bones are those of its human metarig, from "
        "the project's own fixture; a .blend is not read without Blender. Push-off knee: how much further "
        "it is bent than the source's in the last 0.15 s before the toes of a foot that was flat leave. Hand "
        "jerk: 99th percentile of the palms', relative to the source's at the size of the arms. Elbow step: "
        "the largest change of an elbow's angle in a sixtieth of a second.",
        markdown(tables.pairs, PAIRS),
        "## Other clips",
        "Chosen with some of these in view: how smoothly feet go over the ground (137_42, 132_29, 118_01), "
        "how near hands count as meeting (13_18, 60_01), and how long swings feel a stance and how heels "
        "rise (all of them, on the child and CesiumMan).",
        others,
        markdown(tables.others, PAIRS),
        "## A body on itself",
        "A body on itself keeps its motion. Locked feet change it, because the captures skate.",
        markdown(tables.identity, IDENTITY),
        "## Clap",
        "Distance of the palms at the moment in which those of the source meet.",
        markdown(tables.claps, CLAP),
        "## Then simulated",
        "With the target's own masses and without help; timing kept, or slowed by the root of the leg ratio.",
        markdown(tables.bakes, BAKES) if tables.bakes else "Not run.",
        "![Skating](retarget_skate.png)",
    ]
    write_page(folder / "retarget.md", parts)
    return f"{found}\nOther clips:\n{others}"


def plot_strip(outcomes: dict[str, Retargeted], path: Path) -> None:
    """Plot one frame of the source and of all targets, side by side, seen from the side."""
    first = next(iter(outcomes.values()))
    shown = [
        (
            "source",
            first.source.skeleton.parents,
            _frame(first.repaired.position_world, first.repaired.rate_hz),
        )
    ]
    for name, outcome in outcomes.items():
        positions = _frame(outcome.motion.position_world, outcome.motion.rate_hz)
        shown.append((name, outcome.target.skeleton.parents, _moved(outcome, positions)))
    figure, axis = pyplot.subplots(figsize=(2.0 * len(shown), 4.5))
    for i, (name, parents, heads) in enumerate(shown):
        x = heads[:, 0] - np.nanmean(heads[:, 0]) + 1.3 * i
        for bone, parent in enumerate(parents):
            if parent != NO_PARENT and np.isfinite(heads[[bone, parent]]).all():
                axis.plot(
                    x[[parent, bone]], heads[[parent, bone], 2], color="C0" if i else "C1", linewidth=1.6
                )
        axis.text(1.3 * i, -0.15, name, ha="center", va="top", fontsize=9)
    axis.axhline(0.0, color="0.6", linewidth=0.8)
    axis.set_aspect("equal")
    axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": ""})
    pyplot.close(figure)


def _frame(position: FloatArray, rate_hz: float) -> FloatArray:
    return np.array(position[min(round(STRIP_SECONDS * rate_hz), len(position) - 1)])


def _moved(outcome: Retargeted, positions: FloatArray) -> FloatArray:
    """Return the bones that move with the body; roots and controls of a rig are NaN."""
    skeleton, hips = outcome.target.skeleton, outcome.target.bone("hips")
    own = [hips, *skeleton.descendants(hips)]
    shown = np.full_like(positions, np.nan)
    shown[own] = positions[own]
    return shown


def plot_skate(rows: Sequence[Row], path: Path) -> None:
    """Plot skating of retargeted motions and of copied rotations."""
    names = [f"{row['clip']}, {row['target']}" for row in rows]
    figure, axis = pyplot.subplots(figsize=(8.0, 0.2 * len(rows) + 1.0))
    bar_y = np.arange(len(rows))
    axis.barh(bar_y + 0.2, [row["copy_skate_cm_s"] for row in rows], 0.4, label="rotation copy", color="0.7")
    axis.barh(bar_y - 0.2, [row["skate_cm_s"] for row in rows], 0.4, label="Heft", color="C0")
    axis.set_yticks(bar_y, names, fontsize=6)
    axis.invert_yaxis()
    axis.set_xlabel("mean speed of resting heels and toes [cm/s]")
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": ""})
    pyplot.close(figure)
