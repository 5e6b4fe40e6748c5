"""Where the mapped bones shall be at each whole frame."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..sim_core.base.conventions import FloatArray
from ..sim_core.base.errors import InputError
from ..sim_core.motion.motion import Motion
from ..sim_core.result.result import Result
from .motion_reader import SampledMotion

SAME_TIME_S = 1e-6


@dataclass(frozen=True, eq=False)
class BakedBones:
    """New world poses of M bones at the F whole frames of a SampledMotion.

    position_world (F, M, 3): bone heads [m]
    quaternion_world (F, M, 4)
    detached (M): bones that need location keys, because no mapped bone above them carries them
    """

    names: tuple[str, ...]
    position_world: FloatArray
    quaternion_world: FloatArray
    detached: NDArray[np.bool_]

    @staticmethod
    def of_motion(motion: Motion, mapped: Collection[str]) -> BakedBones:
        """The bones with some names of a motion whose samples are the whole frames."""
        skeleton = motion.skeleton
        column = [bone for bone, name in enumerate(skeleton.names) if name in mapped]
        carried = [any(skeleton.names[above] in mapped for above in skeleton.ancestors(b)) for b in column]
        return BakedBones(
            tuple(skeleton.names[bone] for bone in column),
            motion.position_world[:, column],
            motion.quaternion_world[:, column],
            ~np.array(carried, dtype=bool),
        )

    @staticmethod
    def from_result(result: Result, sampled: SampledMotion) -> BakedBones:
        """What the core computed, at the whole frames only."""
        if len(result.source_time) != len(sampled.motion.time) or not np.allclose(
            result.source_time, sampled.motion.time, rtol=0.0, atol=SAME_TIME_S
        ):
            raise InputError("The result belongs to another motion; simulate again.")
        whole = sampled.frame_sample
        return BakedBones(
            tuple(str(name) for name in result.bone_name),
            result.bone_position[whole],
            result.bone_quaternion_world[whole],
            result.bone_detached,
        )
