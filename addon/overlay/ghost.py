"""The source as a stick figure of the mapped bones."""

from __future__ import annotations

import numpy as np

from ...sim_core.drawing.overlay_series import Ghost
from ...sim_core.motion.skeleton import NO_PARENT
from ..blender_types import ArmatureObject
from ..motion_reader import SampledMotion


def ghost_of(obj: ArmatureObject, sampled: SampledMotion, bones: tuple[str, ...]) -> Ghost:
    """Sticks from bone to bone at the whole frames [Blender units]; the last ones end at their tails."""
    skeleton = sampled.skeleton
    column = [skeleton.index[name] for name in bones]
    place = {bone: number for number, bone in enumerate(column)}
    parent = np.array(
        [
            next((place[above] for above in skeleton.ancestors(bone) if above in place), NO_PARENT)
            for bone in column
        ]
    )
    leaf = np.array([number for number in range(len(column)) if number not in parent], dtype=np.int64)
    matrix = sampled.object_matrix[:, None] @ sampled.pose_matrix[:, column]
    length = np.array([obj.data.bones[bones[number]].length for number in leaf])
    ends = matrix[:, leaf]
    tail = ends[..., :3, 3] + ends[..., :3, 1] * length[:, None]
    return Ghost(parent, matrix[..., :3, 3], leaf, tail)
