"""Fit and control jobs as files: what goes in comes out, and broken ones are one sentence."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.jobs.control_job import ControlJob, load_control_job, save_control_job
from sim_core.jobs.fit_job import (
    FitJob,
    load_fit_job,
    load_fit_outcome,
    run_fit,
    save_fit_job,
    save_fit_outcome,
)
from sim_core.markers.subject import Armature
from sim_core.posefit.control_points import ControlMarker
from tests.core.sample_people import MAPPING, moving, person
from tests.core.sample_subject import KnownSubject, walker


@pytest.fixture(scope="module")
def known() -> KnownSubject:
    return walker(40)


def test_a_job_comes_back(known: KnownSubject, tmp_path: Path) -> None:
    position = np.array(known.take.position_world)
    position[3:9, 2] = np.nan
    armature = Armature(known.rig.skeleton, known.rig.mapping)
    static = known.take.between(0.0, 0.1)
    job = FitJob(replace(known.take, position_world=position), known.table, armature, "preview", static)
    save_fit_job(job, tmp_path / "job.npz")
    again = load_fit_job(tmp_path / "job.npz")
    assert again.take.labels == job.take.labels
    assert np.array_equal(again.take.position_world, position, equal_nan=True)
    assert np.array_equal(again.take.time, job.take.time)
    assert again.quality == "preview"
    assert again.static is not None
    assert np.array_equal(again.static.position_world, static.position_world)
    assert again.armature is not None
    assert again.armature.skeleton.names == armature.skeleton.names
    assert again.armature.mapping.bones == armature.mapping.bones
    for label, row in known.table.rows.items():
        same = again.table.rows[label]
        assert (same.part, same.sigma) == (row.part, row.sigma)
        assert same.offset is not None and row.offset is not None
        assert np.allclose(same.offset, row.offset)
    save_fit_job(dataclasses.replace(job, armature=None, static=None), tmp_path / "plain.npz")
    plain = load_fit_job(tmp_path / "plain.npz")
    assert plain.armature is None
    assert plain.static is None


def test_an_outcome_tells_what_the_fit_found(known: KnownSubject, tmp_path: Path) -> None:
    position = np.array(known.take.position_world)
    position[5:8, 0] = np.nan
    job = FitJob(replace(known.take, position_world=position), known.table, quality="preview")
    fit = run_fit(job)
    save_fit_outcome(job, fit, tmp_path / "fit.npz")
    outcome = load_fit_outcome(tmp_path / "fit.npz")
    assert np.allclose(outcome.motion.position_world, fit.motion.position_world)
    assert np.allclose(outcome.distance, fit.distance, equal_nan=True)
    assert outcome.labels == fit.labels
    assert outcome.faults == fit.faults
    assert [(f.marker, f.first, f.last, f.kind) for f in outcome.faults] == [
        (known.labels[0], 5, 7, "missing")
    ]
    rms = 100.0 * float(np.sqrt(np.nanmean(fit.distance**2)))
    assert outcome.metrics["marker_rms_cm"] == pytest.approx(rms)
    assert outcome.mapping.bones["hips"] == ("hips",)


def test_a_control_job_comes_back(tmp_path: Path) -> None:
    motion = person(moving(0.1))
    count = len(motion.time)
    control = ControlMarker(
        "hand.L",
        np.random.default_rng(0).normal(size=(count, 3)),
        np.linspace(0.0, 1.0, count),
        np.array([False, True, False]),
        np.full(count, 0.02),
    )
    save_control_job(ControlJob(motion, MAPPING, (control,)), tmp_path / "job.npz")
    (again,) = load_control_job(tmp_path / "job.npz").controls
    assert again.bone == "hand.L"
    for name in ("target_world", "weight", "axes", "dead_zone"):
        assert np.array_equal(getattr(again, name), getattr(control, name))


@pytest.mark.parametrize("load", [load_fit_job, load_fit_outcome, load_control_job])
def test_other_files_are_refused(load: object, tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_text("no")
    with pytest.raises(InputError):
        load(tmp_path / "x.npz")  # type: ignore[operator]
