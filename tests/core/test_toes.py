"""Feet that bend at their balls: toes stay flat while heels rise, and carry."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.bake.setup import set_up
from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray
from sim_core.base.intervals import smooth_step
from sim_core.character.from_rig import character_from_rig
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.recognition.mapping import SIDES, BoneMapping
from sim_core.reference.bending_toes import bend_toes
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.sources.motion_source import read_source
from tests.core.sample_people import HEADS, MAPPING, NAMES, Performance, person

RAISE, LEAN = np.radians(30.0), np.radians(5.5)
"""Tilt of the feet on their toes, and of the body, whose weight is over the balls then [rad]."""
SETTINGS = BakeSettings(toe_joint=True, quality="draft", loop="off", find_assist=False, search=False)
UP_S = (0.9, 1.5)
"""From when on the heels are all the way up, and the end [s]."""


def about_side(angle: FloatArray) -> FloatArray:
    """Rotation vectors (T, 3) that tilt forwards."""
    return angle[:, None] * np.array([0.0, 1.0, 0.0])


@cache
def heel_raise(bends: bool = True) -> Motion:
    """Somebody who rises onto the toes and stays there; bends: the toe bones move, too."""
    time = np.arange(round(100.0 * UP_S[1]) + 1) / 100.0
    share = smooth_step((time - 0.2) / (UP_S[0] - 0.2))
    tilt, lean = RAISE * share, LEAN * share
    head = dict(zip(NAMES, HEADS, strict=True))
    toe, ankle, hips = head["toe.L"], head["foot.L"], head["hips"]
    middle = np.array([1.0, 0.0, 1.0])
    lifted = toe * middle + rotations.rotate(rotations.from_vector(about_side(tilt)), (ankle - toe) * middle)
    placed = lifted + rotations.rotate(rotations.from_vector(about_side(lean)), (hips - ankle) * middle)
    turns = {"hips": about_side(lean)}
    for side in SIDES:
        turns[f"foot.{side}"] = about_side(tilt - lean)
        turns[f"toe.{side}"] = about_side(-tilt if bends else 0.0 * tilt)
    return person(Performance(time, turns, placed - hips))


@cache
def raised(bends: bool = True) -> Result:
    return bake(Job(heel_raise(bends), MAPPING, SETTINGS))


def up(result: Result) -> BoolArray:
    return np.asarray(result.time > UP_S[0])


def pitch(result: Result, name: str) -> FloatArray:
    """How far a body of the result is tilted forwards (T) [deg]."""
    own = result.body_name.tolist().index(name)
    ahead = rotations.rotate(result.body_quaternion_world[:, own], np.array([1.0, 0.0, 0.0]))
    return -np.degrees(np.arcsin(ahead[:, 2]))


def load(result: Result, name: str) -> FloatArray:
    """Vertical force on a body of the result (T) [N]."""
    own = result.contact_body == result.body_name.tolist().index(name)
    return np.asarray((result.contact_force[..., 2] * own).sum(axis=1))


@pytest.mark.parametrize("bends", [True, False])
def test_standing_on_toes_the_toes_stay_flat_and_carry(bends: bool) -> None:
    result = raised(bends)
    assert result.meta.fell_at is None and not result.assist.any()
    rows = up(result)
    for side in SIDES:
        assert np.abs(pitch(result, f"toe.{side}")[rows]).max() < 6.0
        assert pitch(result, f"foot.{side}")[rows].mean() > 0.6 * np.degrees(RAISE)
    on_toes = np.sum([load(result, f"toe.{side}")[rows].mean() for side in SIDES])
    weight = result.meta.character.mass * GRAVITY
    assert result.contact_force[rows, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.03)
    assert 0.02 * weight < on_toes < 0.9 * weight, "balls and toes share the weight"


def test_rigid_feet_cannot_keep_their_toes_flat() -> None:
    """What the option is for: without it the same source tilts the whole sole, and less."""
    rigid = bake(Job(heel_raise(), MAPPING, replace(SETTINGS, toe_joint=False)))
    assert not any(name.startswith("toe") for name in rigid.body_name.tolist())
    assert pitch(rigid, "foot.L")[up(rigid)].mean() < pitch(raised(), "foot.L")[up(raised())].mean() - 3.0


def test_the_body_has_the_same_mass_and_a_hinge_across_the_ball() -> None:
    plain, bending = (character_from_rig(heel_raise(), MAPPING, toes=toes).spec for toes in (False, True))
    assert bending.mass == pytest.approx(plain.mass)
    whole = plain["foot.L"].contact_points
    foot, toe = bending["foot.L"], bending["toe.L"]
    np.testing.assert_allclose(foot.contact_points[:2], whole[:2])
    np.testing.assert_allclose(toe.anchor + toe.contact_points, whole[2:])
    np.testing.assert_allclose(foot.contact_points[2:].mean(axis=0), toe.anchor)


def test_toes_that_would_dip_are_bent_until_they_are_flat() -> None:
    (setup,) = set_up((Job(heel_raise(bends=False), MAPPING, SETTINGS),))
    dt = float(setup.source.time[1] - setup.source.time[0])
    index, bent = setup.world.index, bend_toes(setup.world, setup.source_qpos, dt)
    assert len(index.toes) == 2 and index.soles == 12
    for toe in index.toes.tolist():
        own = int(setup.world.model.jnt_qposadr[setup.world.model.body_jntadr[toe]])
        assert abs(setup.source_qpos[-1, own]) < 1e-6
        # The ball of this rig rises a little when its foot turns about the joint inside of it.
        assert -np.degrees(bent[-1, own]) == pytest.approx(np.degrees(RAISE), abs=6.0)
        others = np.delete(np.arange(bent.shape[1]), [own])
        assert np.abs(bent - setup.source_qpos)[0, others].max() < 1e-9


def test_a_rig_without_toe_bones_has_rigid_feet_and_a_note() -> None:
    bones = {slot: names for slot, names in MAPPING.bones.items() if not slot.startswith("toe")}
    (setup,) = set_up((Job(heel_raise(), BoneMapping("no toes", bones), SETTINGS),))
    assert not len(setup.world.index.toes)
    assert any("no toe bones" in note for note in setup.scenario.notes)


@pytest.mark.parametrize("clip", ["02_01", "07_01"])
def test_walks_push_off_over_flat_toes_and_stay_up(shared_data: Path, clip: str) -> None:
    source = read_source([shared_data / "bvh" / "cmu" / f"{clip}.bvh"], ReadingChoices(), 0.0)
    result = bake(Job(source.motion, source.mapping, SETTINGS))
    assert result.meta.fell_at is None and not result.assist.any()
    for side in SIDES:
        pushes = load(result, f"toe.{side}") > 20.0
        pushes &= (load(result, f"foot.{side}") > 20.0) & (pitch(result, f"foot.{side}") > 15.0)
        assert pushes.sum() > 10, "each foot pushes off over its toes at least once"
        assert np.abs(pitch(result, f"toe.{side}")[pushes]).mean() < 6.0
