"""What labels mean in many conventions, and tables of markers that no preset knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.markers.computed_points import marker_labels
from sim_core.markers.faults import path_noise
from sim_core.markers.fit_file import fit_figures
from sim_core.markers.fit_pipeline import choose_set, fit_file
from sim_core.markers.judge import judge
from sim_core.markers.label_meaning import read_label
from sim_core.markers.landmarks import LANDMARKS, MIDDLE, Landmark
from sim_core.markers.marker_fit import fit_take
from sim_core.markers.marker_sets import known_sets, preset_set
from sim_core.markers.marker_take import MarkerTake
from sim_core.markers.read_markers import read_markers
from sim_core.markers.recognise_set import are_keypoints, find_set, recognise_set
from sim_core.markers.subject import calibrate_subject
from sim_core.posefit.fit_body import EngineBody
from sim_core.posefit.points import Attachments, point_positions
from tests.core.sample_subject import KnownSubject, walker

SAME = {
    Landmark("asis", "R"): "RASI R.ASIS r_asis RightASIS ASIS_R R_IAS rasis PELVIS.R.ASIS",
    Landmark("psis", "L"): "LPSI L.PSIS l_psis LeftPSIS PSIS_L LIPS",
    Landmark("knee", "L", "medial"): "L.Knee.Med LKNM LeftKneeMedial L_mknee LKneeIn knee_med_L LMFC LFME",
    Landmark("ankle", "R"): "RANK R_ankle RightAnkle r.ank RMAL",
    Landmark("ankle", "R", "lateral"): "R.Ankle.Lat RightLateralMalleolus RAnkleOut ankle_lateral_R r_lankle",
    Landmark("heel", "L"): "LHEE L.Heel left_heel LCAL l_calc LeftCalcaneus heel.L LFCC",
    Landmark("metatarsal", "R", "5"): "RMT5 R_5meta RFM5 r.meta5 R5MetatarsalHead RVMH",
    Landmark("trochanter", "L"): "LGTR L_troch LeftGreaterTrochanter LFTC",
    Landmark("c7", MIDDLE): "C7 CV7 S_C7 c7",
    Landmark("acromion", "L"): "LSHO L.Acromium LACR LeftShoulder l_acromion shoulder_L",
    Landmark("wrist", "R", "lateral"): "RWRA R_wrist_radius RRSP R.Wrist.Lat RightRadialStyloid",
    Landmark("elbow", "L", "medial"): "L_melbow LMEL LeftElbowMedial L_elbow_med LHME",
    Landmark("head", "R", "front"): "RFHD R_Head_Front RightFrontHead",
    Landmark(
        "thigh", "R"
    ): "RTHI r_thigh4 RTH2 RightThigh thigh_R Oberschenkel_rechts cuisse_droite muslo_derecho",
    Landmark("heel", "R"): "Ferse_rechts talon_droit talon_derecho tallone_destro rechts_Ferse",
    Landmark("elbow", "L"): "linker_Ellbogen coude_gauche codo_izquierdo gomito_sinistro",
    Landmark("knee", "L"): "Knie_links genou_gauche rodilla_izquierda ginocchio_sinistro",
    Landmark("acromion", "R"): "Schulter_rechts \u00c9paule_droite hombro_derecho spalla_destra",
    Landmark(
        "ankle", "L"
    ): "Kn\u00f6chel_links Knoechel_L cheville_gauche tobillo_izquierdo caviglia_sinistra",
}
"""Spellings of landmarks in the field."""


@pytest.mark.parametrize("landmark", list(SAME), ids=str)
def test_one_landmark_has_many_spellings(landmark: Landmark) -> None:
    for label in SAME[landmark].split():
        assert read_label(label) == landmark, label


@pytest.mark.parametrize(
    "label", ["", "ball", "Box1", "stick_L", "M2", "R1", "CentreOfMass", "HEDO", "knee", "abc" * 30]
)
def test_names_that_say_nothing_are_no_landmark(label: str) -> None:
    assert read_label(label) is None


def test_sides_are_mirror_images() -> None:
    for place, aspects in LANDMARKS.items():
        for aspect in aspects:
            left, right = (Landmark(place, side, aspect).placement for side in "LR")
            assert left.offset is not None and right.offset is not None
            assert np.allclose(left.offset * [1.0, -1.0, 1.0], right.offset)
            assert left.part.replace(".L", ".R") == right.part


@pytest.mark.parametrize("name", known_sets())
def test_meanings_agree_with_presets(name: str) -> None:
    """Presets were made by hand; what their labels mean gives the same parts."""
    rows = preset_set(name).rows
    found = {label: read_label(label) for label in rows}
    same = [
        label for label, landmark in found.items() if landmark and landmark.placement.part == rows[label].part
    ]
    assert len(same) >= 0.95 * len(rows)


def renamed(take: MarkerTake, names: dict[str, str]) -> MarkerTake:
    return replace(take, labels=tuple(names.get(label, label) for label in take.labels))


LONG_NAMES = {
    "FHD": "HeadFront", "BHD": "HeadBack", "SHO": "Acromion", "UPA": "Humerus1", "ELB": "ElbowLateral",
    "FRM": "Forearm1", "WRA": "WristRadial", "WRB": "WristUlnar", "FIN": "Hand", "FWT": "WaistFront",
    "BWT": "WaistBack", "THI": "Thigh1", "KNE": "KneeLateral", "SHN": "Shank1", "ANK": "AnkleLateral",
    "HEE": "Calcaneus", "MT5": "Metatarsal5", "TOE": "Toe",
}  # fmt: skip


def in_long_names(label: str) -> str:
    """Return a label of CMU's set as another laboratory would write it."""
    side, rest = label[0], label[1:]
    return f"{LONG_NAMES[rest]}_{side}" if rest in LONG_NAMES else label


@pytest.fixture(scope="module")
def known() -> KnownSubject:
    return walker(90)


def test_a_set_that_no_preset_knows_is_understood(known: KnownSubject) -> None:
    take = renamed(known.take, {label: in_long_names(label) for label in known.labels})
    table = choose_set(take)
    assert table.name == "by names" and set(table.rows) == set(take.labels)
    right = [label for label, own in zip(take.labels, known.labels, strict=True)
             if table.rows[label].part == known.table.rows[own].part]  # fmt: skip
    assert len(right) == len(take.labels)
    fit = fit_take(take, calibrate_subject(take, table))
    told = fit_figures(fit)
    assert told["marker_share"] == 1.0 and told["marker_rms_cm"] < 0.6


def test_markers_whose_names_say_nothing_go_where_they_move_least(known: KnownSubject) -> None:
    nameless = {"LTHI": "q1", "RSHN": "q2", "LFRM": "q3", "T10": "q4"}
    take = renamed(known.take, nameless)
    table = choose_set(take)
    for own, label in nameless.items():
        assert table.rows[label].part == known.table.rows[own].part, own
    assert any("assigned by how they move" in note for note in table.notes)


def test_clusters_of_which_only_the_part_is_named_tell_the_pose(known: KnownSubject) -> None:
    """Four markers on each part, and none on a landmark."""
    names = {"hips": "PELVIS", "chest": "TRUNK", "thigh.L": "L_TH", "thigh.R": "R_TH", "shin.L": "L_SK"}
    names |= {"shin.R": "R_SK", "foot.L": "L_FT", "foot.R": "R_FT"}
    middles = {"hips": (-0.1, 0.0, 0.1), "chest": (-0.1, 0.0, 0.1), "foot": (0.08, 0.0, 0.0)}
    links, offsets, labels = [], [], []
    for part, name in names.items():
        middle = np.array(
            middles.get(part.split(".")[0], (0.02, 0.08 if part.endswith("L") else -0.08, -0.2))
        )
        for number, place in enumerate(
            [(0.03, 0.0, 0.04), (-0.03, 0.0, 0.04), (0.03, 0.0, -0.04), (-0.03, 0.01, -0.05)]
        ):
            links.append(known.rig.carrier(part))
            offsets.append(middle + place)
            labels.append(f"{name}_{number + 1}")
    engine = EngineBody(known.rig.body)
    points = point_positions(engine, Attachments(np.array(links), np.array(offsets)), known.qpos)
    take = replace(
        known.take,
        labels=tuple(labels),
        labelled=np.ones(len(labels), dtype=bool),
        position_world=points,
        residual=np.full(points.shape[:2], np.nan),
    )
    table = recognise_set(take)
    assert table.name == "by names" and set(table.rows) == set(labels)
    assert {table.rows[label].part for label in labels} == set(names)
    fit = fit_take(take, calibrate_subject(take, table))
    true, _ = engine.poses(known.qpos)
    found, _ = EngineBody(fit.subject.calibration.rig.body).poses(fit.qpos)
    knees = [known.rig.carrier(f"shin.{side}") for side in "LR"]
    assert np.linalg.norm(found[:, knees] - true[:, knees], axis=2).mean() < 0.04


def test_a_thing_that_nobody_carries_is_left_out(known: KnownSubject) -> None:
    lying = np.tile([2.0, 1.0, 0.1], (len(known.take.time), 1, 1))
    take = replace(
        known.take,
        labels=(*known.labels, "box1"),
        labelled=np.append(known.take.labelled, True),
        position_world=np.concatenate([known.take.position_world, lying], axis=1),
        residual=np.pad(known.take.residual, ((0, 0), (0, 1))),
    )
    table = choose_set(take)
    assert "box1" not in table.rows and any("move with no part" in note for note in table.notes)


def test_axes_of_a_model_are_no_markers(known: KnownSubject) -> None:
    origin = known.take.position_world[:, 0]
    axes = np.stack([origin, *(origin + 0.2 * axis for axis in np.eye(3))], axis=1)
    take = replace(
        known.take,
        labels=(*known.labels, "LFEO", "LFEA", "LFEL", "LFEP"),
        labelled=np.append(known.take.labelled, [True] * 4),
        position_world=np.concatenate([known.take.position_world, axes], axis=1),
        residual=np.pad(known.take.residual, ((0, 0), (0, 4))),
    )
    assert marker_labels(take) == known.labels


def test_a_list_of_keypoints_may_call_its_ankles_feet() -> None:
    labels = "Hip RHip RKnee RFoot LHip LKnee LFoot Head LShoulder LElbow LWrist RShoulder RElbow RWrist"
    table = find_set(tuple(labels.split()))
    assert are_keypoints(labels.split()) and table is not None
    assert table.rows["LFoot"].part == "shin.L" and table.rows["Hip"].part == "hips"
    with_toes = find_set((*labels.split(), "LAnkle", "RAnkle", "LToe", "RToe"))
    assert with_toes is not None and with_toes.rows["LFoot"].part == "foot.L"


JOINTS = {
    "shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand",
    "hip": "thigh", "knee": "shin", "ankle": "foot",
}  # fmt: skip
"""Keypoint -> the part that begins at this joint."""


@pytest.mark.parametrize("spelling", ["{0}_{1}", "{2}{3}"])
def test_keypoints_from_video_are_centres_of_joints(known: KnownSubject, spelling: str) -> None:
    """Joints of a known walk with noise of 1 cm: lengths are found, and the jitter is a third at most."""
    position, _ = EngineBody(known.rig.body).poses(known.qpos)
    columns, labels = [], []
    for name, part in JOINTS.items():
        for side, letter in (("left", "L"), ("right", "R")):
            link = known.rig.link(f"{part}.{letter}")
            assert link is not None
            columns.append(position[:, link])
            labels.append(spelling.format(side, name, letter, name.title()))
    for label, part in (("nose", "head"), ("neck", "neck")):
        link = known.rig.link(part)
        assert link is not None
        columns.append(position[:, link])
        labels.append(label)
    true = np.stack(columns, axis=1)
    take = replace(
        known.take,
        labels=tuple(labels),
        labelled=np.ones(len(labels), dtype=bool),
        position_world=true + np.random.default_rng(0).normal(0.0, 0.01, true.shape),
        residual=np.full(true.shape[:2], np.nan),
    )
    table = choose_set(take)
    assert are_keypoints(take.labels) and set(table.rows) == set(labels)
    fit = fit_take(take, calibrate_subject(take, table))
    assert not judge(fit, by_hand=False).sentences
    legs = [
        np.linalg.norm(known.rig.body.anchors[known.rig.carrier(f"{part}.L")]) for part in ("shin", "foot")
    ]
    assert fit_figures(fit)["leg_length_m"] == pytest.approx(sum(legs), rel=0.03)
    joints = [fit.motion.skeleton.index[f"{part}.{side}"] for part in ("shin", "foot") for side in "LR"]
    assert path_noise(fit.motion.position_world[:, joints]) < path_noise(take.position_world) / 3.0


REAL = (
    "opencap_subject4/walking1.trc",
    "gait2392_subject01/walk.trc",
    "btk_pig/PiG_walk_One.c3d",
    "cmu_c3d/02_01.c3d",
)


@pytest.mark.parametrize("name", REAL)
def test_real_captures_are_understood_without_a_hand(
    shared_data: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their names alone: 90 % of the markers, 0.6 cm RMS, 1.2 cm for 95 of 100 samples."""
    monkeypatch.setattr("sim_core.markers.recognise_set.find_preset", lambda _labels: None)
    told = fit_figures(fit_file(shared_data / "markers" / name).fit)
    assert told["marker_share"] >= 0.9
    assert told["marker_rms_cm"] <= 0.6 and told["marker_p95_cm"] <= 1.2


def test_legs_of_names_alone_are_as_long_as_joint_centres_say(shared_data: Path) -> None:
    """Hips as the laboratory computed them, knees and ankles midway between their markers."""
    folder = shared_data / "markers/opencap_subject4"
    static = read_markers(folder / "static1.trc").take()

    def place(label: str) -> np.ndarray:
        return np.nanmedian(static.position_world[:, static.index(label)], axis=0)

    legs = []
    for side, own in (("L", "L"), ("r", "R")):
        knee, ankle = (0.5 * (place(f"{side}_{n}") + place(f"{side}_m{n}")) for n in ("knee", "ankle"))
        legs.append(np.linalg.norm(place(f"{own}_HJC_reg") - knee) + np.linalg.norm(knee - ankle))
    told = fit_figures(fit_file(folder / "walking1.trc").fit)
    assert told["leg_length_m"] == pytest.approx(np.mean(legs), rel=0.02)
