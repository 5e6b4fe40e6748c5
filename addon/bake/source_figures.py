"""How far a result is from the keys on which Simulate was pressed, for the panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...sim_core.motion.skeleton import NO_PARENT, Skeleton
from ...sim_core.recognition.mapping import BoneMapping, joint_label, part_label
from ...sim_core.result.source_distance import distance_from_source
from ..reading.motion_reader import SampledMotion
from ..writing.baked_bones import BakedBones


@dataclass(frozen=True)
class SourceFigures:
    """Mean and worst difference of the simulated bones from the source, over all whole frames.

    mean_deg, worst_deg: of bones against the simulated bones above them [deg]
    mean_cm, worst_cm: of the heads of bones in the world, at the physical size [cm]
    angle_joint, place_part: in words, where the worst ones are
    """

    mean_deg: float
    worst_deg: float
    angle_joint: str
    angle_frame: int
    mean_cm: float
    worst_cm: float
    place_part: str
    place_frame: int


def source_figures(
    baked: BakedBones, sampled: SampledMotion, mapping: BoneMapping, scale: float
) -> SourceFigures:
    """Compare the baked bones with the source at the whole frames.

    scale: physical size over the armature's own; 2 cm of a person are 35 cm of an armature of 30 m
    """
    bones = [sampled.skeleton.index[name] for name in baked.names]
    whole, motion = sampled.frame_sample, sampled.motion
    parent = _simulated_parents(sampled.skeleton, bones)
    found = distance_from_source(
        baked.position_world,
        baked.quaternion_world,
        motion.position_world[whole][:, bones],
        motion.quaternion_world[whole][:, bones],
        parent,
    )
    slots = {bone: slot for slot in mapping for bone in mapping.bones[slot]}
    names = [slots.get(name, name) for name in baked.names]
    (angle_frame, angle), (place_frame, place) = found.worst_angle, found.worst_place
    return SourceFigures(
        found.mean_deg,
        found.worst_deg,
        part_label(names[angle]) if parent[angle] == NO_PARENT else joint_label(names[angle]),
        int(sampled.frame[angle_frame]),
        100.0 * scale * found.mean_m,
        100.0 * scale * found.worst_m,
        part_label(names[place]),
        int(sampled.frame[place_frame]),
    )


def _simulated_parents(skeleton: Skeleton, bones: list[int]) -> np.ndarray:
    """Return for each bone the row of the next simulated bone above it, or NO_PARENT."""
    row = {bone: number for number, bone in enumerate(bones)}
    above = [[row[b] for b in skeleton.ancestors(bone) if b in row] for bone in bones]
    return np.array([rows[0] if rows else NO_PARENT for rows in above], dtype=np.int64)
