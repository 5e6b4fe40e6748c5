"""What all characters of one simulation share: the speed of its engine, and its models for results."""

from __future__ import annotations

import time as clock
from functools import cached_property

import mujoco
import numpy as np

from ..scenario.scenario import Scenario
from ..world.world import World, WorldCharacter, make_world_mjspec
from .baked import BakedCharacter
from .stored_model import packed

TIMED_STATES, TIMED_STEPS = 20, 10
"""Recorded states from which the engine is timed, and its steps from each of them."""


class EngineFacts:
    """Facts of the engine that has simulated a character, each found once for all that were with it."""

    def __init__(self, baked: BakedCharacter) -> None:
        self._baked = baked

    @cached_property
    def mjcf(self) -> str:
        """The model as MJCF, packed."""
        return packed_mjcf(engine_mjspec(self._baked.scenario, self._baked.world))

    @cached_property
    def mjb(self) -> str | None:
        """The engine's own model for a replay, packed; None where nothing was recorded for one."""
        inputs = None if self._baked.outcome is None else self._baked.outcome.trace.inputs
        return None if inputs is None else packed(inputs.model)

    @cached_property
    def bare_seconds(self) -> float:
        """How long the engine alone needs for all steps [s], measured on some of the recorded states."""
        baked, engine = self._baked, self._baked.world.engine
        assert baked.outcome is not None
        trace, objects = baked.outcome.trace, engine.objects
        model, data = engine.model, mujoco.MjData(engine.model)
        states = np.linspace(0, len(trace.qpos) - 1, TIMED_STATES).astype(int)
        spent = 0.0
        for k in states:
            data.qpos[engine.index.qpos], data.qvel[engine.index.dof] = trace.qpos[k], trace.qvel[k]
            data.qpos[objects.qpos], data.qvel[objects.dof] = trace.object_qpos[k], trace.object_qvel[k]
            for world, other in baked.others:
                others = world.engine.index
                data.qpos[others.qpos], data.qvel[others.dof] = other.qpos[k], other.qvel[k]
            mujoco.mj_forward(model, data)
            started = clock.perf_counter()
            mujoco.mj_step(model, data, nstep=TIMED_STEPS)
            spent += clock.perf_counter() - started
        return spent / (TIMED_STEPS * len(states)) * trace.steps


def packed_mjcf(mjspec: mujoco.MjSpec) -> str:
    """Return a description as the text that a result holds."""
    return packed(mjspec.to_xml().encode("utf-8"))


def engine_mjspec(scenario: Scenario, world: World) -> mujoco.MjSpec:
    """Return the description of the engine's model, compiled."""
    mjspec = world.engine.mjspec
    if mjspec is None:
        mjspec = mjspec_alone(scenario, world)
        mjspec.compile()
    mjspec.option.timestep = world.timestep
    return mjspec


def mjspec_alone(scenario: Scenario, world: World) -> mujoco.MjSpec:
    """Return the description of the character and its scene, without other characters."""
    character = WorldCharacter(scenario.spec, scenario.ground_height, scenario.name, scenario.excluded_pairs)
    return make_world_mjspec(character, world.timestep, world.scene)
