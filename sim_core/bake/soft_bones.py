"""The bones of soft parts in a result, and what it records of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray
from ..character.soft_motion import joint_rotations, link_rotations
from ..motion.motion import Motion
from ..result.soft_records import SoftRecord
from ..world.soft_model import WorldSoft
from .attempt import Outcome
from .baked import BakedCharacter
from .poses import Poses, at_source_times, segments_at_source_times


@dataclass(frozen=True, eq=False)
class ResultBones:
    """The bones that a result holds; position (F, M, 3) and quaternion (F, M, 4) in the world.

    detached (M): whether a bone needs location keys
    """

    names: tuple[str, ...]
    position: FloatArray
    quaternion: FloatArray
    detached: BoolArray


def with_soft_bones(baked: BakedCharacter, poses_new: Poses, mapped: Poses) -> ResultBones:
    """Return the mapped bones, and after them those of soft parts where something was simulated."""
    binding, soft, outcome = baked.scenario.binding, baked.scenario.soft, baked.outcome
    names, bones = binding.skeleton.names, binding.bone
    if soft is not None and outcome is not None:
        bones = np.concatenate([bones, soft.body.bones])
        head, turn = _soft_bones(baked, soft, outcome, poses_new)
        mapped = np.concatenate([mapped[0], head], axis=1), np.concatenate([mapped[1], turn], axis=1)
    detached = np.zeros(len(bones), dtype=bool)
    detached[: len(binding.bone)] = binding.detached
    return ResultBones(tuple(names[bone] for bone in bones), mapped[0], mapped[1], detached)


def _soft_bones(baked: BakedCharacter, soft: WorldSoft, outcome: Outcome, poses_new: Poses) -> Poses:
    """Return the bones of soft parts (F, n) at the source's own sample times.

    They keep their lengths: heads follow from the bones above as in the source.
    """
    motion = baked.scenario.motion
    own, new = segments_at_source_times(baked, poses_new)
    grid = baked.source.time
    animated = joint_rotations(soft.body, baked.scenario.binding, motion)
    simulated = rotations.normalise(at_source_times(grid, outcome.trace.soft_qpos, motion.time))
    share = np.interp(motion.time, grid, outcome.trace.simulated)
    rotation = rotations.slerp(animated, simulated, share[:, None])
    quaternion = link_rotations(soft.body, rotation, new[1])
    return _heads(soft, motion, own, new, quaternion), quaternion


def _heads(soft: WorldSoft, motion: Motion, own: Poses, new: Poses, quaternion: FloatArray) -> FloatArray:
    """Return the heads of the bones (F, n, 3) where what they hang on has moved; own, new: segments."""
    source_turn = motion.quaternion_world[:, soft.body.bones]
    source_head = motion.position_world[:, soft.body.bones]
    heads = np.empty_like(source_head)
    for i, link in enumerate(soft.body.links):
        if link.parent < 0:
            before, after = ((poses[0][:, link.segment], poses[1][:, link.segment]) for poses in (own, new))
        else:
            above = link.parent
            before = source_head[:, above], source_turn[:, above]
            after = heads[:, above], quaternion[:, above]
        offset = rotations.rotate(rotations.conjugate(before[1]), source_head[:, i] - before[0])
        heads[:, i] = after[0] + rotations.rotate(after[1], offset)
    return heads


def soft_records(baked: BakedCharacter) -> tuple[SoftRecord, ...]:
    """Return what was simulated as soft parts; nothing without a simulation."""
    soft, outcome = baked.scenario.soft, baked.outcome
    if soft is None or outcome is None:
        return ()
    number = {link.name: i for i, link in enumerate(soft.body.links)}
    animated = soft.motion.rotation[: len(outcome.trace.soft_qpos)]
    apart = np.degrees(rotations.angle_between(animated, outcome.trace.soft_qpos))
    records = []
    for part in soft.body.parts:
        links = [number[bone] for bone in part.bones]
        mass = sum(soft.body.links[i].mass for i in links)
        largest = float(apart[:, links].max())
        records.append(
            SoftRecord(part.bones, part.role, part.stiffness, part.damping, part.collides, mass, largest)
        )
    return tuple(records)
