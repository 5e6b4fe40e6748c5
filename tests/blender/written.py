"""Bakes that are written all at once."""

from __future__ import annotations

from heft.addon.bake_writer import WrittenBake, writing_bake
from heft.addon.baked_bones import BakedBones
from heft.addon.blender_types import ArmatureObject, RigContext
from heft.addon.keys.few_keys import KeyChoice
from heft.addon.motion_reader import SampledMotion
from heft.addon.steps import run_through


def write_bake(
    context: RigContext,
    armature_object: ArmatureObject,
    sampled: SampledMotion,
    baked: BakedBones,
    name: str,
    keys: KeyChoice | None = None,
) -> WrittenBake:
    return run_through(writing_bake(context, armature_object, sampled, baked, name, keys=keys))
