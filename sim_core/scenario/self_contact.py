"""Which parts of a body may touch each other in a simulation, and which pass through each other.

The shapes of a body are simpler than it is. Where two of them are in each other by themselves, about a joint,
at rest or in the motion that is to be followed, a contact would push the body away from its motion.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..character.part_names import part_words
from ..character.posing import pose_from_motion
from ..character.spec import CharacterSpec
from ..motion.motion import Motion
from ..world.character_collision import SegmentPair
from ..world.world import WorldCharacter, build_worlds
from .scenario import Scenario

CLEARANCE = 0.04
"""Parts that come this close in the source may touch in the motion that is made of it [m]."""
STEP_S = 0.02
"""Between the samples at which the motion is looked at [s]."""
TOLD = 4
"""Pairs in the sentence for the user."""


def with_self_contact(scenario: Scenario) -> Scenario:
    """The take with the pairs of parts that pass through each other, and a note where the motion is why."""
    spec, seconds = scenario.spec, np.arange(0.0, scenario.repaired.duration, STEP_S)
    poses = pose_from_motion(
        spec, scenario.binding, scenario.repaired.at(scenario.repaired.time[0] + seconds)
    )
    always = _near_joints(spec) | _closer(spec, _rest_pose(scenario), 0.0)
    moving = _closer(spec, poses, CLEARANCE) - always
    excluded = tuple(sorted(always | moving))
    return replace(scenario.with_notes(*_notes(moving)), excluded_pairs=excluded)


def _near_joints(spec: CharacterSpec) -> set[SegmentPair]:
    """Parts with one joint or two between them."""
    pairs = set()
    for segment in spec:
        above = segment.parent
        for _ in range(2):
            if above is not None:
                pairs.add(_pair(segment.name, above))
                above = spec[above].parent
    return pairs


def _rest_pose(scenario: Scenario) -> FloatArray:
    rig = scenario.binding.skeleton
    positions, quaternions = (
        np.tile(a, (2, 1, 1)) for a in (rig.rest_position_world, rig.rest_quaternion_world)
    )
    resting = Motion(rig, np.array([0.0, 1.0]), positions, quaternions)
    return pose_from_motion(scenario.spec, scenario.binding, resting)[:1]


def _closer(spec: CharacterSpec, poses: FloatArray, distance: float) -> set[SegmentPair]:
    """Pairs of parts that are closer to each other than a distance [m] in any of the poses (N, nq)."""
    engine = build_worlds((WorldCharacter(spec, excluded_pairs=()),), 0.001)[0].engine
    model, data, names = engine.model, mujoco.MjData(engine.model), spec.names
    model.geom_margin[:] = model.body_margin[:] = distance
    part = {int(body): name for body, name in zip(engine.index.body, names, strict=True)}
    found = set()
    for qpos in poses:
        data.qpos[engine.index.qpos] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        touching = data.contact.geom[data.contact.dist < distance]
        found |= {(int(a), int(b)) for a, b in model.geom_bodyid[touching]}
    return {_pair(part[a], part[b]) for a, b in found if a in part and b in part}


def _pair(first: str, second: str) -> SegmentPair:
    return (first, second) if first < second else (second, first)


def _notes(pairs: set[SegmentPair]) -> tuple[str, ...]:
    if not pairs:
        return ()
    said = [f"{part_words(first)} and {part_words(second)}" for first, second in sorted(pairs)[:TOLD]]
    more = f" and {len(pairs) - TOLD} more" if len(pairs) > TOLD else ""
    what = "Parts that touch or nearly touch in the motion itself pass through each other"
    return (f"{what}: {', '.join(said)}{more}.",)
