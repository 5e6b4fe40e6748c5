"""Hips that a regression predicts from the markers of the pelvis."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.markers.marker_sets import preset_set
from sim_core.markers.marker_take import MarkerTake
from sim_core.markers.predicted_hips import MARKER_HEIGHT, predicted_hip, with_predicted_hips
from sim_core.markers.subject import calibrate_subject
from sim_core.markers.template import NominalMarkers, place_markers, template
from sim_core.posefit.fit_body import EngineBody
from sim_core.posefit.fit_rig import RigBody
from sim_core.posefit.points import Attachments, point_positions

WIDTH, DEPTH = 0.31, 0.22
"""A broad pelvis [m]: the average body has 0.25 and 0.19."""


def worn(set_name: str = "plug_in_gait") -> tuple[RigBody, NominalMarkers]:
    rig, table = template(), preset_set(set_name)
    return rig, place_markers(rig, table, tuple(table.rows), 1.75)


def hip_by_markers(rig: RigBody, labels: tuple[str, ...], offset: FloatArray, side: str) -> FloatArray:
    """A hip (3): forward, left and up from the middle of the front markers."""
    left, right, *back = (offset[labels.index(name)] for name in ("LASI", "RASI", "LPSI", "RPSI"))
    middle = 0.5 * (left + right)
    y = (left - right) / np.linalg.norm(left - right)
    x = middle - np.mean(back, axis=0)
    x -= (x @ y) * y
    x /= np.linalg.norm(x)
    return np.array([x, y, np.cross(x, y)]) @ (rig.body.anchors[rig.carrier(f"thigh.{side}")] - middle)


def broad(nominal: NominalMarkers) -> FloatArray:
    """Places (M, 3) of the markers with a broad pelvis."""
    offset = np.array(nominal.offset)
    for side, y in (("L", 0.5), ("R", -0.5)):
        offset[nominal.labels.index(f"{side}ASI")] = [0.0, y * WIDTH, 0.0]
        offset[nominal.labels.index(f"{side}PSI")] = [-DEPTH, 0.3 * y * WIDTH, 0.0]
    offset[nominal.labels.index("SACR")] = [-DEPTH, 0.0, 0.0]
    return offset


def test_the_published_equations() -> None:
    """Harrington et al. 2007, by hand for 240 and 180 mm."""
    millimetres = 1000.0 * (predicted_hip(0.24, 0.18) + [MARKER_HEIGHT, 0.0, 0.0])
    assert np.allclose(millimetres, [-53.1, 86.5, -82.9])


def test_hips_are_put_where_the_markers_predict_them() -> None:
    rig, nominal = worn()
    turn = rotations.to_matrix(rotations.from_vector(np.array([0.1, -0.2, 2.0])))
    seen = np.tile(broad(nominal) @ turn.T + [1.0, 2.0, 0.9], (4, 1, 1))
    seen[1, nominal.labels.index("RPSI")] = np.nan
    seen[:, nominal.labels.index("SACR")] = np.nan
    moved, placed = with_predicted_hips(rig, nominal, seen)
    for side, mirror in (("L", 1.0), ("R", -1.0)):
        hip = hip_by_markers(moved, placed.labels, placed.offset, side)
        assert np.allclose(hip, predicted_hip(WIDTH, DEPTH) * [1.0, mirror, 1.0], atol=1e-9)
    legs = [rig.carrier(slot) for slot in ("shin.L", "foot.R")]
    assert np.allclose(moved.body.anchors[legs], rig.body.anchors[legs])


@pytest.mark.parametrize("why", ["no bone", "unseen", "elsewhere", "one-sided"])
def test_without_a_believable_pelvis_nothing_changes(why: str) -> None:
    rig, nominal = worn("cmu_41" if why == "no bone" else "plug_in_gait")
    seen = nominal.offset[None].copy()
    if why == "unseen":
        seen[:, nominal.labels.index("LASI")] = np.nan
    elif why == "one-sided":
        seen[:, [nominal.labels.index(name) for name in ("LPSI", "SACR")]] = np.nan
    elif why == "elsewhere":
        seen[:, nominal.labels.index("LASI")] += [0.0, 0.5, 0.0]
    assert with_predicted_hips(rig, nominal, seen) == (rig, nominal)


def test_a_broad_subject_who_hardly_moves_gets_its_own_hips() -> None:
    """Nothing but the prediction tells where they are: with an average pelvis they come out 1.6 cm off."""
    rig, nominal = worn()
    moved, placed = with_predicted_hips(rig, nominal, broad(nominal)[None])
    engine = EngineBody(moved.body)
    qpos = np.tile(engine.neutral, (12, 1))
    qpos[:, 2] += 0.93
    take = MarkerTake(
        name="",
        labels=placed.labels,
        labelled=np.ones(len(placed.labels), dtype=bool),
        time=np.arange(12) / 100.0,
        position_world=point_positions(engine, Attachments(placed.link, placed.offset), qpos),
        residual=np.full((12, len(placed.labels)), np.nan),
    )
    found = calibrate_subject(take, preset_set("plug_in_gait")).calibration
    for side, mirror in (("L", 1.0), ("R", -1.0)):
        hip = hip_by_markers(found.rig, found.labels, found.attachments.offset, side)
        assert np.linalg.norm(hip - predicted_hip(WIDTH, DEPTH) * [1.0, mirror, 1.0]) < 0.005
