"""Parts of the body and of the time: what is not simulated is the clip, and what is can be hit."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.report.report import make_report
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Launch, Role, Scene, SceneObject
from sim_core.scene.shapes import Sphere
from sim_core.simulation.kinematic import end_shares
from tests.core.sample_people import MAPPING, Performance, person, standing

UPPER = BakeSettings(only="upper", quality="draft", assist_cap=0.0, find_assist=False)


def swaying(seconds: float) -> Motion:
    """Stands, and sways with its hips over feet that slide along: no forces could do it."""
    stand = standing(seconds, 30.0)
    sway = 0.1 * np.sin(5.0 * stand.time)[:, None] * np.array([0.0, 1.0, 0.0])
    nod = 0.2 * np.sin(4.0 * stand.time)
    return person(Performance(stand.time, {"head": np.outer(nod, [0.0, 1.0, 0.0])}, stand.hips_offset + sway))


def ball(segment: str) -> SceneObject:
    launch = Launch(0.3, 5.0, segment)
    return SceneObject(
        "ball", Role.PROJECTILE, Sphere(0.08), np.array([1.0, 0.2, 1.3]), mass=1.0, launch=launch
    )


def off_source(result: Result, *joints: str) -> FloatArray:
    """How far joints are from the source (T, n) [m]."""
    places = [i for i, name in enumerate(result.body_name.tolist()) if name in joints]
    strayed = result.joint_position - result.source_joint_position
    return np.asarray(np.linalg.norm(strayed[:, places], axis=-1))


@pytest.fixture(scope="module")
def upper() -> Result:
    return bake(Job(swaying(1.2), MAPPING, UPPER))


@pytest.fixture(scope="module")
def struck() -> Result:
    return bake(Job(swaying(1.2), MAPPING, UPPER, Scene((ball("forearm.L"),))))


LEGS = tuple(f"{part}.{side}" for part in ("thigh", "shin", "foot") for side in "LR")


def test_hips_and_legs_are_exactly_on_the_clip(upper: Result, struck: Result) -> None:
    for result in (upper, struck):
        assert off_source(result, "pelvis").max() < 1e-9
        assert off_source(result, *LEGS).max() < 1e-6
        turn = rotations.angle_between(
            result.joint_quaternion_world[:, 0], result.source_joint_quaternion_world[:, 0]
        )
        assert turn.max() < 1e-6


def test_the_upper_body_follows_and_feels_how_it_is_carried(upper: Result) -> None:
    away = off_source(upper, "chest", "head", "hand.L", "hand.R")
    assert 0.0 < away.max() < 0.03
    assert np.abs(upper.torque).max() > 1.0
    assert upper.meta.fell_at is None


def test_a_hit_on_the_arm_moves_the_arm(upper: Result, struck: Result) -> None:
    assert struck.meta.hits[0].region == "arm.L"
    assert off_source(struck, "hand.L").max() > off_source(upper, "hand.L").max() + 0.03
    # It comes back.
    assert off_source(struck, "hand.L")[-1].max() < 0.05


def test_what_is_kinematic_is_told(upper: Result) -> None:
    assert any("hips and legs follow the clip" in note for note in upper.meta.notes)
    mass = dict(zip(upper.body_name.tolist(), upper.body_mass.tolist(), strict=True))
    held = sum(mass[name] for name in ("pelvis", *LEGS)) / sum(mass.values())
    assert upper.meta.measured.kinematic_share == pytest.approx(held)


def test_what_carried_the_hips_is_not_judged(upper: Result) -> None:
    """No force was recorded there, which must not look like a body that needs none."""
    report = make_report(upper)
    assert report.after is not None and set(report.after.score.parts) == {"feet", "effort", "smoothness"}
    assert report.after.figures["outside_share"] is None and report.after.figures["tipping_m"] is None
    assert report.after.not_judged.startswith("Not judged: forces, balance, because hips and legs follow")
    assert report.before.not_judged == ""
    # Feet that follow the clip slide as the clip's do, although nothing presses them to the ground.
    for name in ("skate_cm_s", "penetration_mean_mm"):
        assert report.after.figures[name] == pytest.approx(report.before.figures[name])
    assert report.before.figures["skate_cm_s"] > 5.0


def test_ends_go_over_into_the_clip() -> None:
    motion = swaying(1.2)
    settings = BakeSettings(quality="draft", find_assist=False, blend_in_s=0.3, blend_out_s=0.2)
    result = bake(Job(motion, MAPPING, settings))
    bones = [motion.skeleton.index[name] for name in result.bone_name.tolist()]
    for sample in (0, -1):
        np.testing.assert_allclose(
            result.bone_position[sample], motion.position_world[sample, bones], atol=1e-9
        )
    # With the clip's speed, too: a smooth step leaves at rest.
    moved = np.linalg.norm(
        np.diff(result.bone_position[:2] - motion.position_world[:2, bones], axis=0), axis=-1
    )
    assert moved.max() < 0.002
    assert result.simulated[0] == result.simulated[-1] == 0.0
    assert (result.simulated[31:-21] == 1.0).all()
    assert any("first 0.3 s and the last 0.2 s" in note for note in result.meta.notes)
    assert result.meta.measured.kinematic_share == pytest.approx(1.0 - result.simulated.mean())


def test_shares_of_the_ends() -> None:
    time = np.linspace(0.0, 1.0, 11)
    share = end_shares(time, 0.4, 0.0)
    assert share[0] == 0.0
    assert share[2] == pytest.approx(0.5)
    assert (share[4:] == 1.0).all()


@pytest.mark.parametrize(
    "wrong", [{"only": "legs"}, {"only": "upper", "only_around_hits": True}, {"blend_in_s": -1.0}]
)
def test_settings_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        BakeSettings(**wrong)  # type: ignore[arg-type]
