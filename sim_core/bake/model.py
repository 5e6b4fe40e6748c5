"""The simulated body and its scene inside a result, so that MuJoCo can show it without Heft."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.conventions import FloatArray
from ..simulation.trace import Trace
from ..world.character_model import index_character
from ..world.scene_model import index_objects
from ..world.start_state import initial_object_state
from ..world.world import EngineModel
from .baked import BakedCharacter
from .engine_facts import EngineFacts, mjspec_alone, packed_mjcf


def model_of(baked: BakedCharacter, engine: EngineFacts) -> tuple[FloatArray, str | None]:
    """Return joint coordinates (T, Q) of all that was simulated together, and their model.

    The model is MJCF, packed by zlib and written as base64 because most of it repeats. There is none where
    the motion was not changed. Where nothing was simulated it is the character's alone.
    """
    scenario, world, outcome = baked.scenario, baked.world, baked.outcome
    if baked.prepared is None:
        return np.zeros((0, 0)), None
    samples = len(baked.source.time)
    if outcome is not None:
        qpos = _simulated_qpos(world.engine, outcome.trace, [trace for _, trace in baked.others])
        return qpos[:samples], engine.mjcf
    mjspec = mjspec_alone(scenario, world)
    model, own = mjspec.compile(), baked.prepared.reference.qpos
    qpos = np.tile(model.qpos0, (len(own), 1))
    qpos[:, index_character(model, scenario.spec).qpos] = own
    qpos[:, index_objects(model, world.scene).qpos] = initial_object_state(world).qpos
    return qpos[:samples], packed_mjcf(mjspec)


def _simulated_qpos(engine: EngineModel, own: Trace, others: Sequence[Trace]) -> FloatArray:
    """Return all joint coordinates (T, Q) of the engine."""
    qpos = np.tile(engine.model.qpos0, (len(own.qpos), 1))
    qpos[:, engine.index.qpos], qpos[:, engine.objects.qpos] = own.qpos, own.object_qpos
    qpos[:, engine.soft.qpos] = own.soft_qpos
    for other, trace in zip(engine.others, others, strict=True):
        qpos[:, other.index.qpos], qpos[:, other.soft.qpos] = trace.qpos, trace.soft_qpos
    return qpos


def inputs_of(baked: BakedCharacter, engine: EngineFacts) -> tuple[dict[str, np.ndarray], str | None]:
    """Return the arrays of a result that repeat its simulation, and the engine's own model for them."""
    inputs = None if baked.outcome is None else baked.outcome.trace.inputs
    if inputs is None:
        return {}, None
    arrays = {
        "control": inputs.control,
        "gain": inputs.gain,
        "change_step": inputs.step,
        "change_field": inputs.field,
        "change_index": inputs.index,
        "change_value": inputs.value,
    }
    return arrays, engine.mjb
