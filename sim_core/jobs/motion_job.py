"""Jobs of reading a motion file, and their files.

Files come from anywhere, so they are read in a process of its own: whatever a file does, Blender goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..base.files import AnyPath, refuse_unwritable
from ..base.json_files import dataclass_from_json
from ..base.npz_file import read_file, write_file
from ..base.progress import Progress
from ..base.worker_process import EventWriter
from ..motion.motion import Motion
from ..motion.motion_arrays import motion_from_arrays, motion_to_arrays
from ..reading.bvh_clip import ReadingChoices
from ..reading.read_motion import read_motion
from ..recognition import recognise
from ..recognition.mapping import BoneMapping, mapping_from_json, mapping_to_json

SCHEMA = 1
JOB, OUTCOME = "motion-job", "motion"


@dataclass(frozen=True)
class MotionJob:
    """A file to read, and what the user states about it; 0 and "" let it be found."""

    file: str
    skeleton: str = ""
    fps: float = 0.0
    height_m: float = 0.0
    up: str = ""

    @property
    def choices(self) -> ReadingChoices:
        """What is stated about the file."""
        return ReadingChoices(
            up=self.up or None,
            fps=self.fps or None,
            height_m=self.height_m or None,
            skeleton=Path(self.skeleton) if self.skeleton else None,
        )


@dataclass(frozen=True, eq=False)
class MotionOutcome:
    """A motion as it was read, the parts of its body, and notes for the user."""

    motion: Motion
    mapping: BoneMapping
    notes: tuple[str, ...]


def run_motion(job: MotionJob) -> MotionOutcome:
    """Read the file of a job."""
    clip = read_motion(Path(job.file), job.choices)
    mapping = recognise(clip.motion.skeleton)
    return MotionOutcome(clip.motion, mapping, (*clip.notes, *mapping.notes))


def save_motion_job(job: MotionJob, path: AnyPath) -> None:
    """Write a job to a file."""
    write_file(path, JOB, SCHEMA, {}, asdict(job))


def load_motion_job(path: AnyPath) -> MotionJob:
    """Read a job; raise InputError if the file is not valid."""
    _, meta = read_file(path, JOB, SCHEMA)
    job: MotionJob = dataclass_from_json(MotionJob, meta, f"The job '{path}'")
    return job


def save_motion_outcome(outcome: MotionOutcome, path: AnyPath) -> None:
    """Write an outcome to a file."""
    meta = {"mapping": mapping_to_json(outcome.mapping), "notes": list(outcome.notes)}
    write_file(path, OUTCOME, SCHEMA, motion_to_arrays(outcome.motion), meta)


def load_motion_outcome(path: AnyPath) -> MotionOutcome:
    """Read an outcome; raise InputError if the file is not valid."""
    arrays, meta = read_file(path, OUTCOME, SCHEMA)
    mapping = mapping_from_json(str(meta.get("mapping")))
    return MotionOutcome(motion_from_arrays(arrays, path), mapping, tuple(map(str, meta.get("notes", ()))))


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Read the motion of each job."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        events.progress(Progress("Reading the file", 0.0))
        refuse_unwritable(result_path)
        save_motion_outcome(run_motion(load_motion_job(job_path)), result_path)
