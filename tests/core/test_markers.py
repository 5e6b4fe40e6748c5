"""Marker sets, calibration and fits of subjects whose answers are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.markers.calibrate import CalibrationProblem, spread_out
from sim_core.markers.faults import path_noise, steadied, undo_swaps
from sim_core.markers.fit_file import by_marker, fit_figures
from sim_core.markers.fit_pipeline import choose_set
from sim_core.markers.initial_pose import similarity
from sim_core.markers.judge import judge
from sim_core.markers.length_groups import length_groups
from sim_core.markers.marker_fit import fit_take
from sim_core.markers.marker_sets import (
    MIRROR,
    MarkerPlacement,
    MarkerSet,
    known_sets,
    preset_set,
    read_set,
    save_set,
)
from sim_core.markers.propose import propose_set
from sim_core.markers.recognise_set import find_set, recognise_set
from sim_core.markers.subject import Armature, Subject, calibrate_subject
from sim_core.markers.template import place_markers, template
from sim_core.posefit.fit_body import EngineBody
from sim_core.posefit.points import Attachments, measure_points, point_positions
from sim_core.recognition import recognise
from tests.core.sample_subject import KnownSubject, walker


@pytest.fixture(scope="module")
def known() -> KnownSubject:
    return walker()


@pytest.fixture(scope="module")
def subject(known: KnownSubject) -> Subject:
    return calibrate_subject(known.take, known.table)


def rms_cm(distance: np.ndarray) -> float:
    return 100.0 * float(np.sqrt(np.nanmean(distance**2)))


# Tables


@pytest.mark.parametrize("name", known_sets())
def test_presets_are_symmetric_tables(name: str) -> None:
    table = preset_set(name)
    rig = template()
    for row in table.rows.values():
        assert rig.link(row.part) is not None and row.offset is not None
        assert np.abs(row.offset).max() < 0.6
    left = [row for row in table.rows.values() if row.part.endswith(".L")]
    right = {(row.part[:-1], *np.array(row.offset)) for row in table.rows.values() if row.part.endswith(".R")}
    assert len(left) == len(right) > 5
    assert all((row.part[:-1], *(np.array(row.offset) * MIRROR)) in right for row in left)


@pytest.mark.parametrize("name", known_sets())
def test_sets_are_known_by_their_labels(name: str) -> None:
    preset = preset_set(name)
    spelled = tuple(label.lower().replace(".", "_") for label in preset.rows)
    found = find_set((*spelled, "something", "else"))
    assert found is not None and found.name == preset.name and set(found.rows) == set(spelled)


def test_foreign_labels_are_no_set() -> None:
    assert find_set(("alpha", "beta", "gamma", "LASI", "RASI")) is None


def test_tables_are_edited_and_saved(tmp_path: Path) -> None:
    preset = preset_set("cmu_41")
    rows = {label: row for label, row in preset.rows.items() if label != "LFHD"}
    table = replace(preset, rows=rows | {"extra": MarkerPlacement("hand.L")})
    save_set(table, tmp_path / "mine.json")
    again = read_set(tmp_path / "mine.json")
    assert set(again.rows) == set(table.rows) and "LFHD" not in again.rows
    assert again.rows["extra"].part == "hand.L" and again.rows["extra"].offset is None
    for label, row in table.rows.items():
        assert again.rows[label].part == row.part and again.rows[label].sigma == row.sigma
        if row.offset is not None:
            assert np.allclose(again.rows[label].offset, row.offset)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["{}", '{"centre": {"A": 3}}', '{"centre": {"A": ["tail", [0, 0, 0], 0.1]}}']
)
def test_broken_tables_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.json").write_text(text)
    with pytest.raises(InputError) as problem:
        read_set(tmp_path / "mine.json")
    assert str(problem.value).endswith(".")


def test_unknown_set_is_refused(known: KnownSubject) -> None:
    with pytest.raises(InputError, match="no marker set 'mine'"):
        choose_set(known.take, "mine")
    with pytest.raises(InputError, match="No marker of the take"):
        choose_set(known.take, "opencap")


# Parts of calibration


def test_similarity_is_found() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(8, 3))
    turn = rotations.to_matrix(rotations.from_vector(np.array([0.4, -1.0, 2.0])))
    found = similarity(points, 1.3 * points @ turn.T + [1.0, 2.0, 3.0])
    assert np.allclose(found[0], turn) and np.allclose(found[1], [1.0, 2.0, 3.0])
    assert found[2] == pytest.approx(1.3)


def test_spread_out_frames_reach_the_extremes() -> None:
    angle = np.linspace(0.0, 20.0 * np.pi, 500)
    chosen = spread_out(np.stack([np.cos(angle), np.sin(angle)], axis=1), 4)
    covered = np.sort(angle[chosen] % (2.0 * np.pi))
    assert np.diff(covered).min() > 0.25 * np.pi


def test_shared_jacobian(known: KnownSubject) -> None:
    """How markers move with their own places and with lengths, by finite differences."""
    rig = template(1.70)
    nominal = place_markers(rig, known.table, known.labels, 1.70)
    lengths = length_groups(rig)
    problem = CalibrationProblem(rig, nominal, lengths, known.take.position_world[:1])
    qpos, markers = known.qpos[:1], len(known.labels)
    rng = np.random.default_rng(1)
    log_scale, shift = rng.normal(0.0, 0.05, len(lengths.names)), rng.normal(0.0, 0.01, (markers, 3))

    def moved(unknowns: np.ndarray) -> np.ndarray:
        scale = log_scale + unknowns[3 * markers :]
        problem.engine.set_anchors(problem.anchors * lengths.factors(scale)[:, None])
        offset = problem.nominal_offset(scale) + shift + unknowns[: 3 * markers].reshape(-1, 3)
        return point_positions(problem.engine, Attachments(nominal.link, offset), qpos)[0].reshape(-1)

    count = 3 * markers + len(lengths.names)
    problem.engine.set_anchors(problem.anchors * lengths.factors(log_scale)[:, None])
    offset = problem.nominal_offset(log_scale)
    frames = measure_points(problem.engine, Attachments(nominal.link, offset + shift), qpos)
    jacobian = problem._shared_jacobian(frames, lengths.factors(log_scale), offset)[0]
    for column in [0, 50, 100, *range(3 * markers, count)]:
        change = np.zeros(count)
        change[column] = 1e-6
        assert np.allclose(jacobian[:, column], (moved(change) - moved(-change)) / 2e-6, atol=1e-8)


def test_calibration_finds_lengths_and_places(known: KnownSubject, subject: Subject) -> None:
    """Markers are exact, so only the priors keep the answer from the truth."""
    fit = fit_take(known.take, subject)
    assert rms_cm(fit.distance) < 0.2
    true = dict(zip(known.rig.body.names, np.linalg.norm(known.rig.body.anchors, axis=1), strict=True))
    body = subject.calibration.rig.body
    found = dict(zip(body.names, np.linalg.norm(body.anchors, axis=1), strict=True))
    for bone in ("shin.L", "foot.L", "forearm.L", "hand.L"):
        assert found[bone] == pytest.approx(true[bone], rel=0.03)
    legs = [sum(lengths[bone] for bone in ("shin.L", "foot.L")) for lengths in (found, true)]
    assert legs[0] == pytest.approx(legs[1], rel=0.02)


def test_the_body_stands_on_the_floor_at_rest(subject: Subject) -> None:
    skeleton = subject.calibration.rig.skeleton
    ankle = skeleton.rest_position_world[skeleton.index["foot.R"], 2]
    assert ankle == pytest.approx(0.039 * subject.height)


def test_a_static_trial_helps(known: KnownSubject) -> None:
    """Markers that only the static trial has are calibrated too."""
    fewer = known.take.chosen(tuple(label for label in known.labels if label not in ("LKNE", "RKNE")))
    still = known.take.between(0.0, 0.1)
    found = calibrate_subject(fewer, known.table, still)
    assert set(found.calibration.labels) == set(known.labels)
    assert fit_take(fewer, found).labels == tuple(
        label for label in found.calibration.labels if label in fewer.labels
    )


# Fits


def test_joint_angles_are_found(known: KnownSubject, subject: Subject) -> None:
    fit = fit_take(known.take, subject)
    rig = subject.calibration.rig
    truth = EngineBody(known.rig.body).poses(known.qpos)[1]
    found = EngineBody(rig.body).poses(fit.qpos)[1]
    for upper, lower in (("thigh.L", "shin.L"), ("upper_arm.R", "forearm.R")):
        a, b = rig.link(upper), rig.link(lower)
        bend = [np.degrees(rotations.angle_between(q[:, a], q[:, b])) for q in (truth, found)]
        difference = bend[0] - bend[1]
        assert np.std(difference) < 1.5


def test_drop_outs_are_bridged(known: KnownSubject, subject: Subject) -> None:
    hidden = np.random.default_rng(2).random(known.take.seen.shape) < 0.5
    position = np.where(hidden[..., None], np.nan, known.take.position_world)
    fit = fit_take(replace(known.take, position_world=position), subject)
    error = np.linalg.norm(fit.model - known.take.position_world, axis=2)
    assert rms_cm(error[hidden]) < 0.5
    missing = [fault for fault in fit.faults if fault.kind == "missing"]
    assert sum(fault.last - fault.first + 1 for fault in missing) == hidden.sum()


def test_outliers_are_listed_and_do_not_pull(known: KnownSubject, subject: Subject) -> None:
    rng = np.random.default_rng(3)
    wrong = rng.random(known.take.seen.shape) < 0.03
    away = rng.normal(size=(*wrong.shape, 3))
    away *= 0.3 / np.linalg.norm(away, axis=2, keepdims=True)
    fit = fit_take(
        replace(known.take, position_world=known.take.position_world + wrong[..., None] * away), subject
    )
    error = np.linalg.norm(fit.model - known.take.position_world, axis=2)
    assert rms_cm(error) < 0.4
    listed = np.zeros_like(wrong)
    for fault in fit.faults:
        assert fault.kind == "outlier" and fault.sentence.endswith(".")
        listed[fault.first : fault.last + 1, fit.labels.index(fault.marker)] = True
    assert np.array_equal(listed, wrong)


def test_swapped_labels_are_turned_back(known: KnownSubject, subject: Subject) -> None:
    position = np.array(known.take.position_world)
    left, right = (known.take.index(label) for label in ("LANK", "RANK"))
    position[40:60, [left, right]] = position[40:60, [right, left]]
    fit = fit_take(replace(known.take, position_world=position), subject)
    assert rms_cm(np.linalg.norm(fit.model - known.take.position_world, axis=2)) < 0.3
    assert {(f.marker, f.other, f.first, f.last, f.kind) for f in fit.faults} == {
        ("LANK", "RANK", 40, 59, "swapped"),
        ("RANK", "LANK", 40, 59, "swapped"),
    }
    assert np.array_equal(fit.measured, position)


def test_swaps_are_seen_in_paths(known: KnownSubject) -> None:
    position = np.array(known.take.position_world)
    position[50:90, [3, 8]] = position[50:90, [8, 3]]
    found, swapped = undo_swaps(position)
    assert np.array_equal(found, known.take.position_world)
    assert np.argwhere(swapped[:, 3] == 8).ravel().tolist() == list(range(50, 90))


def test_labels_that_stay_swapped_to_the_end_are_turned_back(known: KnownSubject) -> None:
    position = np.array(known.take.position_world)
    position[80:, [3, 8]] = position[80:, [8, 3]]
    found, swapped = undo_swaps(position)
    assert np.array_equal(found, known.take.position_world)
    assert np.argwhere(swapped[:, 3] == 8).ravel().tolist() == list(range(80, len(position)))


def test_a_swap_that_a_gap_may_have_ended_is_left_to_the_fit(known: KnownSubject) -> None:
    """Of two exchanges one is in a gap: which frames are swapped cannot be told from the paths."""
    position = np.array(known.take.position_world)
    position[30:50, [3, 8]] = position[30:50, [8, 3]]
    position[48:53, 8] = np.nan
    assert (undo_swaps(position)[1] == -1).all()


def test_feet_of_which_several_markers_are_swapped_keep_their_markers_apart() -> None:
    """Markers of one foot are so near that each could have gone to any place of the other foot."""
    time = np.arange(60) / 100.0
    foot = np.array([[0.0, 0.0, 0.0], [0.05, 0.03, 0.0], [0.10, 0.0, 0.02]])
    walks = [
        np.stack([0.3 * np.sin(6.0 * time + phase), 0.0 * time, 0.0 * time], axis=1) for phase in (0.0, 3.1)
    ]
    true = np.concatenate(
        [walk[:, None] + foot + [0.0, y, 0.0] for walk, y in zip(walks, (0.15, -0.15), strict=True)], axis=1
    )
    position = true.copy()
    position[20:45] = true[20:45][:, [3, 4, 5, 0, 1, 2]]
    assert np.array_equal(undo_swaps(position)[0], true)


def test_noise_is_measured(known: KnownSubject) -> None:
    noise = np.random.default_rng(4).normal(0.0, 0.016, known.take.position_world.shape)
    noisy = known.take.position_world + noise
    # Third differences of a gait of 1 Hz at 100 Hz are far below a millimetre.
    assert path_noise(noisy) == pytest.approx(0.016, rel=0.05)
    assert path_noise(known.take.position_world) < 1e-3
    assert steadied(known.take.position_world, 100.0) is known.take.position_world
    better = steadied(noisy, 100.0) - known.take.position_world
    assert np.sqrt(np.mean(better**2)) < 0.5 * 0.016


def test_heavy_noise_does_not_diverge(known: KnownSubject, subject: Subject) -> None:
    clean = fit_take(known.take, subject)
    noise = np.random.default_rng(5).normal(0.0, 0.064, known.take.position_world.shape)
    fit = fit_take(replace(known.take, position_world=known.take.position_world + noise), subject)
    away = rotations.angle_between(fit.motion.quaternion_world, clean.motion.quaternion_world)
    assert np.degrees(away).mean() < 12.0


def test_few_markers_are_enough_for_a_calibrated_subject(known: KnownSubject, subject: Subject) -> None:
    """Head, wrists and feet: the prior pose tells the rest."""
    kept = tuple(
        label for label in known.labels if label[1:] in ("FHD", "BHD", "WRA", "WRB", "HEE", "TOE", "MT5")
    )
    fit = fit_take(known.take.chosen(kept), subject)
    engine = EngineBody(subject.calibration.rig.body)
    everything = point_positions(engine, subject.calibration.attachments, fit.qpos)
    true = known.take.chosen(subject.calibration.labels).position_world
    assert rms_cm(np.linalg.norm(everything - true, axis=2)) < 6.0


def test_preview_is_near_the_final_fit(known: KnownSubject, subject: Subject) -> None:
    preview = fit_take(known.take, subject, "preview")
    assert rms_cm(preview.distance) < 0.3
    with pytest.raises(InputError, match="Quality 'best'"):
        fit_take(known.take, subject, "best")


def test_the_report_names_the_worst(known: KnownSubject, subject: Subject) -> None:
    position = np.array(known.take.position_world)
    position[30, 7] += [0.03, 0.0, 0.0]
    fit = fit_take(replace(known.take, position_world=position), subject, "preview")
    told = fit_figures(fit)
    assert told["marker_worst"] == known.labels[7] and told["marker_worst_frame"] == 31
    assert by_marker(fit)[known.labels[7]]["worst_cm"] == pytest.approx(told["marker_worst_cm"])
    assert told["frames"] == len(position) and told["outlier_spells"] == 0


def test_too_few_markers_are_one_sentence(known: KnownSubject) -> None:
    lonely = known.take.chosen(("C7",))
    with pytest.raises(InputError, match="only 1 known marker") as problem:
        calibrate_subject(lonely, known.table)
    assert "\n" not in str(problem.value)
    with pytest.raises(InputError, match="too few to guess"):
        choose_set(replace(lonely, labels=("x",)))
    with pytest.raises(InputError, match="No marker of the take"):
        calibrate_subject(replace(lonely, labels=("x",)), MarkerSet("mine", {"C7": MarkerPlacement("chest")}))


def test_unknown_labels_are_proposed_from_motion(known: KnownSubject) -> None:
    names = tuple(f"m{i}" for i in range(len(known.labels)))
    renamed = replace(known.take, labels=names)
    table = propose_set(renamed)
    assert table.notes
    right = 0
    for name, label in zip(names, known.labels, strict=True):
        told, true = table.rows[name].part, known.table.rows[label].part
        near = {told, true} in ({"shin.L", "foot.L"}, {"shin.R", "foot.R"}) or "clavicle" in true
        right += told == true or near
        assert told[-2:] not in (".L", ".R") or true[-2:] not in (".L", ".R") or told[-2:] == true[-2:]
    assert right >= 0.8 * len(names)
    assert rms_cm(fit_take(renamed, calibrate_subject(renamed, table)).distance) < 1.0


def test_markers_without_any_name_are_proposed_and_judged(known: KnownSubject) -> None:
    """Points that nobody labelled, and a reflection that is seen for a moment."""
    count = len(known.labels) + 1
    ghost = np.full((len(known.take.time), 1, 3), np.nan)
    ghost[10:20] = known.take.position_world[10:20, :1] + 0.4
    take = replace(
        known.take,
        labels=tuple(f"point {i + 1}" for i in range(count)),
        labelled=np.zeros(count, dtype=bool),
        position_world=np.concatenate([known.take.position_world, ghost], axis=1),
        residual=np.full((len(known.take.time), count), np.nan),
    )
    table = recognise_set(take)
    assert len(table.rows) == count - 1
    fit = fit_take(take, calibrate_subject(take, table), "preview")
    assert fit_figures(fit)["marker_share"] == 1.0 and judge(fit, by_hand=False).errors == ()


def test_bones_of_an_armature_keep_their_lengths(known: KnownSubject) -> None:
    skeleton = known.rig.skeleton
    found = calibrate_subject(known.take, known.table, armature=Armature(skeleton, recognise(skeleton)))
    fit = fit_take(known.take, found)
    assert np.array_equal(fit.motion.skeleton.rest_position_world, skeleton.rest_position_world)
    assert rms_cm(fit.distance) < 0.3
    small = template(1.40).skeleton
    told = calibrate_subject(known.take, known.table, armature=Armature(small, recognise(small)))
    assert any("taller than the armature" in note for note in told.notes)
