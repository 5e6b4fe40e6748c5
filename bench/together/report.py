"""Tables and plot of the benchmark of characters that touch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sim_core.result.metrics import LOADED_N
from sim_core.result.result import Result

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.plots import pyplot, save
from ..common.tables import Columns, Row, markdown
from .trials import Baked, Interaction

MEETING_TABLE: Columns = {
    "meeting": "{title}",
    "seed": "{seed}",
    "character": "{clip}",
    "fell": lambda r: _fell(r["fell_at"]),
    "alone": lambda r: _fell(r["fell_alone"]),
    "joint error, deg": "{error_deg:.2f}",
    "alone, deg": "{error_alone_deg:.2f}",
    "touch, s": "{touch_s:.2f}",
    "largest force, N": "{force_n:.0f}",
    "impulse, Ns": "{impulse_ns:.1f}",
    "both forces added, N": "{sum_n:.1g}",
    "hits": "{hits}",
    "attempt": "{attempt}",
}
SELF_TABLE: Columns = {
    "clip": "{clip}",
    "seed": "{seed}",
    "fell, off": lambda r: _fell(r["fell_at_off"]),
    "on": lambda r: _fell(r["fell_at_on"]),
    "joint error, deg, off": "{error_deg_off:.3f}",
    "on ": "{error_deg_on:.3f}",
    "processor time, s, off": "{busy_s_off:.2f}",
    " on": "{busy_s_on:.2f}",
}


def interaction_rows(
    interaction: Interaction, seed: int, baked: Baked, alone: Sequence[Result]
) -> list[dict[str, Any]]:
    """Return the figures of both characters, together and alone."""
    first, second = baked.results
    added = np.linalg.norm(_force_of_other(first) + _force_of_other(second), axis=-1).max()
    rows = []
    for result, by_itself in zip(baked.results, alone, strict=True):
        force = _force_of_other(result)
        strength = np.linalg.norm(force, axis=-1)
        dt = float(result.time[1] - result.time[0])
        rows.append(
            {
                "title": interaction.title,
                "seed": seed,
                "clip": result.meta.name,
                "fell_at": result.meta.fell_at,
                "fell_alone": by_itself.meta.fell_at,
                "error_deg": result.meta.measured.joint_error_deg,
                "error_alone_deg": by_itself.meta.measured.joint_error_deg,
                "touch_s": dt * np.count_nonzero(strength > LOADED_N),
                "force_n": strength.max(),
                "impulse_ns": float(np.linalg.norm(dt * force.sum(axis=0))),
                "sum_n": added,
                "hits": len(result.meta.hits),
                "attempt": result.meta.attempt,
            }
        )
    return rows


def write_together_report(rows: Sequence[Row], own: Sequence[Row], folder: Path) -> str:
    """Write the tables; return a summary for the terminal."""
    stumbles = [row for row in rows if row["title"] == rows[0]["title"]]
    up = sum(row["fell_at"] is None for row in stumbles)
    worse = [row for row in own if row["error_deg_on"] > 1.01 * row["error_deg_off"]]
    cost = sum(row["busy_s_on"] for row in own) / max(sum(row["busy_s_off"] for row in own), 1e-9)
    summary = (
        f"- The stumble: {up} of {len(stumbles)} stay up to the end at 0 N.\n"
        f"- Forces of both on each other, added: {max(row['sum_n'] for row in rows):.1g} N at most.\n"
        f"- Self-collision: {len(worse)} of {len(own)} bakes have a joint error that is over 1 % larger; "
        f"it takes {cost:.2f} times the processor time."
    )
    parts = [
        "# Characters that meet",
        "Made by `python3 dev.py bench together`; docs/benchmarks.md says how to read it. All at 0 N. "
        f"Commit {commit_of('together')}.",
        summary,
        markdown(rows, MEETING_TABLE),
        "![The stumble: blue 22_12, red 23_12, pale their sources, arrows the forces on 22_12](together.png)",
        "## Self-collision",
        markdown(own, SELF_TABLE),
    ]
    write_page(folder / "together.md", parts)
    return summary


def _force_of_other(result: Result) -> np.ndarray:
    """Return the force of the other character on this one (T, 3) [N]."""
    return np.asarray(result.contact_force[:, result.contact_other != ""].sum(axis=1))


def _fell(seconds: float | None) -> str:
    return "no" if seconds is None else f"at {seconds:.2f} s"


COLOURS = (("tab:blue", "#9ecae1"), ("tab:red", "#fcae91"))
"""Colours of the simulated body and its source, by character."""
VIEWS = {"from the front": (1, 2), "from above": (0, 1)}
"""Axes of the world across and up, by view."""
SHOWN = 9
HALF_WIDTH = 0.9
"""Half of the width of a picture [m]."""
METRES_PER_N = 1.0 / 300.0


def plot_strip(results: Sequence[Result], path: Path) -> None:
    """Plot two characters as stick figures, from the front and from above, at some times."""
    samples = np.linspace(0, len(results[0].time) - 1, SHOWN).astype(int)
    figure, axes = pyplot.subplots(len(VIEWS), SHOWN, figsize=(1.9 * SHOWN, 2.1 * len(VIEWS)))
    for row, (title, view) in zip(axes, VIEWS.items(), strict=True):
        row[0].set_ylabel(title)
        for axis, sample in zip(row, samples, strict=True):
            _draw(axis, results, int(sample), view)
    for axis, sample in zip(axes[0], samples, strict=True):
        axis.set_title(f"{results[0].time[sample] - results[0].time[0]:.2f} s", fontsize=9)
    save(figure, path)


def _draw(axis: Axes, results: Sequence[Result], sample: int, view: tuple[int, int]) -> None:
    across, up = view
    for result, (body, source) in zip(results, COLOURS, strict=True):
        _sticks(axis, result.source_joint_position[sample], result, view, color=source, linewidth=1.0)
        _sticks(axis, result.joint_position[sample], result, view, color=body, linewidth=1.6)
    first = results[0]
    for slot in np.flatnonzero(first.contact_other != ""):
        point, force = first.contact_point[sample, slot], first.contact_force[sample, slot]
        if np.linalg.norm(force) > LOADED_N:
            arrow = METRES_PER_N * force
            axis.arrow(point[across], point[up], arrow[across], arrow[up], width=0.012, color="k", zorder=5)
    middle = np.mean([result.joint_position[sample].mean(axis=0) for result in results], axis=0)
    axis.set_xlim(middle[across] - HALF_WIDTH, middle[across] + HALF_WIDTH)
    low = -0.05 if up == 2 else middle[up] - HALF_WIDTH
    axis.set_ylim(low, low + 2.0 * HALF_WIDTH)
    axis.set_aspect("equal")
    axis.set(xticks=[], yticks=[])


def _sticks(axis: Axes, joints: np.ndarray, result: Result, view: tuple[int, int], **look: Any) -> None:
    """Draw a line from each joint (J, 3) to its parent."""
    for joint, parent in enumerate(result.joint_parent):
        if parent >= 0:
            axis.plot(*joints[[joint, parent]][:, view].T, **look)
