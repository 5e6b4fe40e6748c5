"""Predicted states of scene objects under a motion: keyed objects move, and hinged boards tilt."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import GRAVITY, FloatArray
from ..dynamics.centroidal import measure_supports
from ..world.ground import ObjectState, SceneGround
from ..world.start_state import initial_object_state
from ..world.world import World
from .footsteps import FootstepPlacement, SourceStep

PASSES = 3
"""Number of passes in which footsteps and the tilts of boards, which depend on each other, are found."""


def predict_objects(
    world: World, qpos: FloatArray, source_steps: list[SourceStep], dt: float
) -> list[ObjectState]:
    """Return the states of all objects at each sample of a motion."""
    time = np.arange(len(qpos)) * dt
    played, start = world.playback.at(time), initial_object_state(world)
    first = played.qpos.shape[1]
    hinges = start.qpos[first : first + len(world.engine.objects.hinged)]
    angles: FloatArray = np.tile(hinges, (len(time), 1))
    rates: FloatArray = np.zeros_like(angles)
    states = _states(played.qpos, played.qvel, angles, rates)
    ground = world.ground
    if len(hinges) == 0 or not isinstance(ground, SceneGround):
        return states
    com = measure_supports(world, qpos, np.zeros(0, dtype=np.int64)).com
    for _ in range(PASSES):
        placement = FootstepPlacement(ground, states, source_steps, world.ground_height, dt)
        angles, rates = _tilt(world, ground, placement, com, dt)
        states = _states(played.qpos, played.qvel, angles, rates)
    return states


def _states(qpos: FloatArray, qvel: FloatArray, angles: FloatArray, rates: FloatArray) -> list[ObjectState]:
    positions, velocities = np.hstack([qpos, angles]), np.hstack([qvel, rates])
    return [ObjectState(*state) for state in zip(positions, velocities, strict=True)]


def _tilt(
    world: World, ground: SceneGround, placement: FootstepPlacement, com: FloatArray, dt: float
) -> tuple[FloatArray, FloatArray]:
    """Simulate the hinges under the weight of the footsteps; return their angles and rates (T, H)."""
    model, data, objects = ground.model, mujoco.MjData(ground.model), placement.objects
    index, count = ground.index, len(ground.index.hinged)
    at, dof = index.qpos[-count:], index.dof[-count:]
    weight = GRAVITY * world.spec.mass
    model.opt.timestep = dt / max(round(dt / 0.001), 1)
    data.qpos[index.qpos] = objects[0].qpos
    angles, rates = np.zeros((len(objects), count)), np.zeros((len(objects), count))
    for t in range(len(objects)):
        angles[t], rates[t] = data.qpos[at], data.qvel[dof]
        data.qfrc_applied[:] = 0.0
        mujoco.mj_fwdPosition(model, data)
        for share, point, object_index in _loads(placement, com[t], t):
            if object_index >= 0 and index.body[object_index] != 0:
                force, body = np.array([0.0, 0.0, -share * weight]), int(index.body[object_index])
                mujoco.mj_applyFT(model, data, force, np.zeros(3), point, body, data.qfrc_applied)
        for _ in range(round(dt / model.opt.timestep)):
            data.qpos[index.moving_qpos] = objects[t].qpos[: len(index.moving_qpos)]
            data.qvel[index.moving_dof] = objects[t].qvel[: len(index.moving_dof)]
            mujoco.mj_step(model, data)
    return angles, rates


def _loads(placement: FootstepPlacement, com: FloatArray, t: int) -> list[tuple[float, FloatArray, int]]:
    """Return weight share, position and object of each standing foot, as if the body stood still."""
    standing = [step for step in placement.steps if step.source.start <= t < step.source.end]
    if len(standing) < 2:
        return [(1.0, step.position, step.object) for step in standing]
    first, second = (step.source.centre[:2] for step in standing[:2])
    between = second - first
    share = float(np.clip((com[:2] - first) @ between / max(float(between @ between), 1e-6), 0.0, 1.0))
    return [
        (1.0 - share, standing[0].position, standing[0].object),
        (share, standing[1].position, standing[1].object),
    ]
