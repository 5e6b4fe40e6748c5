"""Whether a bake arrives: constraints, drivers and NLA tracks can hold bones away from their keys."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ..sim_core.base import rotations
from ..sim_core.base.conventions import FloatArray
from .baked_bones import BakedBones
from .blender_types import ArmatureObject, RigContext
from .motion_reader import SampledMotion, sample_world_poses
from .steps import run_through

MAX_FRAMES = 12
"""Enough to meet any constraint that matters, few enough not to be felt."""

MAX_ANGLE_RAD = np.radians(1.0)
MAX_DISTANCE_M = 0.01


def bones_off_target(
    context: RigContext, obj: ArmatureObject, sampled: SampledMotion, baked: BakedBones
) -> list[str]:
    """Names of the baked bones that are not where their keys should put them, at some frames."""
    return run_through(finding_off_target(context, obj, sampled, baked))


def finding_off_target(
    context: RigContext, obj: ArmatureObject, sampled: SampledMotion, baked: BakedBones
) -> Generator[float, None, list[str]]:
    """Like bones_off_target, giving back control after each frame with the share done."""
    picks = np.unique(np.linspace(0, len(sampled.frame) - 1, MAX_FRAMES).astype(int))
    position, quaternion = yield from sample_world_poses(context, obj, sampled.frame[picks], sampled.skeleton)
    bones = [sampled.skeleton.index[name] for name in baked.names]
    angle = rotations.angle_between(quaternion[:, bones], baked.quaternion_world[picks])
    distance = np.linalg.norm(position[:, bones] - baked.position_world[picks], axis=-1)
    off = (_worst(angle) > MAX_ANGLE_RAD) | (baked.detached & (_worst(distance) > MAX_DISTANCE_M))
    return [name for name, is_off in zip(baked.names, off, strict=True) if is_off]


def held_note(bones: list[str]) -> tuple[str, ...]:
    """A sentence for the user about bones that are off target; nothing when there are none."""
    if not bones:
        return ()
    shown = ", ".join(f"'{name}'" for name in bones[:4])
    listed = shown if len(bones) <= 4 else f"{shown} and {len(bones) - 4} more bones"
    return (
        f"Constraints, drivers or NLA tracks hold {listed} away from the baked keys; "
        "mute them to see the bake.",
    )


def _worst(values: FloatArray) -> FloatArray:
    return np.asarray(values.max(axis=0))
