"""Throws at parts of characters that move: the distance from the part's middle."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from sim_core.bake.attempt import Attempt
from sim_core.bake.make_controller import make_controller
from sim_core.bake.make_reference import make_reference
from sim_core.bake.methods import USUAL
from sim_core.bake.setup import CharacterSetup, make_worlds
from sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.base.rotations import rotate
from sim_core.character.posing import segment_poses
from sim_core.motion.motion import CONTROL_DT
from sim_core.reference.prepare import Prepared
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Launch, Role, Scene, SceneObject
from sim_core.scene.shapes import Sphere
from sim_core.simulation.projectiles import Flight, plan_flights
from sim_core.simulation.simulation import Simulation
from sim_core.simulation.trace import Trace

from ..common.motions import motion_of
from ..common.tables import Row

PARTS = ("head", "chest", "pelvis", "forearm.R", "hand.L", "thigh.L", "shin.R")
SPEEDS = (6.0, 10.0, 20.0)
DISTANCE = 2.5
"""Level distance to the part from where a stone is thrown, in front of it [m]."""
RADIUS, KG = 0.02, 0.002
"""Radius [m] and mass [kg] of a stone, so small that it disturbs nothing."""
SETTINGS = BakeSettings(assist_cap=0.0, find_assist=False)
START_SHARE, END_SHARE = 0.15, 0.75
"""Throws are between these shares of the clip."""


def throw_all(clip: str) -> list[Row]:
    """Throw at all parts with all speeds in one simulation; throws that are refused have a reason."""
    motion, mapping = motion_of(clip)
    scenario = make_scenario(Job(motion, mapping, SETTINGS))
    (alone,) = make_worlds((scenario,), (SETTINGS.quality,))
    prepared = make_reference(CharacterSetup(scenario, SETTINGS, alone), Attempt(USUAL))
    tried = list(product(PARTS, SPEEDS))
    times = np.linspace(START_SHARE, END_SHARE, len(tried)) * prepared.reference.time[-1]
    stones = [_stone(scenario, prepared, *each, time) for each, time in zip(tried, times, strict=True)]
    reasons = [_refused(scenario, prepared, stone) for stone in stones]
    flying = tuple(s for s, reason in zip(stones, reasons, strict=True) if reason is None)
    trace, flights = _simulate(replace(scenario, scene=Scene(flying)), prepared)
    arrived = {o.name: _arrival(scenario, o, flights[i], trace) for i, o in enumerate(flying)}
    return [
        {"clip": clip, "part": part, "speed": speed, "refused": reason, **arrived.get(stone.name, {})}
        for (part, speed), stone, reason in zip(tried, stones, reasons, strict=True)
    ]


def _stone(scenario: Scenario, prepared: Prepared, part: str, speed: float, time: float) -> SceneObject:
    reference, spec = prepared.reference, scenario.spec
    sample = round(time / reference.dt)
    position, quaternion = (values[0] for values in segment_poses(spec, reference.qpos[sample : sample + 1]))
    which = spec.names.index(part)
    middle = position[which] + rotate(quaternion[which], spec.segments[which].com)
    front = rotate(quaternion[0], np.array([1.0, 0.0, 0.0])) * [1.0, 1.0, 0.0]
    position = middle + DISTANCE * front / np.linalg.norm(front)
    launch = Launch(float(scenario.motion.time[0]) + sample * reference.dt, speed, part)
    return SceneObject(f"{part} {speed:g}", Role.PROJECTILE, Sphere(RADIUS), position, mass=KG, launch=launch)


def _refused(scenario: Scenario, prepared: Prepared, stone: SceneObject) -> str | None:
    try:
        (world,) = make_worlds((replace(scenario, scene=Scene((stone,))),), (SETTINGS.quality,))
        plan_flights(world, prepared.reference, scenario.binding.parts)
    except InputError as problem:
        return str(problem)
    return None


def _simulate(scenario: Scenario, prepared: Prepared) -> tuple[Trace, tuple[Flight, ...]]:
    (world,) = make_worlds((scenario,), (SETTINGS.quality,))
    setup = CharacterSetup(scenario, SETTINGS, world)
    start = make_controller(setup, world, prepared, USUAL, 0.0).start
    flights = plan_flights(world, prepared.reference, scenario.binding.parts)
    ticks = len(prepared.reference) - 1
    (trace,) = Simulation((world,), CONTROL_DT, (1,)).run((start,), ticks, lambda _: True, flights)
    return trace, flights


def _arrival(scenario: Scenario, stone: SceneObject, flight: Flight, trace: Trace) -> Row:
    """Return how near an undisturbed flight comes to the middle of the part where that really is.

    touched: the parts that it touches, from the parts' contacts at about that time
    """
    assert stone.launch is not None
    part = scenario.spec.names.index(stone.launch.target)
    middle = trace.body_com[:, part]
    since = trace.time - trace.time[flight.tick]
    near = np.abs(since - flight.seconds) < 0.1
    path = stone.position + np.outer(since, flight.velocity) - 0.5 * GRAVITY * np.outer(since**2, Z_UP)
    miss = _closest(path[near] - middle[near])
    struck = np.linalg.norm(trace.contact_force[near], axis=-1).max(axis=0) > 0.0
    return {"miss_m": miss, "touched": bool(struck[trace.contact_segment == part].any())}


def _closest(away: FloatArray) -> float:
    """Return the least distance of a path (T, 3) from the origin, straight between its points [m]."""
    step = np.diff(away, axis=0)
    share = np.clip(-np.sum(away[:-1] * step, axis=1) / np.sum(step**2, axis=1), 0.0, 1.0)
    return float(np.linalg.norm(away[:-1] + share[:, None] * step, axis=1).min())
