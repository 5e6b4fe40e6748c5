"""Where the mapped bones should be at each whole frame, and whether the evaluated rig puts them there."""

from __future__ import annotations

from collections.abc import Collection, Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.motion.motion import Motion
from ...sim_core.result.result import Result
from ..blender.blender_types import ArmatureObject, RigContext
from ..reading.motion_reader import SampledMotion, sample_world_poses

SAME_TIME_S = 1e-6


@dataclass(frozen=True, eq=False)
class BakedBones:
    """New world poses of M bones at the F whole frames of a SampledMotion.

    position_world (F, M, 3): bone heads [m]
    quaternion_world (F, M, 4)
    detached (M): bones that need location keys, because no mapped bone is above them
    """

    names: tuple[str, ...]
    position_world: FloatArray
    quaternion_world: FloatArray
    detached: NDArray[np.bool_]

    @staticmethod
    def of_motion(motion: Motion, mapped: Collection[str]) -> BakedBones:
        """Return the named bones of a motion whose samples are the whole frames."""
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
        """Return the core's result at the whole frames; bones that keep their animation are left out."""
        if len(result.source_time) != len(sampled.motion.time) or not np.allclose(
            result.source_time, sampled.motion.time, rtol=0.0, atol=SAME_TIME_S
        ):
            raise InputError("The result belongs to another motion; simulate again.")
        whole, names = sampled.frame_sample, [str(name) for name in result.bone_name]
        chosen = list(range(len(names)))
        if result.meta.settings.get("only") == "soft":
            chosen = [names.index(bone) for part in result.meta.soft for bone in part.bones]
        return BakedBones(
            tuple(names[k] for k in chosen),
            result.bone_position[whole][:, chosen],
            result.bone_quaternion_world[whole][:, chosen],
            result.bone_detached[chosen],
        )


MAX_FRAMES = 12
"""Frames to check: enough to notice a constraint, few enough to be fast."""

MAX_ANGLE_RAD = np.radians(1.0)
MAX_DISTANCE_M = 0.01


def finding_bones_off_target(
    context: RigContext, obj: ArmatureObject, sampled: SampledMotion, baked: BakedBones
) -> Generator[float, None, list[str]]:
    """Return the names of baked bones that the evaluated rig does not put where the keys say.

    Yields the share done after each checked frame.
    """
    picks = np.unique(np.linspace(0, len(sampled.frame) - 1, MAX_FRAMES).astype(int))
    position, quaternion = yield from sample_world_poses(context, obj, sampled.frame[picks], sampled.skeleton)
    bones = [sampled.skeleton.index[name] for name in baked.names]
    angle = rotations.angle_between(quaternion[:, bones], baked.quaternion_world[picks])
    distance = np.linalg.norm(position[:, bones] - baked.position_world[picks], axis=-1)
    off = (_worst(angle) > MAX_ANGLE_RAD) | (baked.detached & (_worst(distance) > MAX_DISTANCE_M))
    return [name for name, is_off in zip(baked.names, off, strict=True) if is_off]


def held_bones_note(bones: list[str]) -> tuple[str, ...]:
    """Return a note about bones that are off target, if there are any."""
    if not bones:
        return ()
    shown = ", ".join(f"'{name}'" for name in bones[:4])
    listed = shown if len(bones) <= 4 else f"{shown} and {len(bones) - 4} more bones"
    return (
        f"Constraints, drivers or NLA tracks keep {listed} from following the baked keys; "
        "mute them to see the result.",
    )


def _worst(values: FloatArray) -> FloatArray:
    return np.asarray(values.max(axis=0))
