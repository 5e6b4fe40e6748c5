"""One run of the robustness benchmark: a walk at 0 N on a changed body, or with other gains."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from sim_core.bake.diagnosis import fell_at
from sim_core.bake.make_controller import start_noise
from sim_core.bake.methods import USUAL
from sim_core.bake.setup import TIMESTEP
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import SimulationError
from sim_core.character.posing import pose_from_motion, segment_poses
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.qp import BoxQP, Solver
from sim_core.motion.motion import CONTROL_DT, low_pass, on_control_grid
from sim_core.recognition import recognise
from sim_core.reference.prepare import Prepared, make_feasible, put_on_ground
from sim_core.result import metrics
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.simulation import CharacterStart, Simulation
from sim_core.simulation.trace import Trace
from sim_core.world.world import World, build_world

from ..common.clips import clip_of
from ..common.motions import read_clip
from ..common.tracking_error import Poses, squared_error
from .body_changes import CHANGES


@lru_cache(maxsize=4)
def _scenario(label: str) -> Scenario:
    motion = read_clip(clip_of(label))
    return make_scenario(Job(motion, recognise(motion.skeleton), BakeSettings()))


def _world(scenario: Scenario, change: str) -> World:
    return build_world(CHANGES[change](scenario.spec), scenario.ground_height, TIMESTEP["standard"])


@lru_cache(maxsize=16)
def _prepared(label: str, change: str) -> Prepared:
    """Return the reference for a body."""
    scenario = _scenario(label)
    world = _world(scenario, change)
    poses = pose_from_motion(
        scenario.spec, scenario.binding, on_control_grid(low_pass(scenario.repaired, USUAL.cutoff_hz))
    )
    grounded = put_on_ground(world, poses, CONTROL_DT, scenario.leg_length)
    return make_feasible(world, grounded, CONTROL_DT, scenario.leg_length, USUAL.filter)


class TimedSolver:
    """A solver, and the wall time that it takes [s]."""

    def __init__(self, solver: Solver) -> None:
        self.solver, self.seconds, self.fallbacks = solver, 0.0, 0

    def solve(self, program: BoxQP, guess: FloatArray | None) -> FloatArray:
        """Return the solution of a program, and add its time."""
        started = clock.perf_counter()
        x = self.solver.solve(program, guess)
        self.seconds += clock.perf_counter() - started
        return x


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.body_items or plan.gain_items.

    informed: which parts have the model of the changed body, of plan.INFORMED
    tuning: fields of the tracker's settings; ground_friction: None keeps the product's
    """
    scenario, change, informed = _scenario(item["clip"]), item["change"], item["informed"]
    prepared = _prepared(item["clip"], change if informed == "all" else "none")
    believed = _world(scenario, "none" if informed == "nobody" else change)
    world = _world(scenario, change)
    if item["ground_friction"] is not None:
        world.model.geom_friction[:, 0] = item["ground_friction"]
    tuning = replace(USUAL.tracker, **item["tuning"])
    tracker = make_tracker(believed, prepared, scenario.leg_length, TrackerOptions(tracking=tuning))
    tracker.solver = solver = TimedSolver(tracker.solver)
    reference, settings = prepared.reference, BakeSettings(seed=item["seed"], noise=item["noise"])
    qvel = reference.qvel[0] + start_noise(settings, reference.qvel.shape[1])
    ticks = len(reference) - 1
    try:
        start = CharacterStart(tracker, reference.qpos[0], qvel)
        (trace,) = Simulation((world,), CONTROL_DT, (1,)).run((start,), ticks, lambda _: True)
    except SimulationError as problem:
        return {"unstable": str(problem), "message": str(problem)}
    return _figures(scenario, prepared, trace) | {"solve_ms": 1e3 * solver.seconds / ticks}


def _figures(scenario: Scenario, prepared: Prepared, trace: Trace) -> dict[str, Any]:
    reference = prepared.reference
    names = scenario.spec.names
    parent = np.array([-1 if s.parent is None else names.index(s.parent) for s in scenario.spec])
    new, wanted = (
        Poses(positions[:, 0], quaternions)
        for positions, quaternions in (segment_poses(scenario.spec, q) for q in (trace.qpos, reference.qpos))
    )
    error = float(metrics.joint_error_deg(new.quaternion_world, wanted.quaternion_world, parent).mean())
    fell = fell_at(scenario, reference, trace)
    seconds = (len(reference) - 1) * reference.dt
    up = "full" if fell is None else f"fell at {fell:.2f} s"
    return {
        "seconds": seconds,
        "up_s": seconds if fell is None else fell,
        "full": fell is None,
        "joint_error_deg": error,
        "root_error_m": metrics.root_error(new.root, wanted.root),
        "squared_error": float(squared_error(new, wanted, parent).mean()),
        "message": f"{up}, {error:.2f} deg",
    }
