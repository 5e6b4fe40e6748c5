"""Jobs of fitting a skeleton to markers, and their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.files import AnyArray, AnyPath, names_its_file, refuse_unwritable
from ..base.json_codec import from_object
from ..base.npz_file import read_file, take_array, write_file
from ..base.progress import Progress, ProgressCallback, ignore_progress
from ..base.worker_process import EventWriter
from ..markers.faults import Fault
from ..markers.fit_file import SCHEMA as FIT_SCHEMA
from ..markers.fit_file import fit_figures, save_fit
from ..markers.judge import judge
from ..markers.marker_fit import MarkerFit, fit_take
from ..markers.marker_sets import MarkerSet, set_from_dict, set_to_dict
from ..markers.marker_take import MarkerTake
from ..markers.recognise_set import settle_loose
from ..markers.subject import Armature, calibrate_subject
from ..motion.motion import Motion
from ..motion.motion_arrays import motion_from_arrays, skeleton_from_arrays, skeleton_to_arrays
from ..recognition.mapping import BoneMapping, mapping_from_json, mapping_to_json

SCHEMA = 1
JOB = "fit-job"


@dataclass(frozen=True, eq=False)
class FitJob:
    """A take with its marker set.

    armature: the skeleton to be fitted; None takes Heft's own, sized to the subject
    static: a take in which the subject stands still, for calibration
    """

    take: MarkerTake
    table: MarkerSet
    armature: Armature | None = None
    quality: str = "final"
    static: MarkerTake | None = None


@dataclass(frozen=True, eq=False)
class FitOutcome:
    """The contents of the file of a fit.

    motion: of the fitted skeleton, at the take's times; mapping: its bones
    labels (M): markers that were fitted
    distance (T, M): from each marker to its position on the body [m]; NaN where it was not used
    metrics, by_marker: as returned by fit_figures and by_marker
    warnings: what is implausible about the fit
    """

    motion: Motion
    mapping: BoneMapping
    labels: tuple[str, ...]
    distance: FloatArray
    metrics: Mapping[str, Any]
    by_marker: Mapping[str, Mapping[str, float | None]]
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def run_fit(job: FitJob, report: ProgressCallback = ignore_progress) -> MarkerFit:
    """Calibrate the subject, then find its pose in every frame."""
    report(Progress("Calibrating", 0.0))
    table = settle_loose(job.take, job.table)
    subject = calibrate_subject(job.take, table, job.static, job.armature)
    return fit_take(job.take, subject, job.quality, report)


def save_fit_job(job: FitJob, path: AnyPath) -> None:
    """Write a job to a file."""
    arrays = _take_to_arrays(job.take, "marker")
    meta = {
        "name": job.take.name,
        "table": set_to_dict(job.table),
        "quality": job.quality,
        "mapping": "",
    }
    if job.static is not None:
        arrays |= _take_to_arrays(job.static, "static")
    if job.armature is not None:
        arrays |= skeleton_to_arrays(job.armature.skeleton)
        meta["mapping"] = mapping_to_json(job.armature.mapping)
    write_file(path, JOB, SCHEMA, arrays, meta)


@names_its_file
def load_fit_job(path: AnyPath) -> FitJob:
    """Read a job; raise InputError if the file is not valid."""
    arrays, meta = read_file(path, JOB, SCHEMA)
    armature = None
    if meta.get("mapping"):
        armature = Armature(skeleton_from_arrays(arrays, path), mapping_from_json(str(meta["mapping"])))
    return FitJob(
        take=_take_from_arrays(arrays, "marker", str(meta.get("name")), path),
        table=set_from_dict(meta.get("table") or {}, f"The marker set in '{path}'"),
        armature=armature,
        quality=str(meta.get("quality")),
        static=_take_from_arrays(arrays, "static", "", path) if "static_label" in arrays else None,
    )


def _take_to_arrays(marks: MarkerTake, prefix: str) -> dict[str, AnyArray]:
    return {
        f"{prefix}_label": np.array(marks.labels, dtype=str),
        f"{prefix}_labelled": marks.labelled,
        f"{prefix}_time": marks.time,
        f"{prefix}_position": marks.position_world,
        f"{prefix}_residual": marks.residual,
    }


def _take_from_arrays(arrays: Mapping[str, AnyArray], prefix: str, name: str, path: AnyPath) -> MarkerTake:
    return MarkerTake(
        name=name,
        labels=tuple(take_array(arrays, f"{prefix}_label", "U", 1, path).tolist()),
        labelled=take_array(arrays, f"{prefix}_labelled", "b", 1, path),
        time=take_array(arrays, f"{prefix}_time", "f", 1, path),
        position_world=take_array(arrays, f"{prefix}_position", "f", 3, path),
        residual=take_array(arrays, f"{prefix}_residual", "f", 2, path),
    )


def save_fit_outcome(job: FitJob, fit: MarkerFit, path: AnyPath) -> None:
    """Write the file of a fit, with the mapping of its skeleton's bones."""
    meta = {
        "mapping": mapping_to_json(fit.subject.calibration.rig.mapping),
        "quality": job.quality,
        "metrics": fit_figures(fit),
        "warnings": judge(fit).sentences,
        "notes": list(fit.subject.notes),
    }
    save_fit(fit, job.take, path, meta)


@dataclass(frozen=True)
class _Figures:
    marker_rms_cm: float | None


@dataclass(frozen=True)
class _MarkerFigures:
    rms_cm: float | None
    worst_cm: float | None
    worst_frame: float | None


@dataclass(frozen=True)
class _FitMeta:
    """What the meta of a fit's file must hold; faults count frames from 1."""

    mapping: str
    metrics: _Figures
    by_marker: Mapping[str, _MarkerFigures]
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@names_its_file
def load_fit_outcome(path: AnyPath) -> FitOutcome:
    """Read the file of a fit; raise InputError if it is not valid."""
    arrays, meta = read_file(path, "fit", FIT_SCHEMA)
    checked = from_object(_FitMeta, meta, f"The 'meta' of '{path}'")
    motion = motion_from_arrays(arrays, path)
    labels = tuple(take_array(arrays, "marker_name", "U", 1, path).tolist())
    distance = take_array(arrays, "marker_distance", "f", 2, path)
    if distance.shape != (len(motion.time), len(labels)):
        raise InputError(f"The distances in '{path}' do not fit its frames and markers; fit them again.")
    return FitOutcome(
        motion=motion,
        mapping=mapping_from_json(checked.mapping),
        labels=labels,
        distance=distance,
        metrics=meta["metrics"],
        by_marker=meta["by_marker"],
        faults=tuple(replace(fault, first=fault.first - 1, last=fault.last - 1) for fault in checked.faults),
        warnings=checked.warnings,
        notes=checked.notes,
    )


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Fit the markers of each job."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        job = load_fit_job(job_path)
        refuse_unwritable(result_path)
        save_fit_outcome(job, run_fit(job, events.progress), result_path)
