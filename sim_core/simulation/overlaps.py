"""Checks that no body starts a simulation inside another one, from which it would be thrown out."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..recognition.mapping import part_label
from ..scene.scene import Role
from ..world.start_state import RESTING_DEPTH, initial_object_state
from ..world.world import FLOOR_NAME, World

DEEP_OVERLAP = 0.09
"""Characters that start deeper than this in each other or in a moving object are refused [m].

Captured people who touch overlap on paper by up to the breadth of a palm: bodies are rounder than shapes, and
the reference, from which they start, is moved by centimetres so that each of them can stand.
"""


def refuse_overlaps(worlds: Sequence[World], qpos: Sequence[FloatArray]) -> None:
    """Raise InputError if a prop, a moving object or a character starts too deep in something else.

    A prop may start no deeper in another body than it would rest on it.
    worlds: of one engine; qpos: the initial pose (nq) of each character
    """
    first = worlds[0]
    engine, data = first.engine, mujoco.MjData(first.engine.model)
    for world, own in zip(worlds, qpos, strict=True):
        data.qpos[world.engine.index.qpos] = own
    data.qpos[engine.objects.qpos] = initial_object_state(first).qpos
    mujoco.mj_kinematics(engine.model, data)
    mujoco.mj_comPos(engine.model, data)
    mujoco.mj_collision(engine.model, data)
    projectiles = [i for i, o in enumerate(first.scene.objects) if o.role is Role.PROJECTILE]
    waiting = engine.objects.geoms_of(projectiles)
    props = np.setdiff1d(engine.objects.geoms_of(engine.objects.props), waiting)
    moving = engine.objects.geoms_of(engine.objects.moving)
    for contact in data.contact:
        pair = contact.geom
        deep_prop = contact.dist < -RESTING_DEPTH and np.isin(pair, props).any()
        struck = contact.dist < -DEEP_OVERLAP and np.isin(pair, moving).any()
        if (deep_prop or struck) and not np.isin(pair, waiting).any():
            one, another = sorted(pair.tolist(), key=lambda geom: geom not in props and geom not in moving)
            on_floor = engine.model.geom(another).name == FLOOR_NAME
            remedy = "move them apart, or give the floor's height" if on_floor else "move them apart"
            raise InputError(
                f"{first.describe_geom(one)} starts {-100.0 * contact.dist:.1f} cm inside "
                f"{first.describe_geom(another)}; {remedy}."
            )
        if contact.dist < -DEEP_OVERLAP:
            _refuse_character_overlap(worlds, pair, -contact.dist)


def _refuse_character_overlap(worlds: Sequence[World], pair: IntArray, depth: float) -> None:
    """Raise InputError if the two geoms belong to different characters."""
    bodies = worlds[0].engine.model.geom_bodyid[pair]
    owners = [world for body in bodies for world in worlds if body in world.engine.index.body]
    if len(owners) < 2 or owners[0] is owners[1]:
        return
    parts = [
        f"{part_label(world.spec.names[world.engine.index.segment_of(body)])} of '{world.name}'"
        for world, body in zip(owners, bodies, strict=True)
    ]
    raise InputError(
        f"The {parts[0]} starts {100.0 * depth:.1f} cm inside the {parts[1]}; "
        "move them apart, or start at a frame where they are."
    )
