"""Jobs of control markers on a motion, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base.errors import InputError
from ..base.files import AnyPath, refuse_unwritable
from ..base.npz_file import read_file, take_array, write_file
from ..base.worker_process import EventWriter
from ..motion.motion import Motion
from ..motion.motion_arrays import motion_from_arrays, motion_to_arrays
from ..posefit.control_points import ControlMarker, pull_bones
from ..recognition.mapping import BoneMapping, check_mapping, mapping_from_json, mapping_to_json

SCHEMA = 1
JOB, OUTCOME = "control-job", "control"
_ARRAYS = {
    "control_bone": ("U", 1),
    "control_target_world": ("f", 3),
    "control_weight": ("f", 2),
    "control_dead_zone": ("f", 2),
    "control_axes": ("b", 2),
}
"""Array names, with the kind of dtype and the number of dimensions; the first axis is that of the markers."""


@dataclass(frozen=True, eq=False)
class ControlJob:
    """A motion with its bone mapping and the control markers that pull its bones."""

    motion: Motion
    mapping: BoneMapping
    controls: tuple[ControlMarker, ...]

    def __post_init__(self) -> None:
        check_mapping(self.mapping, self.motion.skeleton)
        if not self.controls:
            raise InputError("No control marker pulls this armature; add one to a bone.")


def save_control_job(job: ControlJob, path: AnyPath) -> None:
    """Write a job to a file."""
    arrays = {
        "control_bone": np.array([control.bone for control in job.controls], dtype=str),
        "control_target_world": np.array([control.target_world for control in job.controls]),
        "control_weight": np.array([control.weight for control in job.controls]),
        "control_dead_zone": np.array([control.dead_zone for control in job.controls]),
        "control_axes": np.array([control.axes for control in job.controls], dtype=bool),
    }
    meta = {"mapping": mapping_to_json(job.mapping)}
    write_file(path, JOB, SCHEMA, {**motion_to_arrays(job.motion), **arrays}, meta)


def load_control_job(path: AnyPath) -> ControlJob:
    """Read a job; raise InputError if the file is not valid."""
    stored, meta = read_file(path, JOB, SCHEMA)
    arrays = {name: take_array(stored, name, kinds, ndim, path) for name, (kinds, ndim) in _ARRAYS.items()}
    if len({len(array) for array in arrays.values()}) != 1 or arrays["control_axes"].shape[1] != 3:
        raise InputError(f"The control markers in '{path}' do not fit together; make the job again.")
    bones, targets, weights, zones, axes = arrays.values()
    controls = tuple(
        ControlMarker(str(bones[i]), targets[i], weights[i], axes[i], zones[i]) for i in range(len(bones))
    )
    return ControlJob(motion_from_arrays(stored, path), mapping_from_json(str(meta.get("mapping"))), controls)


def save_control_motion(motion: Motion, path: AnyPath) -> None:
    """Write the resulting motion to a file."""
    write_file(path, OUTCOME, SCHEMA, motion_to_arrays(motion), {})


def load_control_motion(path: AnyPath) -> Motion:
    """Read the resulting motion."""
    arrays, _ = read_file(path, OUTCOME, SCHEMA)
    return motion_from_arrays(arrays, path)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Pull the bones of each job's motion to its control markers."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        job = load_control_job(job_path)
        refuse_unwritable(result_path)
        save_control_motion(pull_bones(job.motion, job.mapping, job.controls, events.progress), result_path)
