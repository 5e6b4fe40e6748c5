"""Two characters as stick figures, from the side and from above, at some times of a bake."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sim_core.result.metrics import LOADED_N
from sim_core.result.result import Result

from .plots import pyplot, save

COLOURS = (("tab:blue", "#9ecae1"), ("tab:red", "#fcae91"))
"""Of the simulated body and its source, by character."""
VIEWS = {"from the front": (1, 2), "from above": (0, 1)}
"""Axes of the world across and up."""
SHOWN = 9
HALF_WIDTH = 0.9
"""Of a picture [m]."""
METRES_PER_N = 1.0 / 300.0


def plot_strip(results: Sequence[Result], path: Path) -> None:
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
            way = METRES_PER_N * force
            axis.arrow(point[across], point[up], way[across], way[up], width=0.012, color="k", zorder=5)
    middle = np.mean([result.joint_position[sample].mean(axis=0) for result in results], axis=0)
    axis.set_xlim(middle[across] - HALF_WIDTH, middle[across] + HALF_WIDTH)
    low = -0.05 if up == 2 else middle[up] - HALF_WIDTH
    axis.set_ylim(low, low + 2.0 * HALF_WIDTH)
    axis.set_aspect("equal")
    axis.set(xticks=[], yticks=[])


def _sticks(axis: Axes, joints: np.ndarray, result: Result, view: tuple[int, int], **look: Any) -> None:
    """joints (J, 3), each joined to the one above it."""
    for joint, parent in enumerate(result.joint_parent):
        if parent >= 0:
            axis.plot(*joints[[joint, parent]][:, view].T, **look)
