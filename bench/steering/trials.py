"""One run of the steering benchmark."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.actions.along import walk_along
from sim_core.actions.curve import Curve
from sim_core.actions.graph import ActionGraph
from sim_core.actions.graph_file import ActionEntry, ActionList
from sim_core.actions.steering import COMMANDS
from sim_core.bake.pipeline import bake
from sim_core.cli.graph_source import graph_of
from sim_core.live.commands import LiveCommand, NextAction, Steer
from sim_core.live.run import LiveRun
from sim_core.motion.motion import CONTROL_DT
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.steering.stage import Steered

from ..common.clips import clip_of
from .plan import MARCHES

FIRST_S, LEAST_S, MOST_S = 1.0, 1.5, 4.0
"""When the first command is given, and the shortest and longest time between two [s]."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.ROWS."""
    return _along(item) if item["kind"] == "curve" else _steered(item)


@cache
def _graph(clips: tuple[str, ...]) -> ActionGraph:
    entries = tuple(ActionEntry(str(clip_of(clip).file), clip) for clip in clips)
    return graph_of(ActionList(entries), Path(), ReadingChoices()).graph


@cache
def _stage(clips: tuple[str, ...]) -> Steered:
    return Steered(_graph(clips), BakeSettings(assist_cap=0.0))


def _steered(item: dict[str, Any]) -> dict[str, Any]:
    began = time.process_time()
    steered = _stage(tuple(item["clips"]))
    stage = steered.stage
    assert stage.directs is not None
    director, run = stage.directs(), LiveRun(stage.setup, stage.library, stage.first)
    asked = _commands(item["seed"], item["seconds"])
    while run.ticks * CONTROL_DT < item["seconds"] and not run.now.fallen:
        given = [asked[run.ticks]] if run.ticks in asked else []
        run.tick((*given, *director.decide(run.now, given)))
    waits = [own.taken_s - own.given_s for own in steered.commands if own.taken_s is not None]
    done = sorted({own.command for own in steered.commands})
    fell_at = run.ticks * CONTROL_DT if run.now.fallen else None
    travelled = _travelled([own.placement.shift[:2] for own in run.played])
    return {
        "fell_at": fell_at,
        "commands": len(steered.commands),
        "asked": done,
        "longest_wait_s": max(waits, default=0.0),
        "mean_wait_s": float(np.mean(waits)) if waits else 0.0,
        "links": len(run.played) - 1,
        "travelled_m": travelled,
        "cpu_s": time.process_time() - began,
        "message": "stays up" if fell_at is None else f"falls at {fell_at:.1f} s",
    }


def _travelled(points: Sequence[np.ndarray]) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) if len(points) > 1 else 0.0


def _commands(seed: int, seconds: float) -> dict[int, LiveCommand]:
    """Return random commands by control interval."""
    random, when, asked = np.random.default_rng(seed), FIRST_S, dict[int, LiveCommand]()
    choices = (*COMMANDS, *MARCHES)
    while when < seconds:
        name = choices[random.integers(len(choices))]
        asked[round(when / CONTROL_DT)] = Steer(name) if name in COMMANDS else NextAction(name)
        when += random.uniform(LEAST_S, MOST_S)
    return asked


def curve_of(name: str) -> Curve:
    """Return a curve of the benchmark."""
    t = np.linspace(0.0, 1.0, 200)
    points = {
        "line": [[0.0, 0.0], [6.0, 0.0]],
        "S": np.stack([8.0 * t, 1.2 * np.sin(2.0 * np.pi * t)], axis=1),
        "circle": np.stack([3.0 * np.sin(2.0 * np.pi * t), 3.0 - 3.0 * np.cos(2.0 * np.pi * t)], axis=1),
        "corners": [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [8.0, 4.0]],
        "figure of eight": np.stack([4.0 * np.sin(2.0 * np.pi * t), 2.0 * np.sin(4.0 * np.pi * t)], axis=1),
    }[name]
    return Curve.through(np.asarray(points))


def _along(item: dict[str, Any]) -> dict[str, Any]:
    began = time.process_time()
    graph, curve = _graph(tuple(item["clips"])), curve_of(item["curve"])
    walk = walk_along(graph, curve)
    planned = time.process_time()
    settings = BakeSettings(assist_cap=0.0, search=False, find_assist=False, loop="off")
    result = bake(Job(walk.motion, graph.mapping, settings))
    metrics = result.meta.metrics
    assert metrics is not None
    fell_at = result.meta.fell_at
    return {
        "fell_at": fell_at,
        "seconds": walk.motion.duration,
        "length_m": curve.length,
        "planned_mean_cm": 100.0 * float(walk.off.mean()),
        "joint_error_deg": metrics.joint_error_deg,
        **curve.figures(result.joint_position[:, 0, :2]),
        "plan_cpu_s": planned - began,
        "message": "stays up" if fell_at is None else f"falls at {fell_at:.1f} s",
    }
