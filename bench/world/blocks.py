"""Marches through stacked blocks."""

from __future__ import annotations

import time as clock
from dataclasses import replace

import numpy as np

from sim_core.bake.attempt import Attempt, judge
from sim_core.bake.make_controller import make_controller
from sim_core.bake.make_reference import make_reference
from sim_core.bake.methods import USUAL
from sim_core.bake.setup import CharacterSetup, make_worlds
from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import CONTROL_DT
from sim_core.result.records import Hit
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from sim_core.simulation.simulation import Simulation
from sim_core.simulation.trace import Trace
from sim_core.world.world import World

from ..common.grounds import WalkingPath, walking_path
from ..common.motions import motion_of
from ..common.tables import Row

EDGE, BLOCK_KG = 0.2, 0.5
ROW = 5
"""Largest number of blocks side by side in a wall."""
LAYERS = 4
GAP = 0.002
MOVED_M = 0.3
"""A block that ends this far from where it stood was kicked away [m]."""
SETTINGS = BakeSettings(assist_cap=0.0, find_assist=False)


def march(clip: str, count: int) -> Row:
    """Simulate one attempt, and return its figures; times are processor time."""
    motion, mapping = motion_of(clip)
    scenario = make_scenario(Job(motion, mapping, SETTINGS))
    scenario = replace(scenario, scene=walls(walking_path(motion, mapping, scenario.ground_height), count))
    (world,) = make_worlds((scenario,), (SETTINGS.quality,))
    setup, attempt = CharacterSetup(scenario, SETTINGS, world), Attempt(USUAL)
    prepared = make_reference(setup, attempt)
    controlled = make_controller(setup, world, prepared, USUAL, 0.0)
    started = clock.process_time()
    ticks = len(prepared.reference) - 1
    (trace,) = Simulation((world,), CONTROL_DT, (1,)).run((controlled.start,), ticks, lambda _: True)
    spent = clock.process_time() - started
    moved = np.linalg.norm(_prop_positions(world, trace)[-1] - _prop_positions(world, trace)[0], axis=-1)
    hits: tuple[Hit, ...] = controlled.tracker.reactions.hits
    outcome = judge(setup, attempt, prepared, trace, hits)
    return {
        "clip": clip,
        "blocks": count,
        "up_s": ticks * CONTROL_DT if outcome.fell_s is None else outcome.fell_s,
        "seconds": ticks * CONTROL_DT,
        "full": outcome.fell_s is None,
        "error_deg": outcome.joint_error_deg,
        "root_m": _root_error(scenario, prepared.reference.qpos, trace.qpos),
        "touched": len({hit.by for hit in hits}),
        "kicked": int((moved > MOVED_M).sum()),
        "furthest_m": float(moved.max()),
        "rtf": ticks * CONTROL_DT / spent,
    }


def walls(path: WalkingPath, count: int) -> Scene:
    """Return walls across the path, one behind the other from its middle on, each filled from below."""
    per_wall = ROW * LAYERS
    blocks = []
    for k in range(count):
        wall, position = divmod(k, per_wall)
        wide = min(ROW, int(np.ceil(np.sqrt(count))))
        layer, column = divmod(position, wide)
        side = (column - 0.5 * (wide - 1)) * (EDGE + GAP)
        blocks.append((0.5 * path.length + 0.8 * wall, side, (layer + 0.5) * EDGE))
    return Scene(
        tuple(
            SceneObject(
                f"block {k + 1}",
                Role.PROP,
                Box(np.full(3, 0.5 * EDGE)),
                path.at(ahead, above, side),
                path.turn,
                mass=BLOCK_KG,
            )
            for k, (ahead, side, above) in enumerate(blocks)
        )
    )


def _prop_positions(world: World, trace: Trace) -> FloatArray:
    """Return the positions of all props (T, P, 3), which come last among the objects."""
    count = len(world.engine.objects.props)
    return trace.object_qpos[:, -7 * count :].reshape(len(trace.time), count, 7)[..., :3]


def _root_error(scenario: Scenario, planned: FloatArray, qpos: FloatArray) -> float:
    return float(np.linalg.norm(qpos[:, :3] - planned[: len(qpos), :3], axis=1).mean())
