"""Stick figures of a simulation that runs, for whoever watches it."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.progress import PreviewFrame
from ..scenario.scenario import Scenario
from ..world.world import World

PREVIEW_TICKS = 10
"""Control intervals from one sight to the next: ten a second of motion, about 1 kB for each character."""
DIGITS = 3
"""Millimetres are enough to look at."""


def preview_of(
    data: mujoco.MjData, worlds: Sequence[World], scenarios: Sequence[Scenario], passed_s: float
) -> PreviewFrame:
    """Of all characters, so many seconds after the start; bodies must be where the state says."""
    time = float(scenarios[0].motion.time[0]) + passed_s
    figures = tuple(
        tuple(
            tuple(stick)
            for stick in np.round(drain.on_rig(_sticks(data, world), np.array([time])), DIGITS)
            .reshape(-1, 6)
            .tolist()
        )
        for world, drain in zip(worlds, scenarios, strict=True)
    )
    return PreviewFrame(time, figures)


def _sticks(data: mujoco.MjData, world: World) -> FloatArray:
    """Both ends of sticks (N, 2, 3): from joint to joint; the last parts end beyond their centre of mass."""
    body = world.engine.index.body
    parent = world.engine.model.body_parentid[body]
    hangs = np.isin(parent, body)
    is_last = ~np.isin(body, parent)
    joints = np.stack([data.xpos[parent[hangs]], data.xpos[body[hangs]]], axis=1)
    start = data.xpos[body[is_last]]
    ends = np.stack([start, 2.0 * data.xipos[body[is_last]] - start], axis=1)
    return np.concatenate([joints, ends])
