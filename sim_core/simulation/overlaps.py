"""What a simulation must start from: nothing inside of something else."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..character.part_names import part_words
from ..scene.scene import Role
from ..world.world import RESTING_DEPTH, World, initial_object_state

EMBRACE = 0.05
"""Bodies that start deeper in each other, or in what moves by itself, would be thrown apart [m]."""


def refuse_overlaps(worlds: Sequence[World], qpos: Sequence[FloatArray]) -> None:
    """Props that start deeper in something than they would rest on it would be thrown out of it.

    worlds: of one engine; qpos: where each character starts
    """
    first = worlds[0]
    engine, data = first.engine, mujoco.MjData(first.engine.model)
    for world, own in zip(worlds, qpos, strict=True):
        data.qpos[world.engine.index.qpos] = own
    data.qpos[engine.objects.qpos] = initial_object_state(first).qpos
    mujoco.mj_kinematics(engine.model, data)
    mujoco.mj_comPos(engine.model, data)
    mujoco.mj_collision(engine.model, data)
    things = enumerate(first.scene.objects)
    waiting = engine.objects.geoms_of([i for i, o in things if o.role is Role.PROJECTILE])
    props = np.setdiff1d(engine.objects.geoms_of(engine.objects.props), waiting)
    moving = engine.objects.geoms_of(engine.objects.moving)
    for contact in data.contact:
        pair = contact.geom
        deep_prop = contact.dist < -RESTING_DEPTH and np.isin(pair, props).any()
        struck = contact.dist < -EMBRACE and np.isin(pair, moving).any()
        if (deep_prop or struck) and not np.isin(pair, waiting).any():
            one, another = sorted(pair.tolist(), key=lambda geom: geom not in props and geom not in moving)
            raise InputError(
                f"{first.describe_geom(one)} starts {-100.0 * contact.dist:.1f} cm inside "
                f"{first.describe_geom(another)}; move them apart."
            )
        if contact.dist < -EMBRACE:
            _refuse_embrace(worlds, pair, -contact.dist)


def _refuse_embrace(worlds: Sequence[World], pair: IntArray, depth: float) -> None:
    """Two characters, if the geoms are theirs, that start in each other."""
    bodies = worlds[0].engine.model.geom_bodyid[pair]
    owners = [world for body in bodies for world in worlds if body in world.engine.index.body]
    if len(owners) < 2 or owners[0] is owners[1]:
        return
    said = [
        f"{part_words(world.spec.names[world.engine.index.segment_of(body)])} of '{world.name}'"
        for world, body in zip(owners, bodies, strict=True)
    ]
    raise InputError(
        f"The {said[0]} starts {100.0 * depth:.1f} cm inside the {said[1]}; "
        "move them apart, or start at a frame where they are."
    )
