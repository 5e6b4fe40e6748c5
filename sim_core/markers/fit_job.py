"""A fit's whole input and its outcome, and their files: what Blender hands to the worker and gets back."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import numpy as np

from ..conventions import FloatArray, frozen
from ..files import AnyArray, AnyPath
from ..motion import Motion
from ..motion_arrays import motion_from_arrays, motion_to_arrays, skeleton_from_arrays, skeleton_to_arrays
from ..progress import Progress, Report, ignore_progress
from ..recognition.check import mapping_from_json, mapping_to_json
from ..recognition.mapping import BoneMapping
from ..schema import read_file, take, write_file
from .faults import Fault
from .fit import fit_take
from .sets import MarkerSet, set_from_dict, set_to_dict
from .subject import Armature, calibrate_subject
from .take import MarkerTake

SCHEMA = 1
JOB, OUTCOME = "fit-job", "fit"


@dataclass(frozen=True, eq=False)
class FitJob:
    """armature: the skeleton to be fitted; None takes Heft's own, sized to the subject"""

    take: MarkerTake
    table: MarkerSet
    armature: Armature | None = None
    quality: str = "final"


@dataclass(frozen=True, eq=False)
class FitOutcome:
    """What a fit gives back.

    motion: of the skeleton that was fitted, at the take's times; mapping: its bones
    labels (M): markers that were fitted
    distance (T, M): from each marker to its place on the body [m]; NaN where it was not used
    height [m]: of an average person with this subject's markers
    faults: what does not belong; notes: sentences for the user
    """

    motion: Motion
    mapping: BoneMapping
    labels: tuple[str, ...]
    distance: FloatArray
    height: float
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "distance", frozen(self.distance))


def run_fit(job: FitJob, report: Report = ignore_progress) -> FitOutcome:
    """Calibrate the subject, then find its pose in every frame."""
    report(Progress("Measuring the body", 0.0))
    subject = calibrate_subject(job.take, job.table, armature=job.armature)
    fit = fit_take(job.take, subject, job.quality, report)
    return FitOutcome(
        motion=fit.motion,
        mapping=subject.calibration.rig.mapping,
        labels=fit.labels,
        distance=fit.distance,
        height=subject.height,
        faults=fit.faults,
        notes=subject.notes,
    )


def save_fit_job(job: FitJob, path: AnyPath) -> None:
    marks = job.take
    arrays: dict[str, AnyArray] = {
        "label": np.array(marks.labels, dtype=str),
        "labelled": marks.labelled,
        "marker_time": marks.time,
        "marker_position": marks.position_world,
        "marker_residual": marks.residual,
    }
    meta = {"name": marks.name, "table": set_to_dict(job.table), "quality": job.quality, "mapping": ""}
    if job.armature is not None:
        arrays |= skeleton_to_arrays(job.armature.skeleton)
        meta["mapping"] = mapping_to_json(job.armature.mapping)
    write_file(path, JOB, SCHEMA, arrays, meta)


def load_fit_job(path: AnyPath) -> FitJob:
    """Whatever is wrong with the file is told as an InputError."""
    arrays, meta = read_file(path, JOB, SCHEMA)
    marks = MarkerTake(
        name=str(meta.get("name")),
        labels=tuple(take(arrays, "label", "U", 1, path).tolist()),
        labelled=take(arrays, "labelled", "b", 1, path),
        time=take(arrays, "marker_time", "f", 1, path),
        position_world=take(arrays, "marker_position", "f", 3, path),
        residual=take(arrays, "marker_residual", "f", 2, path),
    )
    armature = None
    if meta.get("mapping"):
        armature = Armature(skeleton_from_arrays(arrays, path), mapping_from_json(str(meta["mapping"])))
    table = set_from_dict(meta.get("table"), f"The marker set in '{path}'")
    return FitJob(marks, table, armature, str(meta.get("quality")))


def save_outcome(outcome: FitOutcome, path: AnyPath) -> None:
    arrays = {
        **motion_to_arrays(outcome.motion),
        "label": np.array(outcome.labels, dtype=str),
        "distance": outcome.distance,
    }
    meta = {
        "mapping": mapping_to_json(outcome.mapping),
        "height": outcome.height,
        "faults": [asdict(fault) for fault in outcome.faults],
        "notes": list(outcome.notes),
    }
    write_file(path, OUTCOME, SCHEMA, arrays, meta)


def load_outcome(path: AnyPath) -> FitOutcome:
    arrays, meta = read_file(path, OUTCOME, SCHEMA)
    return FitOutcome(
        motion=motion_from_arrays(arrays, path),
        mapping=mapping_from_json(str(meta.get("mapping"))),
        labels=tuple(take(arrays, "label", "U", 1, path).tolist()),
        distance=take(arrays, "distance", "f", 2, path),
        height=float(meta["height"]),
        faults=tuple(Fault(**fault) for fault in meta.get("faults", ())),
        notes=tuple(meta.get("notes", ())),
    )
