"""Pictures of the benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot

DPI = 110
NO_DATE = {"Software": "", "Creation Time": ""}
"""So that the same figures give the same file."""


def plot_errors(curves: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], path: Path) -> None:
    """Tracking error over time as in figure 3 of da Silva et al. 2008; title -> clip -> curve."""
    size = (6.5 * len(curves), 7.0)
    figure, axes = pyplot.subplots(2, len(curves), figsize=size, sharex="col", squeeze=False)
    for column, (title, by_clip) in enumerate(curves.items()):
        for clip, curve in by_clip.items():
            for row, name in enumerate(("joint_error_deg", "squared_error")):
                axes[row, column].plot(curve["time_s"], curve[name], label=clip, linewidth=1.0)
        axes[0, column].set(title=title, ylabel="mean joint error [deg]", ylim=(0.0, None))
        axes[1, column].set(xlabel="time [s]", ylabel="squared error [rad², m²]", yscale="log")
        axes[0, column].legend(fontsize=8)
        for axis in axes[:, column]:
            axis.grid(alpha=0.3)
    _save(figure, path)


def plot_gains(
    share: np.ndarray, error_deg: np.ndarray, springs: Sequence[float], stiffness: Sequence[float], path: Path
) -> None:
    """Share of full runs (stiffness x springs) with the mean joint error of the full ones written in."""
    figure, axis = pyplot.subplots(figsize=(8.0, 5.5))
    image = axis.imshow(share, origin="lower", cmap="RdYlGn", vmin=0.0, vmax=1.0, aspect="auto")
    for row, column in np.ndindex(*share.shape):
        if not np.isnan(share[row, column]):
            error = "" if np.isnan(error_deg[row, column]) else f"\n{error_deg[row, column]:.1f} deg"
            text = f"{100 * share[row, column]:.0f} %{error}"
            axis.text(column, row, text, ha="center", va="center", fontsize=8)
    axis.set_xticks(range(len(springs)), [f"{k:g}" for k in springs])
    axis.set_yticks(range(len(stiffness)), [f"{k:g}" for k in stiffness])
    axis.set(xlabel="k, share of the intrinsic stiffness", ylabel="k_os [1/s²]")
    axis.set_title("Walks at 0 N that stay up, and their joint error")
    figure.colorbar(image, label="share of runs")
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata=NO_DATE)
    pyplot.close(figure)
