"""Markers of the legs alone: the trunk is upright, whatever the pelvis does, and the fit says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import Z_UP
from sim_core.markers.fit_pipeline import FittedFile, fit_file
from sim_core.posefit.fit_body import EngineBody
from tests.core.sample_markers import write_trc
from tests.core.sample_subject import KnownSubject, walker


def lower_body(known: KnownSubject) -> list[str]:
    """Labels of the markers on pelvis and legs."""
    thighs = [known.rig.carrier(f"thigh.{side}") for side in "LR"]
    legs = np.asarray(known.rig.body.moved_by[:, thighs].any(axis=1))
    return [
        label
        for label, link in zip(known.labels, known.attachments.link, strict=True)
        if legs[link] or link == 0
    ]


def fitted(known: KnownSubject, labels: list[str], folder: Path) -> FittedFile:
    columns = [known.labels.index(label) for label in labels]
    points = 1000.0 * np.array(known.take.position_world)[:, columns]
    return fit_file(write_trc(folder / "walk.trc", labels, points))


@pytest.mark.parametrize("seed", [0, 3])
def test_the_trunk_is_upright_over_a_pelvis_with_markers(seed: int, tmp_path: Path) -> None:
    known = walker(60, seed=seed)
    found = fitted(known, lower_body(known), tmp_path)
    assert any("above the pelvis" in note for note in found.notes)
    rig = found.fit.subject.calibration.rig
    quaternion = EngineBody(rig.body).poses(found.fit.qpos)[1]
    spine = rig.link("spine")
    assert spine is not None
    assert rotations.rotate(quaternion[:, spine], Z_UP)[:, 2].min() > 1.0 - 1e-6
    # Legs are fitted as before: their markers are where they were.
    assert np.nanmean(found.fit.distance) < 0.01


def test_a_trunk_with_markers_moves_as_they_do(tmp_path: Path) -> None:
    known = walker(40)
    assert not any("above the pelvis" in note for note in fitted(known, list(known.labels), tmp_path).notes)
