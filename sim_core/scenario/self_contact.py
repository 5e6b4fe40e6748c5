"""Which segments of a body may collide with each other in a simulation.

The shapes of a body are simpler than the body. Where two of them overlap near a joint, at rest or in the
motion to be followed, a contact would push the body away from its motion, so these pairs are excluded.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..character.posing import pose_from_motion
from ..character.spec import CharacterSpec
from ..motion.motion import Motion
from ..recognition.mapping import part_label
from ..world.character_collision import SegmentPair
from ..world.world import CompiledBody
from .scenario import Scenario

CLEARANCE = 0.04
"""Segments that come this close in the source may touch in the motion that is made of it [m]."""
STEP_S = 0.02
"""Time between the samples of the motion that are examined [s]."""
NAMED_PAIRS = 4
"""Number of pairs that are named in the sentence for the user."""


def with_self_contact(scenario: Scenario) -> Scenario:
    """Return the scenario with the pairs of segments that do not collide, noting those of the motion."""
    assert scenario.body is not None
    seconds = np.arange(0.0, scenario.repaired.duration, STEP_S)
    sampled = scenario.repaired.at(scenario.repaired.time[0] + seconds)
    poses = pose_from_motion(scenario.spec, scenario.binding, sampled)
    always = _near_joints(scenario.spec) | _closer(scenario.body, scenario.spec, _rest_pose(scenario), 0.0)
    moving = _closer(scenario.body, scenario.spec, poses, CLEARANCE) - always
    excluded = tuple(sorted(always | moving))
    return replace(scenario.with_notes(*_notes(moving)), excluded_pairs=excluded)


def _near_joints(spec: CharacterSpec) -> set[SegmentPair]:
    """Return the pairs of segments with one or two joints between them."""
    pairs = set()
    for segment in spec:
        ancestor = segment.parent
        for _ in range(2):
            if ancestor is not None:
                pairs.add(_pair(segment.name, ancestor))
                ancestor = spec[ancestor].parent
    return pairs


def _rest_pose(scenario: Scenario) -> FloatArray:
    """Return the rig's rest pose (1, nq)."""
    rig = scenario.binding.skeleton
    positions, quaternions = (
        np.tile(a, (2, 1, 1)) for a in (rig.rest_position_world, rig.rest_quaternion_world)
    )
    resting = Motion(rig, np.array([0.0, 1.0]), positions, quaternions)
    return pose_from_motion(scenario.spec, scenario.binding, resting)[:1]


def _closer(body: CompiledBody, spec: CharacterSpec, poses: FloatArray, distance: float) -> set[SegmentPair]:
    """Return the pairs of segments that are closer than a distance [m] in any of the poses (N, nq)."""
    model = _colliding_with_itself(body.model, spec, distance)
    data = mujoco.MjData(model)
    segment = {int(own): name for own, name in zip(body.index.body, spec.names, strict=True)}
    found = set()
    for qpos in poses:
        data.qpos[body.index.qpos] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        touching = data.contact.geom[data.contact.dist < distance]
        found |= {(int(a), int(b)) for a, b in model.geom_bodyid[touching]}
    return {_pair(segment[a], segment[b]) for a, b in found}


def _colliding_with_itself(model: mujoco.MjModel, spec: CharacterSpec, distance: float) -> mujoco.MjModel:
    """Return a copy of a body's model whose shapes collide with each other and with nothing else."""
    copied = copy.copy(model)
    shapes = [model.geom(f"{own.name}/{i}").id for own in spec for i in range(len(own.shapes))]
    for masks in (copied.geom_contype, copied.geom_conaffinity, copied.body_contype, copied.body_conaffinity):
        masks[:] = 0
    copied.geom_contype[shapes] = copied.geom_conaffinity[shapes] = 1
    bodies = model.geom_bodyid[shapes]
    copied.body_contype[bodies] = copied.body_conaffinity[bodies] = 1
    copied.geom_margin[:] = copied.body_margin[:] = distance
    copied.geom_gap[:] = 0.0
    return copied


def _pair(first: str, second: str) -> SegmentPair:
    return (first, second) if first < second else (second, first)


def _notes(pairs: set[SegmentPair]) -> tuple[str, ...]:
    if not pairs:
        return ()
    named = [f"{part_label(first)} and {part_label(second)}" for first, second in sorted(pairs)[:NAMED_PAIRS]]
    more = f" and {len(pairs) - NAMED_PAIRS} more" if len(pairs) > NAMED_PAIRS else ""
    what = "Parts that touch or nearly touch in the motion itself pass through each other"
    return (f"{what}: {', '.join(named)}{more}.",)
