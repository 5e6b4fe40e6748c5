"""The simulated body and its scene inside a result, so that MuJoCo can show it without Heft."""

from __future__ import annotations

import base64
import zlib

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..scenario.scenario import Scenario
from ..world.character_model import index_character
from ..world.scene_model import index_objects
from ..world.world import World, WorldCharacter, initial_object_state, make_world_mjspec
from .baked import BakedCharacter


def model_of(baked: BakedCharacter) -> tuple[FloatArray, str | None]:
    """Return joint coordinates (T, Q) of the character and its scene in a model of their own, and that model.

    The model is MJCF, packed by zlib and written as base64 because most of it repeats. There is none where
    the motion was not changed.
    """
    scenario, world, prepared = baked.scenario, baked.world, baked.prepared
    if prepared is None:
        return np.zeros((0, 0)), None
    mjspec, model = own_mjspec(scenario, world)
    packed = base64.b64encode(zlib.compress(mjspec.to_xml().encode("utf-8"), 9)).decode("ascii")
    outcome = baked.outcome
    own = prepared.reference.qpos if outcome is None else outcome.trace.qpos
    qpos = np.tile(model.qpos0, (len(own), 1))
    qpos[:, index_character(model, scenario.spec).qpos] = own
    qpos[:, index_objects(model, world.scene).qpos] = (
        initial_object_state(world).qpos if outcome is None else outcome.trace.object_qpos
    )
    return qpos[: len(baked.source.time)], packed


def own_mjspec(scenario: Scenario, world: World) -> tuple[mujoco.MjSpec, mujoco.MjModel]:
    """Return the compiled description of the character and its scene, without other characters."""
    engine = world.engine
    if engine.mjspec is not None and not engine.others:
        engine.mjspec.option.timestep = world.timestep
        return engine.mjspec, engine.model
    character = WorldCharacter(scenario.spec, scenario.ground_height, scenario.name, scenario.excluded_pairs)
    mjspec = make_world_mjspec(character, world.timestep, world.scene)
    return mjspec, mjspec.compile()


def model_text(packed: str | None) -> str:
    """Return the MJCF of a result's packed model."""
    if packed is None:
        raise InputError("The result holds no model: simulate it again, or give the motion it was made from.")
    try:
        return zlib.decompress(base64.b64decode(packed, validate=True)).decode("utf-8")
    except (ValueError, zlib.error) as problem:
        raise InputError(f"The result's model is broken ({problem}); simulate it again.") from problem
