"""Plots that several benchmarks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as pyplot

DPI = 110
NO_DATE = {"Software": "", "Creation Time": ""}
"""Metadata without a date, so that the same figures give the same file."""


def plot_errors(curves: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], path: Path) -> None:
    """Plot tracking error over time as in figure 3 of da Silva et al. 2008.

    curves: by title and clip
    """
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


def save(figure: Any, path: Path) -> None:
    """Write a figure to a file, and close it."""
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata=NO_DATE)
    pyplot.close(figure)
