"""A scenario with soft parts: their links, their animation, and which of them may touch the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mujoco
import numpy as np

from ..character.posing import pose_from_motion
from ..character.soft_body import make_soft_body
from ..character.soft_motion import SoftMotion, soft_motion
from ..character.soft_parts import SoftPart
from ..motion.motion import CONTROL_DT, on_control_grid
from ..world.character_collision import SegmentPair
from ..world.soft_model import WorldSoft
from ..world.world import WorldCharacter, build_worlds
from .scenario import Scenario

STEP_TICKS = 10
"""Control ticks between the samples of the motion in which links are looked for inside the body."""


def with_soft_parts(scenario: Scenario, parts: Sequence[SoftPart]) -> Scenario:
    """Return the scenario with soft parts, whose mass is taken from the segments that carry them."""
    if not parts:
        return scenario
    body = make_soft_body(scenario.spec, scenario.binding, parts)
    source = on_control_grid(scenario.motion)
    motion = soft_motion(body, scenario.binding, source, CONTROL_DT)
    soft = WorldSoft(body, motion)
    qpos = pose_from_motion(body.whole, scenario.binding, source)
    soft = replace(soft, excluded_pairs=_inside(soft, qpos[::STEP_TICKS], motion))
    return replace(scenario, spec=body.whole, soft=soft)


def _inside(soft: WorldSoft, poses: np.ndarray, motion: SoftMotion) -> tuple[SegmentPair, ...]:
    """Return the links that lie inside a segment anywhere in the motion, with that segment.

    The shapes of a body are simpler than the body: without this, hair that starts inside the skull's capsule
    would be thrown out.
    """
    (world,) = build_worlds((WorldCharacter(soft.body.whole, soft=soft),), CONTROL_DT)
    model, index, links = world.engine.model, world.engine.index, world.engine.soft
    name = {int(body): link.name for body, link in zip(links.body, soft.body.links, strict=True)}
    name |= {int(body): own for body, own in zip(index.body, soft.body.whole.names, strict=True)}
    data, found = mujoco.MjData(model), set[SegmentPair]()
    for qpos, rotation in zip(poses, motion.rotation[::STEP_TICKS], strict=True):
        data.qpos[index.qpos], data.qpos[links.qpos] = qpos, rotation
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        for pair in model.geom_bodyid[data.contact.geom[data.contact.dist < 0.0]]:
            link = [int(own) for own in pair if own in links.body]
            segment = [int(own) for own in pair if own in index.body]
            if link and segment:
                found.add((name[link[0]], name[segment[0]]))
    return tuple(sorted(found))
