"""Bakes that are written all at once."""

from __future__ import annotations

from heft.addon.blender.blender_types import ArmatureObject, RigContext
from heft.addon.blender.steps import run_all
from heft.addon.reading.motion_reader import SampledMotion
from heft.addon.writing.bake_writer import WrittenBake, writing_bake
from heft.addon.writing.baked_bones import BakedBones
from heft.addon.writing.few_keys import KeyChoice


def write_bake(
    context: RigContext,
    armature_object: ArmatureObject,
    sampled: SampledMotion,
    baked: BakedBones,
    name: str,
    keys: KeyChoice | None = None,
) -> WrittenBake:
    return run_all(writing_bake(context, armature_object, sampled, baked, name, keys=keys))
