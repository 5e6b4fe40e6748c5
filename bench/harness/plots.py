"""Pictures of the benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from .gain_map import GainMap
from .robustness_plan import SPRINGS, STIFFNESS

matplotlib.use("Agg")
from matplotlib import pyplot

DPI = 110
NO_DATE = {"Software": "", "Creation Time": ""}
"""So that the same figures give the same file."""


def plot_errors(curves: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], path: Path) -> None:
    """Tracking error over time as in figure 3 of da Silva et al. 2008; title -> clip -> curve."""
    size = (6.5 * len(curves), 7.0)
    figure, axes = pyplot.subplots(2, len(curves), figsize=size, sharex="col", sharey="row", squeeze=False)
    for column, (title, by_clip) in enumerate(curves.items()):
        for clip, curve in by_clip.items():
            for row, name in enumerate(("joint_error_deg", "squared_error")):
                axes[row, column].plot(curve["time_s"], curve[name], label=clip, linewidth=1.0)
        axes[0, column].set(title=title, ylabel="mean joint error [deg]", ylim=(0.0, None))
        axes[1, column].set(
            xlabel="time [s]", ylabel="squared error [rad², m²]", yscale="log", ylim=(1e-5, None)
        )
        axes[0, column].legend(fontsize=8)
        for axis in axes[:, column]:
            axis.grid(alpha=0.3)
    save(figure, path)


def plot_gains(gains: GainMap, path: Path) -> None:
    """The map of gains as colours and figures; a frame marks the ranges of the paper's table 1."""
    figure, axis = pyplot.subplots(figsize=(9.0, 5.5))
    image = axis.imshow(
        gains.share, origin="lower", cmap="RdYlGn", vmin=0.0, vmax=1.0, aspect="auto", alpha=0.6
    )
    for row, column in np.ndindex(*gains.share.shape):
        share, error = gains.share[row, column], gains.error_deg[row, column]
        if not np.isnan(share):
            text = f"{100 * share:.0f} %" + ("" if np.isnan(error) else f"\n{error:.2f} deg")
            axis.text(column, row, text, ha="center", va="center", fontsize=8)
    rows, columns = np.flatnonzero(gains.in_paper.any(axis=1)), np.flatnonzero(gains.in_paper.any(axis=0))
    corner = (columns[0] - 0.5, rows[0] - 0.5)
    axis.add_patch(pyplot.Rectangle(corner, len(columns), len(rows), fill=False, linewidth=2.0))
    axis.set_xticks(range(len(SPRINGS)), [f"{k:g}" for k in SPRINGS])
    axis.set_yticks(range(len(STIFFNESS)), [f"{k:g}" for k in STIFFNESS])
    axis.set(xlabel="k, share of the intrinsic stiffness", ylabel="k_os [1/s²]")
    axis.set_title("Walks at 0 N that stay up, and their joint error")
    figure.colorbar(image, label="share of runs")
    save(figure, path)


def plot_leans(curves: Mapping[str, Mapping[str, Any]], dt: float, path: Path) -> None:
    """Squared error after leans as in figure 5 of the stylized locomotion paper; title -> lean -> curve."""
    figure, axes = pyplot.subplots(1, len(curves), figsize=(6.0 * len(curves), 4.0), sharey=True)
    for axis, (title, by_lean) in zip(axes, curves.items(), strict=True):
        for name, squared in by_lean.items():
            axis.plot(np.arange(len(squared)) * dt, squared, label=name, linewidth=1.0)
        axis.set(title=title, xlabel="time [s]", ylabel="squared error [rad², (rad/s)²]", ylim=(0.0, 500.0))
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    save(figure, path)


def plot_necks(curves: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """The neck after a hit as in figure 7 of Zordan, Hodgins 2002; recovery -> share of gains -> curve."""
    figure, axes = pyplot.subplots(1, len(curves), figsize=(6.0 * len(curves), 4.0), sharey=True)
    for axis, (recovery, by_share) in zip(axes, curves.items(), strict=True):
        for share, (time, degrees) in by_share.items():
            axis.plot(time, degrees, label=f"gains x {share}", linewidth=1.0)
        axis.set(title=f"recovery {recovery}", xlabel="time since the hit [s]", ylabel="neck [deg]")
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    save(figure, path)


def plot_aims(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Strikes on the grid seen from behind, and speeds, as in figures 5 and 4 of Zordan, Hodgins 2002."""
    figure, (places, speeds) = pyplot.subplots(1, 2, figsize=(13.0, 6.0))
    for number, name in enumerate(dict.fromkeys(row["name"] for row in rows)):
        mine = [row for row in rows if row["name"] == name and row["miss_m"] is not None]
        struck = [row for row in mine if row["kind"] == "grid" and row["offset"][0] == 0.0]
        colour = f"C{number}"
        for row in struck:
            at = (-100.0 * row["offset"][1], 100.0 * row["offset"][2])
            for key, style in (("first_miss_m", ":"), ("miss_m", "-")):
                circle = pyplot.Circle(at, 100.0 * row[key], fill=False, color=colour, linestyle=style)
                places.add_patch(circle)
        timed = [row for row in mine if row["wanted_speed"] > 0.0]
        wanted, got = ([row[key] for row in timed] for key in ("wanted_speed", "speed"))
        speeds.scatter(wanted, got, s=12.0, color=colour, label=name)
    places.set(xlabel="to the right of the punch itself [cm]", ylabel="above it [cm]", aspect="equal")
    places.set(xlim=(-25.0, 25.0), ylim=(-25.0, 25.0))
    places.set_title("Misses as radii: dotted in the first simulation, solid in the last")
    most = max(speeds.get_xlim()[1], speeds.get_ylim()[1])
    speeds.plot([0.0, most], [0.0, most], color="grey", linewidth=0.8)
    speeds.fill_between([0.0, most], [0.0, 0.9 * most], [0.0, 1.1 * most], color="grey", alpha=0.2)
    speeds.set(xlabel="speed asked for [m/s]", ylabel="speed of the simulated hand [m/s]")
    speeds.set_title("Speed at the contact; grey: within 10 %")
    speeds.legend(fontsize=8)
    for axis in (places, speeds):
        axis.grid(alpha=0.3)
    save(figure, path)


def plot_noise(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Errors of markers and joints over marker noise, as in figure 5.9 of the dissertation."""
    figure, axes = pyplot.subplots(1, 2, figsize=(10.0, 4.0))
    for quality in dict.fromkeys(row["quality"] for row in rows):
        mine = [row for row in rows if row["quality"] == quality]
        level = [row["noise_mm"] for row in mine]
        for axis, name, unit in ((axes[0], "marker", "mm"), (axes[1], "joint", "deg")):
            mean, error = ([row[f"{name}{kind}_{unit}"] for row in mine] for kind in ("", "_sem"))
            axis.errorbar(level, mean, error, marker="o", markersize=3, capsize=2, label=quality)
    for axis, label in zip(axes, ("marker error [mm]", "joint error [deg]"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="marker noise, one sigma [mm]", ylabel=label)
        axis.grid(alpha=0.3, which="both")
        axis.legend(fontsize=8)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata=NO_DATE)
    pyplot.close(figure)
