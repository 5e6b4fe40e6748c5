"""Fits that cannot be right are refused, and doubtful ones say so first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.cli.main import main
from sim_core.markers.fit_pipeline import FitOptions, fit_file
from sim_core.markers.fitted_sides import crossed_joints
from sim_core.markers.judge import judge
from sim_core.markers.marker_fit import MarkerFit, fit_take
from sim_core.markers.propose import PROPOSED
from sim_core.markers.subject import calibrate_subject
from sim_core.markers.unseen_limbs import unseen_limbs
from sim_core.posefit.fit_body import EngineBody
from tests.core.sample_markers import write_trc
from tests.core.sample_subject import KnownSubject, walker

UPPER = {"chest", "spine", "neck", "head"} | {
    f"{part}.{side}" for part in ("clavicle", "upper_arm", "forearm", "hand") for side in "LR"
}
"""Parts above the pelvis."""


@pytest.fixture(scope="module")
def known() -> KnownSubject:
    return walker(60)


@pytest.fixture(scope="module")
def fit(known: KnownSubject) -> MarkerFit:
    return fit_take(known.take, calibrate_subject(known.take, known.table))


def words(fit: MarkerFit) -> str:
    return " ".join(judge(fit, by_hand=False).sentences)


def test_a_good_fit_is_not_doubted(fit: MarkerFit) -> None:
    assert judge(fit, by_hand=False).sentences == ()


@pytest.mark.parametrize(("height", "refused"), [(0.06, True), (0.8, False), (2.6, False), (5.0, True)])
def test_heights_that_nobody_has(fit: MarkerFit, height: float, refused: bool) -> None:
    told = judge(replace(fit, subject=replace(fit.subject, height=height)))
    assert f"{height:.2f} m tall" in told.sentences[0] and bool(told.errors) == refused


@pytest.mark.parametrize(("extra", "refused"), [(10, False), (80, True)])
def test_markers_that_were_not_used_are_counted(fit: MarkerFit, extra: int, refused: bool) -> None:
    few = replace(fit, offered=(*fit.offered, *(f"x{i}" for i in range(extra))))
    assert f"Only {len(fit.labels)} of {len(fit.labels) + extra} markers" in words(few)
    assert bool(judge(few, by_hand=False).errors) == refused and not judge(few).errors


@pytest.mark.parametrize(("off_m", "refused"), [(0.02, False), (0.92, True)])
def test_markers_that_are_far_from_the_body(fit: MarkerFit, off_m: float, refused: bool) -> None:
    far = replace(fit, model=fit.model + [off_m, 0.0, 0.0])
    assert f"{100.0 * off_m:.1f} cm (RMS)" in words(far) and bool(judge(far, by_hand=False).errors) == refused


def test_proportions_that_nobody_has(fit: MarkerFit) -> None:
    subject = fit.subject
    odd = replace(subject.calibration, length_ratio={**subject.calibration.length_ratio, "shin": 2.5})
    told = judge(replace(fit, subject=replace(subject, calibration=odd)))
    assert "The shin is 2.50 times" in told.errors[0]


def test_a_body_upside_down_is_refused(fit: MarkerFit) -> None:
    over = fit.qpos.copy()
    over[:, 3:7] = [0.0, 1.0, 0.0, 0.0]
    assert "upside down" in judge(replace(fit, qpos=over)).errors[0]


def test_feet_far_from_the_floor_are_told(fit: MarkerFit) -> None:
    high = fit.qpos.copy()
    high[:, 2] += 2.0
    assert "not to the floor" in words(replace(fit, qpos=high))


def test_knees_that_bend_forwards_are_told(fit: MarkerFit) -> None:
    body = fit.subject.calibration.rig.body
    model = EngineBody(body).model
    bent = fit.qpos.copy()
    bent[:, model.jnt_qposadr[model.body_jntadr[model.body("shin.R").id]]] = -0.5
    assert "The right knee" in words(replace(fit, qpos=bent))


def exchanged(known: KnownSubject, starts: tuple[str, ...]) -> MarkerFit:
    """Return the fit of markers whose sides are exchanged where the rest of their label starts so."""
    other = {"L": "R", "R": "L"}
    labels = tuple(
        other[label[0]] + label[1:]
        if label[1:].startswith(starts) and other.get(label[0], "") + label[1:] in known.labels
        else label
        for label in known.labels
    )
    take = replace(known.take, labels=labels)
    return fit_take(take, calibrate_subject(take, known.table))


def test_left_and_right_exchanged_are_refused_unless_the_user_chose_the_markers(known: KnownSubject) -> None:
    fit = exchanged(known, ("",))
    assert "Left and right" in judge(fit, by_hand=False).errors[0]
    assert "Left and right" in words(fit) and not judge(fit).errors


def test_a_marker_that_is_never_seen_hides_no_exchange(known: KnownSubject) -> None:
    fit = exchanged(known, ("",))
    hidden = np.array(fit.measured)
    hidden[:, fit.labels.index("C7")] = np.nan
    assert "Left and right" in words(replace(fit, measured=hidden))


def test_exchanged_legs_are_refused_although_crossed_legs_explain_them(known: KnownSubject) -> None:
    fit = exchanged(known, ("THI", "KNE", "SHN", "ANK", "HEE", "TOE", "MT5"))
    assert np.sqrt(np.nanmean(fit.distance**2)) < 0.03
    assert "The left knee is to the right of the right one" in judge(fit, by_hand=False).errors[0]


def test_legs_that_are_crossed_in_sitting_or_lying_are_not_called_exchanged(known: KnownSubject) -> None:
    fit = exchanged(known, ("THI", "KNE", "SHN", "ANK", "HEE", "TOE", "MT5"))
    lying = fit.qpos.copy()
    back = rotations.from_vector(np.array([0.0, -0.5 * np.pi, 0.0]))
    lying[:, 3:7] = rotations.multiply(back, lying[:, 3:7])
    engine = EngineBody(fit.subject.calibration.rig.body)
    assert dict(crossed_joints(fit, engine))["knee"] > 0.9
    assert dict(crossed_joints(replace(fit, qpos=lying), engine))["knee"] == 0.0


@pytest.mark.parametrize("height", [0.5, 1.1])
def test_a_guessed_body_that_may_be_legs_or_no_body_is_refused(fit: MarkerFit, height: float) -> None:
    """Without labels, three things with four markers each make a body, and legs of an adult make a child."""
    subject = replace(fit.subject, height=height, table=replace(fit.subject.table, name=PROPOSED))
    guess = replace(fit, subject=subject)
    assert f"{height:.2f} m tall" in judge(guess, by_hand=False).errors[0] and not judge(guess).errors


def test_a_marker_that_drifts_off_is_named(known: KnownSubject) -> None:
    position = np.array(known.take.position_world)
    position[:, known.take.index("LANK")] += np.linspace(0.0, 0.5, len(position))[:, None]
    take = replace(known.take, position_world=position)
    assert "'LANK' (" in words(fit_take(take, calibrate_subject(take, known.table)))


@pytest.mark.parametrize(
    ("unmarked", "told"),
    [
        (("upper_arm.L", "forearm.L", "hand.L"), "on the left arm"),
        (("shin.R", "foot.R"), "below the right knee"),
    ],
)
def test_limbs_without_a_marker_are_told(known: KnownSubject, unmarked: tuple[str, ...], told: str) -> None:
    kept = [label for label in known.labels if known.table.rows[label].part not in unmarked]
    take = known.take.chosen(kept)
    (note,) = unseen_limbs(fit_take(take, calibrate_subject(take, known.table), "preview"))
    assert note.startswith(f"No marker is {told}:")


def test_limbs_with_markers_are_not_told(fit: MarkerFit) -> None:
    assert unseen_limbs(fit) == ()


def test_markers_that_are_never_seen_tell_nothing_about_the_trunk(
    known: KnownSubject, tmp_path: Path
) -> None:
    """Without the others nobody knows what the trunk did, although the file has columns for its markers."""
    points = 1000.0 * known.take.position_world
    above = [i for i, label in enumerate(known.labels) if known.table.rows[label].part in UPPER]
    points[:, above] = 0.0
    fitted = fit_file(write_trc(tmp_path / "legs.trc", list(known.labels), points), FitOptions(anyway=True))
    assert any("No marker is above the pelvis" in note for note in fitted.notes)
    assert any("are never seen" in note for note in fitted.notes)


def test_nonsense_ends_with_an_error_unless_it_is_asked_for(
    known: KnownSubject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Markers that move at random are explained by no body."""
    rng = np.random.default_rng(0)
    points = 1000.0 * known.take.position_world[:1] + rng.normal(0.0, 400.0, known.take.position_world.shape)
    path = write_trc(tmp_path / "noise.trc", list(known.labels), points)
    out = tmp_path / "fit.npz"
    assert main(["fit", str(path), "--out", str(out)]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "'noise.trc' were not understood" in told and "check" in told and not out.exists()
    with pytest.raises(InputError, match="not understood"):
        fit_file(path)
    fitted = fit_file(path, FitOptions(anyway=True))
    assert "check" in fitted.notes[0]
