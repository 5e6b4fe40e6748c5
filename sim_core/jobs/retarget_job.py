"""Jobs of retargeting, and their files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.files import AnyPath, refuse_unwritable
from ..base.npz_file import read_file, write_file
from ..base.progress import Progress, ProgressCallback, ignore_progress
from ..base.worker_process import EventWriter
from ..motion.motion import Motion
from ..motion.motion_arrays import (
    motion_from_arrays,
    motion_to_arrays,
    skeleton_from_arrays,
    skeleton_to_arrays,
)
from ..motion.skeleton import Skeleton
from ..motion.skinned_mesh import SkinnedMesh, mesh_from_arrays, mesh_to_arrays
from ..recognition.mapping import BoneMapping, check_mapping, mapping_from_json, mapping_to_json
from ..result.result import Result, load_result, save_result
from ..retarget.in_scene import retarget_in_scene, simulated_scene, touched_by_hands
from ..retarget.retarget import SCHEMA as FILE_SCHEMA
from ..retarget.retarget import Retargeted, Take, same_frames, save_retargeted
from ..retarget.retarget_figures import retarget_figures
from ..retarget.retarget_options import RetargetOptions, options_from_dict, options_to_dict
from ..retarget.retarget_rig import make_retarget_rig
from ..scenario.job import Job, settings_from_dict
from ..scenario.settings import BakeSettings
from ..scene.scene import FLAT, Scene, SceneObject
from ..scene.scene_file import scene_from_dict, scene_to_dict

SCHEMA = 1
JOB = "retarget-job"
TARGET = "target_"
"""Prefix of the target's arrays in the file of a job."""


@dataclass(frozen=True, eq=False)
class RetargetJob:
    """A motion with its bone mapping, the target's skeleton with its own mapping, and options.

    settings: of a simulation with the target's own masses that follows; None for no simulation
    name: of the target; mesh: its surface, if it is known
    """

    motion: Motion
    mapping: BoneMapping
    target: Skeleton
    target_mapping: BoneMapping
    options: RetargetOptions
    scene: Scene = FLAT
    settings: BakeSettings | None = None
    name: str = "character"
    mesh: SkinnedMesh | None = None

    def __post_init__(self) -> None:
        for mapping, skeleton, whose in (
            (self.mapping, self.motion.skeleton, "source"),
            (self.target_mapping, self.target, "target"),
        ):
            try:
                check_mapping(mapping, skeleton)
            except InputError as problem:
                raise InputError(f"The bones of the {whose}: {problem}") from problem


@dataclass(frozen=True, eq=False)
class RetargetOutcome:
    """The contents of the files of a retargeting.

    motion: of the target; turned_bones: names of its bones that have rotations of their own
    metrics: as returned by retarget_figures; simulated_metrics: the same for the simulated motion
    props: objects that hands hold, with their new keys
    simulated: the result of the simulation, if there is one
    """

    motion: Motion
    turned_bones: tuple[str, ...]
    leg_ratio: float
    metrics: Mapping[str, Any]
    notes: tuple[str, ...]
    props: tuple[SceneObject, ...] = ()
    simulated: Result | None = None
    simulated_metrics: Mapping[str, Any] | None = None


def run_retarget(
    jobs: Sequence[RetargetJob], paths: Sequence[AnyPath], report: ProgressCallback = ignore_progress
) -> None:
    """Run the jobs of characters who are retargeted together, and write their outcomes.

    The results of simulations are written beside them. All characters are on the ground of the first job.
    """
    report(Progress("Retargeting", 0.0))
    takes, scene = same_frames([_take(job) for job in jobs]), jobs[0].scene
    names = touched_by_hands(takes, scene)
    outcomes, after = retarget_in_scene(takes, scene, names)
    results: Sequence[Result | None] = [None] * len(jobs)
    settings = [job.settings for job in jobs if job.settings is not None]
    if len(settings) == len(jobs):
        flat, around = retarget_in_scene(takes, scene, names, flat=True)
        left = simulated_scene(around, names)
        results = simulate(flat, settings, left, [job.name for job in jobs], report)
    held = Scene(tuple(one for one in after.objects if one.name in names and one.keys is not None))
    for outcome, result, path in zip(outcomes, results, paths, strict=True):
        meta: dict[str, Any] = {"metrics": retarget_figures(outcome), "props": scene_to_dict(held)}
        if result is not None:
            meta["simulated_metrics"] = simulated_figures(outcome, result)
            save_result(result, _beside(path))
        save_retargeted(outcome, path, meta)


def _take(job: RetargetJob) -> Take:
    source = make_retarget_rig(job.motion.skeleton, job.mapping, job.motion)
    target = make_retarget_rig(job.target, job.target_mapping, mesh=job.mesh)
    return Take(source, job.motion, target, job.options)


def simulate(
    flat: Sequence[Retargeted],
    settings: Sequence[BakeSettings],
    scene: Scene,
    names: Sequence[str],
    report: ProgressCallback = ignore_progress,
) -> tuple[Result, ...]:
    """Bake motions that were retargeted on a flat floor, with the targets' own masses."""
    # Here, because Blender reads and writes these files too, and never bakes itself.
    from ..bake.pipeline import bake_together

    jobs = [
        Job(one.motion, one.target.mapping, own, scene, name)
        for one, own, name in zip(flat, settings, names, strict=True)
    ]
    return bake_together(jobs, report)


def simulated_figures(outcome: Retargeted, result: Result) -> dict[str, Any]:
    """Return the figures of a retargeting for its simulated motion."""
    return retarget_figures(dataclasses.replace(outcome, motion=simulated_motion(outcome.motion, result)))


def simulated_motion(motion: Motion, result: Result) -> Motion:
    """Return the motion with the bones of the body's parts as simulated."""
    position, quaternion = np.array(motion.position_world), np.array(motion.quaternion_world)
    bones = [motion.skeleton.index[str(name)] for name in result.bone_name]
    position[:, bones], quaternion[:, bones] = result.bone_position, result.bone_quaternion_world
    return Motion(motion.skeleton, motion.time, position, quaternion)


def save_retarget_job(job: RetargetJob, path: AnyPath) -> None:
    """Write a job to a file."""
    target = {TARGET + name: values for name, values in skeleton_to_arrays(job.target).items()}
    meta = {
        "mapping": mapping_to_json(job.mapping),
        "target_mapping": mapping_to_json(job.target_mapping),
        "options": options_to_dict(job.options),
        "scene": scene_to_dict(job.scene),
        "settings": None if job.settings is None else dataclasses.asdict(job.settings),
        "name": job.name,
    }
    mesh = {} if job.mesh is None else mesh_to_arrays(job.mesh)
    write_file(path, JOB, SCHEMA, {**motion_to_arrays(job.motion), **target, **mesh}, meta)


def load_retarget_job(path: AnyPath) -> RetargetJob:
    """Read a job; raise InputError if the file is not valid."""
    arrays, meta = read_file(path, JOB, SCHEMA)
    target = {name.removeprefix(TARGET): a for name, a in arrays.items() if name.startswith(TARGET)}
    settings, skeleton = meta.get("settings"), skeleton_from_arrays(target, path)
    return RetargetJob(
        motion_from_arrays(arrays, path),
        mapping_from_json(str(meta.get("mapping"))),
        skeleton,
        mapping_from_json(str(meta.get("target_mapping"))),
        options_from_dict(meta.get("options") or {}, f"'{path}'"),
        scene_from_dict(meta.get("scene") or {}, f"The scene in '{path}'"),
        None if settings is None else settings_from_dict(settings, path),
        str(meta.get("name")),
        mesh_from_arrays(arrays, len(skeleton.names), path),
    )


def load_retarget_outcome(path: AnyPath) -> RetargetOutcome:
    """Read the files of a retargeting; raise InputError if they are not valid."""
    arrays, meta = read_file(path, "retarget", FILE_SCHEMA)
    simulated = _beside(path)
    return RetargetOutcome(
        motion_from_arrays(arrays, path),
        tuple(meta["turned_bones"]),
        float(meta["leg_ratio"]),
        meta["metrics"],
        tuple(meta["notes"]),
        scene_from_dict(meta.get("props") or {}, f"The props in '{path}'").objects,
        load_result(simulated) if "simulated_metrics" in meta else None,
        meta.get("simulated_metrics"),
    )


def _beside(path: AnyPath) -> Path:
    """Return the path of the simulation's result."""
    return Path(path).with_suffix(".simulated.npz")


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Retarget the motions of all jobs together."""
    for result_path in result_paths:
        refuse_unwritable(result_path)
    run_retarget([load_retarget_job(path) for path in job_paths], result_paths, events.progress)
