"""What a simulation must start from: nothing inside of something else."""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import FloatArray
from ..errors import InputError
from ..scene.scene import Role
from .world import RESTING_DEPTH, World, starting_objects


def refuse_overlaps(world: World, qpos: FloatArray) -> None:
    """Props that start deeper in something than they would rest on it would be thrown out of it."""
    engine, data = world.engine, mujoco.MjData(world.engine.model)
    data.qpos[engine.index.qpos] = qpos
    data.qpos[engine.objects.qpos] = starting_objects(world).qpos
    mujoco.mj_kinematics(engine.model, data)
    mujoco.mj_comPos(engine.model, data)
    mujoco.mj_collision(engine.model, data)
    things = enumerate(world.scene.objects)
    waiting = engine.objects.geoms_of([i for i, o in things if o.role is Role.PROJECTILE])
    props = np.setdiff1d(engine.objects.geoms_of(engine.objects.props), waiting)
    for contact in data.contact:
        pair = contact.geom
        if contact.dist < -RESTING_DEPTH and np.isin(pair, props).any() and not np.isin(pair, waiting).any():
            first, second = sorted(pair.tolist(), key=lambda geom: geom not in props)
            raise InputError(
                f"{world.part_name(first)} starts {-100.0 * contact.dist:.1f} cm inside "
                f"{world.part_name(second)}; move them apart."
            )
