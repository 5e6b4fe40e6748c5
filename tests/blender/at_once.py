"""Reads and writes of the add-on, with all their steps run at once and settled, as a job does at its end."""

from __future__ import annotations

from collections.abc import Sequence

from heft.addon.bake.bake_job import PreparedBake, finishing_bakes
from heft.addon.bake.bake_report import BakeReport
from heft.addon.blender.blender_types import ArmatureObject, RigContext
from heft.addon.blender.half_written import settle_parts
from heft.addon.blender.steps import run_all
from heft.addon.reading.motion_reader import SampledMotion, sample_motion, sample_world_poses
from heft.addon.writing.bake_writer import WrittenBake, writing_bake
from heft.addon.writing.baked_bones import BakedBones, finding_bones_off_target
from heft.addon.writing.few_keys import KeyChoice
from heft.sim_core.base.conventions import FloatArray, IntArray
from heft.sim_core.motion.skeleton import Skeleton
from heft.sim_core.result.result import Result


def read_motion(
    context: RigContext, armature_object: ArmatureObject, frame_start: int, frame_end: int
) -> SampledMotion:
    return run_all(sample_motion(context, armature_object, frame_start, frame_end))


def read_world_poses(
    context: RigContext, obj: ArmatureObject, frame: IntArray, skeleton: Skeleton
) -> tuple[FloatArray, FloatArray]:
    return run_all(sample_world_poses(context, obj, frame, skeleton))


def bones_off_target(
    context: RigContext, obj: ArmatureObject, sampled: SampledMotion, baked: BakedBones
) -> list[str]:
    return run_all(finding_bones_off_target(context, obj, sampled, baked))


def finish_bakes(
    context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> tuple[BakeReport, ...]:
    reports = run_all(finishing_bakes(context, prepared, results))
    settle_parts()
    return reports


def write_bake(
    context: RigContext,
    armature_object: ArmatureObject,
    sampled: SampledMotion,
    baked: BakedBones,
    name: str,
    keys: KeyChoice | None = None,
) -> WrittenBake:
    written = run_all(writing_bake(context, armature_object, sampled, baked, name, keys=keys))
    settle_parts()
    return written
