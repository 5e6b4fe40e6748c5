"""Stick figures of a running simulation, for a preview of its progress."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.progress import PreviewFrame
from ..scenario.scenario import Scenario
from ..world.world import World

PREVIEW_TICKS = 10
"""Control intervals between two preview frames: ten frames per second of motion, about 1 kB per character."""
DIGITS = 3
"""Decimal places of coordinates in metres; millimetres are enough for a preview."""


def preview_of(
    data: mujoco.MjData, worlds: Sequence[World], scenarios: Sequence[Scenario], passed_s: float
) -> PreviewFrame:
    """Return the stick figures of all characters, passed_s seconds after the start.

    The engine's body positions must be up to date with its joint coordinates.
    """
    time = float(scenarios[0].motion.time[0]) + passed_s
    figures = tuple(
        tuple(
            tuple(stick)
            for stick in np.round(scenario.on_rig(_sticks(data, world), np.array([time])), DIGITS)
            .reshape(-1, 6)
            .tolist()
        )
        for world, scenario in zip(worlds, scenarios, strict=True)
    )
    return PreviewFrame(time, figures)


def _sticks(data: mujoco.MjData, world: World) -> FloatArray:
    """Return both ends of sticks (N, 2, 3) [m], each from a joint to its child joint.

    The stick of a segment without children goes from its joint to twice the distance of its centre of mass.
    """
    body = world.engine.index.body
    parent = world.engine.model.body_parentid[body]
    is_child = np.isin(parent, body)
    is_last = ~np.isin(body, parent)
    joints = np.stack([data.xpos[parent[is_child]], data.xpos[body[is_child]]], axis=1)
    start = data.xpos[body[is_last]]
    ends = np.stack([start, 2.0 * data.xipos[body[is_last]] - start], axis=1)
    return np.concatenate([joints, ends])
